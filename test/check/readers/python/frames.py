"""Computes with an exported file in pandas, and merges it with rows of pages: frames.py FILE ROWS"""
import json
import sys

import pandas

frame = pandas.read_parquet(sys.argv[1])
rows = pandas.DataFrame(json.loads(sys.argv[2]))
merged = frame.merge(rows, on='id', suffixes=('', '_of_pages'))
print(json.dumps({'products': (frame['n'] * 1.5).tolist(), 'merged': (merged['n'] - merged['n_of_pages']).tolist()}))
