#!/usr/bin/env bash
# The Open Inference Protocol with the clients that people have: every method of `tritonclient[http]`, sync and asyncio, and
# KServe's `InferenceRESTClient`, against the service, whose numbers over /v1 are the expected ones; and the lines of
# docs/kserve.md. Needs `npm run build`.
# Packages (KServe brings a kubernetes client and pandas) go to a temporary folder; VENV names a Python environment that
# has them already.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

venv 'tritonclient[http]==2.73.*' aiohttp 'kserve==0.21.*' requests

serve

for check in triton_sync triton_async kserve_rest document; do
  (cd test/clients/oip && "$VENV/bin/python" "$check.py" "${url#http://}")
done
