"""Exports a SELECT, compares it with the file kept from the last run, prints what changed, and keeps the new file."""

import os
import sys

import duckdb
from analytics import Analytics

# Sums are rounded, because their last digits may depend on the order of the rows.
SQL = """SELECT pressure_indicator, unit, ipbes_pressure, biome, scope, round(net, 6) AS net, sites
FROM fold_pressures"""
KEY = ["pressure_indicator", "unit", "ipbes_pressure", "biome", "scope"]  # the columns that tell rows apart
KEPT, NEW = "pressures-kept.parquet", "pressures-new.parquet"


def about(path: str) -> dict:
    """What the service wrote into the file about its rows."""
    pairs = duckdb.execute("SELECT key, value FROM parquet_kv_metadata(?)", [path]).fetchall()
    return {key.decode().removeprefix("foldgate."): value.decode() for key, value in pairs}


def check_alike(kept: str, new: str) -> None:
    """Ends the program if the rows of two files cannot be compared."""
    before, after = about(kept), about(new)
    for name in ("project_id", "sql", "entity_id", "ownership_view"):
        if before.get(name) != after.get(name):
            sys.exit(f"{kept} has another {name}, {before.get(name)!r}: remove it to start again")
    columns = [duckdb.execute("DESCRIBE FROM read_parquet(?)", [path]).fetchall() for path in (kept, new)]
    if columns[0] != columns[1]:
        sys.exit(f"{kept} has other columns or types: remove it to start again")
    twice = f"SELECT 1 FROM read_parquet(?) GROUP BY {', '.join(KEY)} HAVING count(*) > 1"
    for path in (kept, new):
        if duckdb.execute(twice, [path]).fetchall():
            sys.exit(f"{path} has several rows of the same {', '.join(KEY)}: choose another KEY")
    print(f"from {before['snapshot_id']}, sealed {before['sealed_at']}")
    print(f"to   {after['snapshot_id']}, sealed {after['sealed_at']}")


def changes(kept: str, new: str) -> list:
    """The old and the new row of each key whose rows differ; None where there is none."""
    alike = " AND ".join(f"a.row.{name} IS NOT DISTINCT FROM b.row.{name}" for name in KEY)
    rows = "(SELECT t AS row FROM read_parquet(?) AS t)"
    differ = f"SELECT a.row, b.row FROM {rows} a FULL JOIN {rows} b ON {alike} WHERE a.row IS DISTINCT FROM b.row"
    return duckdb.execute(differ, [kept, new]).fetchall()


service = Analytics()
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")
service.export(project["projectId"], SQL, NEW)
if os.path.exists(KEPT):
    check_alike(KEPT, NEW)
    for old, row in changes(KEPT, NEW):
        if old and row:
            changed = [f"{name}: {old[name]} -> {row[name]}" for name in row if str(old[name]) != str(row[name])]
            print("changed", [row[name] for name in KEY], *changed)
        else:
            print("added" if row else "removed", list((row or old).values()))
os.replace(NEW, KEPT)
