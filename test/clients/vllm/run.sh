#!/usr/bin/env bash
# Torch files and prompt embeds beside PyTorch and transformers, and the lines of docs/vllm.md. Needs
# `npm run build` and Python 3.10 or later; the packages (6 GB with torch) go to the virtual environment of
# test/clients/transformers.
set -euo pipefail
cd "$(dirname "$0")"

home="${TMPDIR:-/tmp}/inlet-transformers"
python="${PYTHON_WITH_TORCH:-$home/venv/bin/python}"
if ! "$python" -c 'import torch, transformers; assert transformers.__version__ == "5.23.0"' 2>/dev/null; then
  "${PYTHON:-python3}" -m venv "$home/venv"
  "$python" -m pip install --quiet --disable-pip-version-check transformers==5.23.0 torch numpy safetensors
fi
"$python" -c 'import requests' 2>/dev/null ||
  "$python" -m pip install --quiet --disable-pip-version-check requests

export HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore PYTHONPATH="$PWD/../transformers"
failed=0
"$python" files.py "$home/vllm" || failed=1
"$python" generate.py "$home/vllm" || failed=1
"$python" document.py "$home/vllm" || failed=1
exit "$failed"
