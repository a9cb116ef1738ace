"""Checks what readers of URLs do with an export that is larger than what they read at once."""

import io
import os

import duckdb
import fsspec
import pandas
import polars
import pyarrow.parquet
from analytics import Analytics

ROWS = 300_000
service = Analytics()
key = os.environ["FOLDGATE_KEY"]
header = {"Authorization": f"Bearer {key}"}
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")["projectId"]
url = service.link(project, f"SELECT range AS id, md5(range::VARCHAR) AS label FROM range({ROWS})")


def fails(read) -> bool:
    try:
        read()
    except Exception:
        return True
    return False


assert len(pandas.read_parquet(url, storage_options=header)) == ROWS

assert fails(lambda: polars.read_parquet(url, storage_options=header))
assert fails(lambda: polars.scan_parquet(url, storage_options=header).collect())

web = fsspec.filesystem("http", headers=header)
assert web.size(url) > web.open(url).blocksize
assert fails(lambda: pyarrow.parquet.read_table(web.open(url)))
assert pyarrow.parquet.read_table(io.BytesIO(web.cat(url))).num_rows == ROWS

# With the default settings, DuckDB asks for ranges before it asks for the whole file.
duckdb.execute("CREATE SECRET (TYPE http, BEARER_TOKEN ?, SCOPE ?)", [key, service.url])
assert duckdb.execute("SELECT count(*) FROM read_parquet(?)", [url]).fetchall() == [(ROWS,)]
assert fails(lambda: duckdb.execute(f"SELECT count(*) FROM '{url}'"))  # the path has no .parquet at its end
print("as expected")
