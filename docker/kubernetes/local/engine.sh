#!/usr/bin/env bash
# engine.sh up | base | down
#
# A Docker engine of its own for the local cluster, and a node:24-slim made here for machines that reach Debian's and
# npm's packages but no registry of images. Where a Docker engine runs already, none of this is needed.
set -euo pipefail
. "$(dirname "$0")/place.sh"

up() {
  installed dockerd docker.io
  if ! docker info > /dev/null 2>&1; then
    setsid dockerd --host "$DOCKER_HOST" --data-root "$place/docker" --exec-root "$place/docker-run" \
      --pidfile "$place/dockerd.pid" > "$place/dockerd.log" 2>&1 < /dev/null &
    within 30 docker info || { tail -n 5 "$place/dockerd.log" >&2; exit 1; }
  fi
  echo "export DOCKER_HOST=$DOCKER_HOST"
}

# Debian's smallest system, and the binary of npm's package `node`, under the name that the Dockerfile asks for.
base() {
  installed debootstrap debootstrap
  local root=$place/base mirror binary npm
  rm -rf "$root" "$place/node"
  # The mirror that this machine installs from, in either notation of Debian's.
  mirror=$( (cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null || true) |
    awk '$1 == "URIs:" { print $2; exit } $1 == "deb" { print $2; exit }')
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" > "$place/base.log"

  npm install --silent --no-audit --no-fund --prefix "$place/node" node@24
  binary=$(find "$place/node/node_modules" -path '*/node-linux-*/bin/node' -print -quit)
  cp "$binary" "$root/usr/local/bin/node"
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  cp -r "$npm" "$root/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" useradd --create-home --uid 1000 node

  # npm reaches its registry in the build by the same settings as here.
  local change=()
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/certs/extra.pem"
    change=(--change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra.pem')
  fi
  if [ -f ~/.npmrc ]; then cp ~/.npmrc "$root/root/.npmrc"; fi
  tar --create --directory "$root" . | docker import "${change[@]}" - node:24-slim
}

case "${1:-}" in
  up) up ;;
  base) base ;;
  down) stop dockerd; umount "$place"/docker-run/netns/* 2> /dev/null || true ;;
  *) sed -n 2p "$0" | cut -c 3- >&2; exit 2 ;;
esac
