"""Prints the rows of a Parquet file or Arrow stream in the normal form of the suite: read.py READER FILE LEFT_OUT"""
import base64
import datetime
import decimal
import json
import math
import sys

import numpy

reader, path, left_out = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def normal(value):
    """A value as pages have it, but numbers as text."""
    if isinstance(value, numpy.ndarray):
        return [normal(item) for item in value]
    if isinstance(value, numpy.generic) and not isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        return normal(str(value) if isinstance(value, numpy.float32) else value.item())
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [normal(item) for item in value]
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return 'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'
    if isinstance(value, decimal.Decimal):
        return format(value, 'f')
    if isinstance(value, datetime.timedelta):  # fastparquet's TIME
        return normal((datetime.datetime.min + value).time())
    if isinstance(value, datetime.datetime):
        zoned = value.tzinfo is not None
        plain = value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if zoned else value
        return trimmed(plain.isoformat()) + ('Z' if zoned else '')
    if isinstance(value, datetime.time):
        return trimmed(value.isoformat())
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f'{type(value)} has no normal form')


def trimmed(text):
    return text.rstrip('0').rstrip('.') if '.' in text else text


def of_arrow(table):
    return list(zip(*(column.to_pylist(maps_as_pydicts='strict') for column in table.columns)))


def with_pyarrow(columns):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path, columns=columns)
    return table.column_names, of_arrow(table)


def with_pyarrow_stream(columns):
    import pyarrow.ipc

    table = pyarrow.ipc.open_stream(path).read_all()
    table = table.select(columns) if columns else table
    return table.column_names, of_arrow(table)


def with_polars_stream(columns):
    import polars

    frame = polars.read_ipc_stream(path, columns=columns)
    return frame.columns, frame.rows()


def with_pandas(columns):
    import pandas
    import pyarrow

    frame = pandas.read_parquet(path, columns=columns, dtype_backend='pyarrow')
    return list(frame.columns), of_arrow(pyarrow.Table.from_pandas(frame, preserve_index=False))


def with_polars(columns):
    import polars

    frame = polars.read_parquet(path, columns=columns)
    return frame.columns, frame.rows()


def with_duckdb(columns):
    import duckdb

    duckdb.sql("SET TimeZone = 'UTC'")
    chosen = ', '.join('"' + name.replace('"', '""') + '"' for name in columns) if columns else '*'
    relation = duckdb.sql(f'SELECT {chosen} FROM read_parquet(?)', params=[path])
    return relation.columns, relation.fetchall()


def with_fastparquet(columns):
    import fastparquet

    frame = fastparquet.ParquetFile(path).to_pandas(columns=columns)
    # NULL is NaN, NaT or NA there, but NaN may be NaN in a column of numbers.
    numbers = frame.select_dtypes('floating').columns
    kept = frame.astype(object).where(frame.notna() | frame.columns.isin(numbers), None)
    return list(kept.columns), list(kept.itertuples(index=False, name=None))


def names():
    import pyarrow.ipc
    import pyarrow.parquet

    of_stream = reader.endswith('_stream')
    return (pyarrow.ipc.open_stream(path).schema if of_stream else pyarrow.parquet.read_schema(path)).names


def read(columns):
    found, rows = globals()[f'with_{reader}'](columns)
    return {'columns': found, 'rows': [[normal(value) for value in row] for row in rows]}


def apart(column):
    """What a column that is left out gives by itself."""
    try:
        return [row[0] for row in read([column])['rows']]
    except BaseException as error:
        return {'error': f'{type(error).__name__}: {error}'}


answer = read([name for name in names() if name not in left_out] if left_out else None)
answer['apart'] = {column: apart(column) for column in left_out}
print(json.dumps(answer))
