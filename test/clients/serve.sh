# To be sourced by a check with clients, in the project's folder. Needs `npm run build`.
#
# `work` is a folder of the check's own, gone when it ends, and with it the service.
# `serve [NAME=VALUE …]` starts the service on a free port of loopback and sets `url` when it listens; work/server.log
# is its log.
# `venv PACKAGE …` sets VENV to a Python environment that has them, unless VENV names one already. PYTHON makes it.
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

serve() {
  : >"$work/server.log"
  env "$@" HOST=127.0.0.1 PORT=0 node dist/server.js >"$work/server.log" &
  server=$!
  url=
  while [ -z "$url" ]; do
    kill -0 "$server" # ends the script where the service has ended
    url=$(sed -nE 's|.*Server listening at (http://127\.0\.0\.1:[0-9]+).*|\1|p' "$work/server.log")
    sleep 0.1
  done
}

venv() {
  [ -z "${VENV:-}" ] || return 0
  VENV=$work/venv
  ${PYTHON:-python3} -m venv ${WITH_SYSTEM_PACKAGES:+--system-site-packages} "$VENV"
  "$VENV/bin/pip" install --quiet --disable-pip-version-check "$@"
}
