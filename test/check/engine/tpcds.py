"""Writes the tables of TPC-DS as CSV, and its statements and columns as JSON, into the folder that is named."""

import json
import sys
from pathlib import Path

import duckdb
import duckdb_extension_tpcds

folder = Path(sys.argv[1])
[extension] = Path(duckdb_extension_tpcds.__file__).parent.rglob("*.duckdb_extension")
engine = duckdb.connect()
engine.execute(f"INSTALL '{extension}'")
engine.execute("LOAD tpcds")
engine.execute("CALL dsdgen(sf = 0.01)")
columns = {}
for table, name, kind in engine.execute(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index"
).fetchall():
    columns.setdefault(table, {})[name] = kind
for table in columns:
    engine.execute(f"COPY {table} TO '{folder / table}.csv' (HEADER)")
statements = [statement for _, statement in engine.execute("FROM tpcds_queries()").fetchall()]
(folder / "tpcds.json").write_text(json.dumps({"columns": columns, "statements": statements}))
