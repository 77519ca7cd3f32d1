#!/usr/bin/env bash
# Runs the notebook of the lectures from its first cell to its last: each comparison with torch is an assertion in it.
# Needs `npm run build` and Python; VENV names an environment with the packages, else one is made (gigabytes).
# COURSE_TEXT names the lectures' text; without it the notebook takes docs/sample.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh
venv numpy torch safetensors matplotlib nbclient ipykernel
export ADMIN_KEY=an-admin-key-of-32-characters-00
serve
cd examples
INLET_URL="$url" "$VENV/bin/python" - <<'PYTHON'
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read("lectures.ipynb", 4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
print("examples/lectures.ipynb:", sum(cell.cell_type == "code" for cell in notebook.cells), "cells, no comparison failed")
PYTHON
