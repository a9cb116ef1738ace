"""Prints the cells of a workbook as pages have their values, and what is said of them: workbook.py FILE"""
import datetime
import json
import sys

import openpyxl
from openpyxl.utils.escape import unescape


def paged(cell):
    """The value of a cell; openpyxl leaves what Excel escapes in texts, and makes a datetime of any date."""
    value = cell.value
    if isinstance(value, str):
        return unescape(value)
    if isinstance(value, datetime.datetime):
        text = value.isoformat(timespec='milliseconds')
        return text[:10] if 'hh' not in cell.number_format else trimmed(text) + cell.number_format.endswith('"Z"') * 'Z'
    if isinstance(value, datetime.time):
        return trimmed(value.isoformat(timespec='milliseconds'))
    return value


def trimmed(text):
    return text.rstrip('0').rstrip('.')


book = openpyxl.load_workbook(sys.argv[1])
sheet, about = book.worksheets
names, *rows = sheet.iter_rows()
print(json.dumps({
    'columns': [unescape(cell.value) for cell in names],
    'rows': [[paged(cell) for cell in row] for row in rows],
    'types': sorted({cell.data_type for row in sheet.iter_rows() for cell in row}),
    'bold': all(cell.font.b for cell in names),
    'frozen': sheet.freeze_panes,
    'filter': sheet.auto_filter.ref,
    'about': [[cell.value for cell in row] for row in about.iter_rows()],
}))
