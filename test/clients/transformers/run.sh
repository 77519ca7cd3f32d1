#!/usr/bin/env bash
# Folders beside transformers itself: run.sh [FAMILY …]. Needs `npm run build` and Python 3.10 or later; the packages
# (6 GB with torch) go to a virtual environment in the system's temporary folder, which the next run uses again.
# FEW: random folders a family (5; four times as many where rows are scaled, normalised or projected).
set -euo pipefail
cd "$(dirname "$0")"

home="${TMPDIR:-/tmp}/inlet-transformers"
python="$home/venv/bin/python"
if ! "$python" -c 'import torch, transformers; assert transformers.__version__ == "5.23.0"' 2>/dev/null; then
  "${PYTHON:-python3}" -m venv "$home/venv"
  "$python" -m pip install --quiet --disable-pip-version-check transformers==5.23.0 torch numpy safetensors
fi

export HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
failed=0
"$python" compare.py "$home/models" "$@" || failed=1
"$python" positions.py "$home/positions" || failed=1
"$python" biases.py "$home/biases" || failed=1
"$python" logits.py "$home/logits" || failed=1
exit "$failed"
