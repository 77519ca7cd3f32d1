#!/usr/bin/env bash
# Reads a dataset through torch's DataLoader and torchdata's StatefulDataLoader: 0 to 4 workers, forked and spawned,
# persistent or not, stopped and resumed; each window once, in the order of the bare loop. Needs `npm run build` and
# Python; VENV names an environment with torch and torchdata, else one is made (gigabytes).
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh
venv numpy torch torchdata
serve
PYTHONPATH=clients/python/src "$VENV/bin/python" test/clients/loaders/check.py "$url"
