"""Rewrites the file that changes.py keeps as if an earlier snapshot had had other rows, and writes files like it that
cannot be compared."""

import duckdb

KEPT = "pressures-kept.parquet"
rows = f"(FROM read_parquet('{KEPT}') ORDER BY ALL)"
first, second, third = duckdb.execute(f"FROM {rows} LIMIT 3").fetchall()
# The first row was not there yet, the second had another value, and the third was there twice, in two units.
duckdb.execute(f"CREATE TABLE earlier AS SELECT row_number() OVER () AS place, * FROM {rows}")
duckdb.execute("DELETE FROM earlier WHERE place = 1")
duckdb.execute("UPDATE earlier SET net = net + 1, sites = sites + 2 WHERE place = 2")
duckdb.execute("INSERT INTO earlier SELECT * REPLACE ('other unit' AS unit) FROM earlier WHERE place = 3")
pairs = duckdb.execute("SELECT key, value FROM parquet_kv_metadata(?)", [KEPT]).fetchall()
metadata = {key.decode(): value.decode() for key, value in pairs} | {"foldgate.snapshot_id": "000000-earlier"}


def write(path: str, rows: str = "SELECT * EXCLUDE place FROM earlier", **other: str) -> None:
    given = metadata | {f"foldgate.{name}": value for name, value in other.items()}
    written = ", ".join("'{}': '{}'".format(key, value.replace("'", "''")) for key, value in given.items())
    duckdb.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, KV_METADATA {{{written}}})")


write(KEPT)
write("sql.parquet", sql="SELECT 1")
write("view.parquet", ownership_view="gross")
write("columns.parquet", "SELECT * EXCLUDE (place, sites) FROM earlier")
write("twice.parquet", "SELECT * EXCLUDE (place, n) FROM earlier, range(2) AS t(n)")
key = list(second[:5])
print("added", list(first))
print("changed", key, f"net: {second[5] + 1} -> {second[5]}", f"sites: {second[6] + 2} -> {second[6]}")
print("removed", [third[0], "other unit", *third[2:]])
