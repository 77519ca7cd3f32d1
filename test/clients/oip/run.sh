#!/usr/bin/env bash
# The Open Inference Protocol with the clients that people have: every method of `tritonclient[http]`, sync and asyncio, and
# KServe's `InferenceRESTClient`, against the service, whose numbers over /v1 are the expected ones. Needs `npm run build`.
# Packages (KServe brings a kubernetes client and pandas) go to a temporary folder; VENV names a Python environment that
# has them already.
set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

if [ -z "${VENV:-}" ]; then
  VENV=$work/venv
  ${PYTHON:-python3} -m venv "$VENV"
  "$VENV/bin/pip" install --quiet --disable-pip-version-check \
    'tritonclient[http]==2.73.*' aiohttp 'kserve==0.21.*' requests
fi

export ADMIN_KEY=the-key-of-this-check-alone
HOST=127.0.0.1 PORT=0 node dist/server.js >"$work/server.log" &
server=$!
port=
while [ -z "$port" ]; do
  kill -0 "$server" # ends the script where the service has ended
  port=$(sed -nE 's|.*Server listening at http://127\.0\.0\.1:([0-9]+).*|\1|p' "$work/server.log")
  sleep 0.1
done

for check in triton_sync triton_async kserve_rest; do
  (cd test/clients/oip && "$VENV/bin/python" "$check.py" "127.0.0.1:$port")
done
