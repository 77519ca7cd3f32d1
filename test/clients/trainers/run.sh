#!/usr/bin/env bash
# Trained vocabularies beside those of tokenizers and rustbpe from PyPI, and ids beside tokenizers and tiktoken: corpora ×
# sizes × patterns, and random texts and options. Needs `npm run build`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

venv tokenizers==0.23.3 rustbpe==0.1.0 tiktoken==0.14.0
"$VENV/bin/python" test/clients/trainers/compare.py "$@"
