#!/usr/bin/env bash
# Starts the service on a free port and lets Schemathesis look for answers that openapi.yaml does not allow.
# Needs Python 3 and PyPI; the packages go to a folder that is removed. Built already: npm run build.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

work=$(mktemp -d)
server=
finish() {
  cd /
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

if [ -z "${SCHEMATHESIS:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet schemathesis==4.32.5
  SCHEMATHESIS="$work/venv/bin/schemathesis"
fi

# Small limits: a generated request may ask for gigabytes.
serve "$work" THREADS=1 ADMIN_KEY=operator MAX_JSON_RESPONSE_BYTES=4000000 MAX_RESPONSE_BYTES=4000000

config=$PWD/test/clients/schemathesis/schemathesis.toml
cd "$work" # it keeps a cache where it stands
"$SCHEMATHESIS" --config-file "$config" run "$url/openapi.json" --warnings off "$@"
