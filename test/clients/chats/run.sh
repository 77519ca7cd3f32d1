#!/usr/bin/env bash
# Chats under the templates that trl ships, and under those of the folders in TEMPLATES: their masks beside transformers' own
# (`tags`), beside the law in plain Python (`sampled`), and beside trl's hand-tagged copies and collator. Needs `npm run build`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

venv transformers==5.24.0 tokenizers==0.23.3 jinja2 torch trl==1.16.0
trl=("$VENV"/lib/python3*/site-packages/trl/chat_templates)
"$VENV/bin/python" test/clients/chats/folders.py "$work/models" "${trl[0]}" ${TEMPLATES:-}
serve MODELS_DIR="$work/models" DATA_DIR="$work/data" MODELS_STRICT=0
"$VENV/bin/python" test/clients/chats/compare.py "$url" "$work/models"
"$VENV/bin/python" test/clients/chats/loss.py "$url" "$work/models"
