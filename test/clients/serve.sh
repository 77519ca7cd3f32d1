# To be sourced: `serve WORK [NAME=VALUE …]` starts the service on a free port of loopback and sets `server` (its process)
# and `url` when it listens; the log is WORK/server.log. Who sources it ends the process. Needs `npm run build`.
serve() {
  local work=$1
  shift
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
