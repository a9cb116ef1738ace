"""Installs DuckDB's extension httpfs from its package into the home folder."""

from importlib.resources import files

import duckdb

folder = files("duckdb_extension_httpfs") / "extensions" / f"v{duckdb.__version__}"
duckdb.execute(f"INSTALL '{folder / 'httpfs.duckdb_extension'}'")
