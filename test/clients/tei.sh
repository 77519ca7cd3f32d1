#!/usr/bin/env bash
# Clients of Text Embeddings Inference and of Cohere, unchanged, against static models. Needs `npm run build`. Packages go to
# a temporary folder; VENV names a Python environment that has them already.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh

venv numpy openai huggingface_hub langchain-huggingface langchain-openai tiktoken haystack-ai huggingface-api-haystack \
  llama-index-embeddings-text-embeddings-inference cohere litellm

export TIKTOKEN_CACHE_DIR=$work/tiktoken LITELLM_LOCAL_MODEL_COST_MAP=True
node test/clients/tiktoken_cache.mjs "$TIKTOKEN_CACHE_DIR" cl100k_base

serve MODELS_DIR="$PWD/test/goldens/static"

HF_HUB_DISABLE_TELEMETRY=1 HAYSTACK_TELEMETRY_ENABLED=false "$VENV/bin/python" test/clients/tei_check.py "$url" wide
