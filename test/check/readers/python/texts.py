"""Prints the rows of a CSV or NDJSON file as every reader of the format gives them: texts.py FORMAT FILE"""
import json
import sys

file_format, path = sys.argv[1:]


def csv_by_csv():  # up to Python 3.11, it cannot tell NULL from an empty text
    import csv

    with open(path, newline='', encoding='utf-8') as file:
        columns, *rows = csv.reader(file)
    return columns, rows


def csv_by_pandas():  # cannot tell NULL from an empty text
    import pandas

    frame = pandas.read_csv(path, dtype=str, keep_default_na=False, skip_blank_lines=False)
    return list(frame.columns), frame.values.tolist()


def csv_by_pyarrow():
    import pyarrow
    from pyarrow import csv

    texts = {name: pyarrow.string() for name in csv_by_csv()[0]}
    nulls = {'strings_can_be_null': True, 'quoted_strings_can_be_null': False, 'null_values': ['']}
    table = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=texts, **nulls),
    )
    return table.column_names, list(zip(*(column.to_pylist() for column in table.columns)))


def csv_by_polars():
    import polars

    frame = polars.read_csv(path, infer_schema=False)
    return frame.columns, frame.rows()


def csv_by_duckdb():
    import duckdb

    relation = duckdb.sql('FROM read_csv(?, header = true, all_varchar = true, allow_quoted_nulls = false)', params=[path])
    return relation.columns, relation.fetchall()


def ndjson_by_json():
    with open(path, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file]
    return list(rows[0]), [list(row.values()) for row in rows]


def ndjson_by_pandas():
    import pandas

    frame = pandas.read_json(path, lines=True, dtype=False)
    frame = frame.astype(object).where(frame.notna(), None)  # NaN stands for NULL
    return list(frame.columns), frame.values.tolist()


def ndjson_by_polars():
    import polars

    frame = polars.read_ndjson(path, schema={name: polars.String for name in ndjson_by_json()[0]})
    return frame.columns, frame.rows()


def ndjson_by_duckdb():
    import duckdb

    types = {name: 'JSON' for name in ndjson_by_json()[0]}
    relation = duckdb.sql('FROM read_json(?, columns = ?)', params=[path, types])
    values = [[None if value is None else json.loads(value) for value in row] for row in relation.fetchall()]
    return relation.columns, values


answers = {}
for name, read in [*globals().items()]:
    if name.startswith(f'{file_format}_by_'):
        try:
            columns, rows = read()
            answers[name.split('_by_')[1]] = {'columns': list(columns), 'rows': [list(row) for row in rows]}
        except BaseException as error:
            answers[name.split('_by_')[1]] = {'error': f'{type(error).__name__}: {error}'}
print(json.dumps(answers))
