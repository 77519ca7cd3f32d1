#!/usr/bin/env bash
# The list of model types beside the newest transformers, of which pip downloads the wheel alone (14 MB).
set -euo pipefail
cd "$(dirname "$0")/../.."
${PYTHON:-python3} test/clients/model_types.py
