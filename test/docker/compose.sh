#!/usr/bin/env bash
# Loads docker/compose.yaml by compose's own reader, which checks it against the Compose Specification's schema, with each
# profile; and files with a mistake, which must be refused. Needs Go, and its module proxy at the first run.
# Exit code 2: not checked, and why.
set -euo pipefail
if [ "${1:-}" = --help ]; then
  sed -n '2,/^set /{/^set /d;s/^# //;p}' "$0"
  exit 0
fi
cd "$(dirname "$0")"
reader=github.com/compose-spec/compose-go/v2@v2.16.2
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v go >/dev/null; then
  echo "not checked: there is no Go to build $reader with" >&2
  exit 2
fi
cp compose.go "$work/main.go"
cd "$work"
if ! { go mod init check && go get "$reader" && go mod tidy && go build -o check .; } >log 2>&1; then
  echo "not checked: $reader cannot be built" >&2
  tail -5 log >&2
  exit 2
fi

# Its paths, and the models and dashboards beside it, count from its folder.
cd "$here/../../docker"
for profile in '' observability; do
  services=$(COMPOSE_PROFILES=$profile "$work/check" compose.yaml)
  echo "compose.yaml is valid, profile ${profile:-none}: $services"
done

for mistake in s/stop_grace_period:\ 30s/stop_grace_period:\ soon/ s/read_only:/readonly:/ s/cpus:\ 2/cpus:\ [2]/ \
  s/mem_limit:\ 1g/mem_limit:\ much/ 's/depends_on: .*/depends_on: [prometheous]/'; do
  sed "$mistake" compose.yaml >"$work/mistake.yaml"
  if cmp -s compose.yaml "$work/mistake.yaml"; then
    echo "changes nothing any more: $mistake" >&2
    exit 1
  fi
  if COMPOSE_PROFILES=observability "$work/check" "$work/mistake.yaml" >"$work/log" 2>&1; then
    echo "a mistake was not seen: $mistake" >&2
    exit 1
  fi
  echo "refused: $(sed "s|$work/||" "$work/log" | tail -1)"
done
