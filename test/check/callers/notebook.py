"""Validates a notebook, runs it, and prints the output of its cells."""

import os
import sys

import nbformat
from nbclient import NotebookClient

path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
nbformat.validate(notebook)
# It imports modules from its own folder, but writes its files to the current one.
os.environ["PYTHONPATH"] = os.path.dirname(path)
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text") or output["data"].get("text/plain"))
