#!/usr/bin/env bash
# Those who ask for ids before an engine does, unchanged. Needs `npm run build` and `npm run build:modules`.
# - LLMD_ROUTER, a checkout of llm-d-router, and go: its own client of vLLM's /render, against the ids of transformers.
# VENV names a Python environment with transformers; else it is made in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh
own=test/clients/render

node $own/make_model.mjs "$work/models/render" packages/chat-template/test/goldens/tools.jinja
serve MODELS_DIR="$work/models"

if [ -n "${LLMD_ROUTER:-}" ]; then
  venv transformers==5.23.0
  "$VENV/bin/python" $own/expected.py "$work/models/render" >"$work/expected.json"
  package=pkg/epp/framework/plugins/requestcontrol/dataproducer/tokenizer
  mkdir "$work/router"
  cp -R "$LLMD_ROUTER/." "$work/router"
  cp $own/inlet_live_test.go "$work/router/$package/"
  (cd "$work/router" && INLET_URL=$url INLET_EXPECTED=$work/expected.json go test -count=1 "./$package/" -run 'TestInlet|VLLMHTTP' -v)
else
  echo "LLMD_ROUTER is not set: llm-d-router's client is left out"
fi
