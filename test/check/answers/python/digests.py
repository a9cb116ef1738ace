"""Answers a JSON object with a statement and the names of its keys per line, with the digest of its rows per line.

The folder of the tables' Parquet files is the first argument, their names are the others. The first line that it writes
has the version."""

import json
import sys
import threading

import duckdb

DIGEST = """SELECT count(*)::VARCHAR,
  (SELECT coalesce(sum(md5_number_lower(to_json(t)::VARCHAR)::HUGEINT), 0)::VARCHAR
    FROM (SELECT COLUMNS(*)::VARCHAR FROM answer) AS t),
  coalesce(sum(md5_number_lower({keys})::HUGEINT), 0)::VARCHAR FROM answer AS r"""

WITHIN_SECONDS = 20

folder, *tables = sys.argv[1:]
connection = duckdb.connect(":memory:", config={"threads": 1, "autoload_known_extensions": "false"})
connection.execute("SET TimeZone = 'UTC'")
for table in tables:
    connection.execute(f"CREATE VIEW {table} AS FROM read_parquet('{folder}/{table}.parquet')")


def answer(value):
    print(json.dumps(value), flush=True)


answer({"version": duckdb.__version__})
for line in sys.stdin:
    asked = json.loads(line)
    timer = threading.Timer(WITHIN_SECONDS, connection.interrupt)
    timer.start()
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {asked['sql']}")
        keys = [f"r.{key}::VARCHAR" for key in asked["keys"]]
        written = f"concat_ws('|', {', '.join([*keys, 'r.rowid::VARCHAR'])})" if keys else "''"
        rows, every, in_order = connection.execute(DIGEST.format(keys=written)).fetchone()
        answer({"rows": rows, "any": every, "keys": in_order if keys else ""})
    except (duckdb.Error, RuntimeError) as error:  # an interrupt is a RuntimeError
        answer({"error": str(error).split("\n")[0]})
    finally:
        timer.cancel()
