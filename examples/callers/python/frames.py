"""Reads one export with pandas, polars and DuckDB, a frame with the types of its columns, and a few rows."""

import duckdb
import pandas
import polars
from analytics import Analytics, AnalyticsError

service = Analytics()
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")
print(project["name"])

# A few rows come as pages of JSON.
drivers = "SELECT ipbes_pressure, value FROM dash_ipbes ORDER BY value DESC NULLS LAST, ipbes_pressure"
print(pandas.DataFrame(service.rows(project["projectId"], drivers)))

# A frame has the types of the columns, even without rows.
below = {"sql": "SELECT * FROM fold_pressures WHERE net < $most", "parameters": {"most": 0}}
print(service.frame(project["projectId"], **below).dtypes)

# Many rows come as a Parquet file, which any of these libraries reads.
path = service.export(project["projectId"], "SELECT * FROM fold_pressures", "pressures.parquet")

with_pandas = pandas.read_parquet(path).groupby("pressure_indicator")["net"].sum()
print("pandas", round(with_pandas["co2e"], 3))

with_polars = polars.scan_parquet(path).filter(polars.col("pressure_indicator") == "co2e")
print("polars", round(with_polars.select(polars.col("net").sum()).collect().item(), 3))

with_duckdb = duckdb.sql(f"SELECT sum(net) FROM '{path}' WHERE pressure_indicator = 'co2e'").fetchall()
print("duckdb", round(with_duckdb[0][0], 3))

try:
    service.frame(project["projectId"], "SELECT nett FROM fold_pressures")
except AnalyticsError as error:
    if error.error_class != "INVALID_QUERY":
        raise
    print(error, error.data)  # with the line, the column and a hint
