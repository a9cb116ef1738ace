"""Reads an export by its URL with pandas, polars and DuckDB. Each sends the key, and downloads the file once."""

import os

import duckdb
import pandas
import polars
import requests
from analytics import Analytics

service = Analytics()
key = os.environ["FOLDGATE_KEY"]
header = {"Authorization": f"Bearer {key}"}
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")
url = service.link(project["projectId"], "SELECT * FROM fold_pressures")

print("pandas", len(pandas.read_parquet(url, storage_options=header, dtype_backend="pyarrow")))

# polars sends no headers to a URL, and needs Range, which the service ignores: give it the bytes.
response = requests.get(url, headers=header, timeout=60)
response.raise_for_status()
print("polars", len(polars.read_parquet(response.content)))

# DuckDB loads its extension httpfs, and downloads that if it is not installed.
database = duckdb.connect()
database.execute("CREATE SECRET (TYPE http, BEARER_TOKEN ?, SCOPE ?)", [key, service.url])  # sent to the service only
database.execute("SET force_download = true")  # asks once for the whole file, not several times for a range
print("duckdb", database.execute("SELECT count(*) FROM read_parquet(?)", [url]).fetchall()[0][0])
