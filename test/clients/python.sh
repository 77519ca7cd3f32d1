#!/usr/bin/env bash
# Starts the service and checks its answers with the libraries that Python callers use: what the README says,
# run as it stands there. Needs `npm run build` and Python with venv; packages go to a temporary folder.
# WITH_TORCH=1 also installs torch and transformers (gigabytes) and checks what the README says of them.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

${PYTHON:-python3} -m venv ${WITH_SYSTEM_PACKAGES:+--system-site-packages} "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy requests safetensors \
  ${WITH_TORCH:+torch transformers} ${PIP_EXTRA:-}

HOST=127.0.0.1 PORT=0 node dist/server.js >"$work/server.log" &
server=$!
port=
while [ -z "$port" ]; do
  kill -0 "$server" # ends the script where the service has ended
  port=$(sed -nE 's|.*Server listening at http://127\.0\.0\.1:([0-9]+).*|\1|p' "$work/server.log")
  sleep 0.1
done

"$work/venv/bin/python" test/clients/python_check.py "http://127.0.0.1:$port" README.md
