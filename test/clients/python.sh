#!/usr/bin/env bash
# Starts the service and checks its answers with the libraries that Python callers use: what docs/api.md says,
# run as it stands there. Needs `npm run build` and Python with venv; packages go to a temporary folder.
# WITH_TORCH=1 also installs torch and transformers (gigabytes) and checks what the README says of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh

venv numpy requests safetensors ${WITH_TORCH:+torch transformers} ${PIP_EXTRA:-}

serve

"$VENV/bin/python" test/clients/python_check.py "$url" docs/api.md
