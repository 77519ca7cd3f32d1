#!/usr/bin/env bash
# Runs the lines that the explorer prints for Python and PyTorch, as they are printed: their arrays are the service's,
# bit for bit. Needs `npm run build` and Python with venv; packages go to a temporary folder. WITH_TORCH=1 also installs
# torch (gigabytes); VENV names a Python environment that has the packages already.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh

venv numpy requests ${WITH_TORCH:+torch}

mkdir -p "$work/models/small-spread" "$work/models/bert" "$work/snippets"
cp -r models/tiny "$work/models"
echo '{ "embedding_dim": 16, "seed": 7, "init_std": 0.02 }' >"$work/models/small-spread/inlet.json"
echo '{ "embedding_dim": 16, "architecture": "bert" }' >"$work/models/bert/inlet.json"

serve MODELS_DIR="$work/models" EMBEDDING_DIM=64
until curl -sf "$url/health/ready" >"$work/ready"; do kill -0 "$server"; sleep 0.1; done

node test/clients/snippets_print.mjs "$url" "$work/snippets"
"$VENV/bin/python" test/clients/snippets_check.py "$work/snippets"
