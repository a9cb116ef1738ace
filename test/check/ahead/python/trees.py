"""Reads a JSON array of texts per line, and writes the trees that DuckDB makes of them, as a JSON array per line.

The first line that it writes has the version and the settings by which the parser may read other dialects."""

import json
import sys

import duckdb

connection = duckdb.connect(":memory:", config={"threads": 1, "autoload_known_extensions": "false"})
SETTINGS = """SELECT name, value FROM duckdb_settings()
  WHERE regexp_matches(name, 'dialect|grammar|peg') ORDER BY name"""


def answer(value):
    print(json.dumps(value), flush=True)


answer({"version": duckdb.__version__, "settings": dict(connection.execute(SETTINGS).fetchall())})
for line in sys.stdin:
    trees = []
    for text in json.loads(line):
        try:
            row = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [text]).fetchone()
            trees.append(row[0])
        except duckdb.Error:
            trees.append(None)
    answer(trees)
