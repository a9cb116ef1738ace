"""Checks a notebook, runs it where it lies, and prints what its cells put out."""

import os
import sys

import nbformat
from nbclient import NotebookClient

path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
nbformat.validate(notebook)
# Its modules lie beside it, and what it writes goes to where this runs.
os.environ["PYTHONPATH"] = os.path.dirname(path)
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text") or output["data"].get("text/plain"))
