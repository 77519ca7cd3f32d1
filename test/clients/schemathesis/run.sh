#!/usr/bin/env bash
# Starts the service on a free port and lets Schemathesis look for answers that openapi.yaml does not allow.
# Needs Python 3 and PyPI; the packages go to a folder that is removed; VENV names a Python environment that has them already. Built already: npm run build.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

venv schemathesis==4.32.5

# Small limits: a generated request may ask for gigabytes.
serve THREADS=1 ADMIN_KEY=operator MAX_JSON_RESPONSE_BYTES=4000000 MAX_RESPONSE_BYTES=4000000

config=$PWD/test/clients/schemathesis/schemathesis.toml
export PYTHONPATH=$PWD/test/clients/schemathesis SCHEMATHESIS_HOOKS=hooks
cd "$work" # it keeps a cache where it stands
"$VENV/bin/schemathesis" --config-file "$config" run "$url/openapi.json" --warnings off "$@"
