# Shared by the scripts here: where everything lies, and how processes are started, awaited and stopped.
place=${CLUSTER_DIR:-${TMPDIR:-/tmp}/inlet-cluster}
mkdir -p "$place"
export DOCKER_HOST=${DOCKER_HOST:-unix://$place/docker.sock}

# installed COMMAND PACKAGE…: installs Debian's packages where the command is missing.
installed() {
  command -v "$1" > /dev/null && return
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${@:2}" > /dev/null
}

# within SECONDS COMMAND…: tries the command twice a second until it succeeds.
within() {
  local tries=$((2 * $1))
  shift
  until "$@" > /dev/null 2>&1; do
    ((tries-- > 0)) || return 1
    sleep 0.5
  done
}

# stop NAME: ends the process whose id NAME.pid holds.
stop() {
  [ -f "$place/$1.pid" ] || return 0
  kill "$(cat "$place/$1.pid")" 2> /dev/null || true
  rm -f "$place/$1.pid"
}
