#!/usr/bin/env bash
# Static models beside the libraries that define them: 1,000 texts through model2vec and sentence-transformers, and over
# HTTP through `openai` from PyPI (3 and 2) and npm, as floats and as base64. Needs `npm run build`. Packages (torch: gigabytes) go to
# a temporary folder; VENV names a Python environment that has them already.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh

venv model2vec==0.10.0 sentence-transformers==6.2.0 openai==3.54.0
npm install --silent --no-save --no-package-lock --prefix "$work" openai@6.49.0

"$VENV/bin/python" test/goldens/static/make.py "$work/models" 1000 96 768
"$VENV/bin/python" test/clients/embeddings_check.py prepare "$work/models"

serve MODELS_DIR="$work/models"

"$VENV/bin/python" test/clients/embeddings_check.py check "$work/models" "$url/v1"
# And the major version before, which many programs have pinned.
"$VENV/bin/pip" install --quiet --disable-pip-version-check --target "$work/openai-2" 'openai>=2,<3'
PYTHONPATH=$work/openai-2 "$VENV/bin/python" test/clients/embeddings_check.py check "$work/models" "$url/v1"
cp test/clients/embeddings_check.mjs "$work"
node "$work/embeddings_check.mjs" "$work/models" "$url/v1"
