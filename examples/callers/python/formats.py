"""Exports the same rows in every format, and reads each file with libraries that suit it."""

import duckdb
import pandas
import polars
import pyarrow.ipc
from analytics import Analytics

service = Analytics()
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")
sql = "SELECT * FROM fold_pressures"
for name in ("parquet", "csv", "ndjson", "arrow", "xlsx"):
    service.export(project["projectId"], sql, f"pressures.{name}", format=name)  # open pressures.xlsx in Excel


def sum_in_duckdb(table: str) -> float:
    return duckdb.sql(f"SELECT sum(net) FROM {table}").fetchall()[0][0]


sums = {
    # Only an empty field is missing, and not a text such as "NA"; pandas cannot tell an empty text from NULL.
    "pandas, csv": pandas.read_csv("pressures.csv", keep_default_na=False, na_values=[""])["net"].sum(),
    "pandas, ndjson": pandas.read_json("pressures.ndjson", lines=True, dtype=False)["net"].sum(),
    "pandas, arrow": pyarrow.ipc.open_stream("pressures.arrow").read_pandas(types_mapper=pandas.ArrowDtype)["net"].sum(),
    "polars, csv": polars.read_csv("pressures.csv", infer_schema_length=None)["net"].sum(),
    "polars, arrow": polars.read_ipc_stream("pressures.arrow")["net"].sum(),
    "polars, parquet": polars.read_parquet("pressures.parquet")["net"].sum(),
    # Quoted, an empty text is none of the NULLs.
    "duckdb, csv": sum_in_duckdb("read_csv('pressures.csv', allow_quoted_nulls = false)"),
    "duckdb, ndjson": sum_in_duckdb("read_json('pressures.ndjson')"),
    "duckdb, parquet": sum_in_duckdb("read_parquet('pressures.parquet')"),
}
for reader, net in sums.items():
    print(f"{reader}: {net:.3f}")
