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
run='
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read("lectures.ipynb", 4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
count = sum(cell.cell_type == "code" for cell in notebook.cells)
print("lectures.ipynb:", count, "cells, no comparison failed")'
(cd examples && INLET_URL="$url" "$VENV/bin/python" -c "$run")

# Elsewhere: in a folder that has the notebook alone, its first cell takes the package, and starts it.
mkdir "$work/elsewhere" "$work/package"
cp examples/lectures.ipynb "$work/elsewhere"
npm pack --ignore-scripts --silent --pack-destination "$work/package" >/dev/null
package=("$work"/package/*.tgz)
export PORT=18765
export INLET_URL=http://localhost:$PORT INLET_PACKAGE="file://${package[0]}"
INLET_SHA256=$(sha256sum "${package[0]}" | cut -d' ' -f1)
export INLET_SHA256
(cd "$work/elsewhere" && "$VENV/bin/python" -c "$run")
