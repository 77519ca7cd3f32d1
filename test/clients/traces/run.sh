#!/usr/bin/env bash
# Traces as OpenTelemetry's own collector takes them: it is built from its Go modules, and the service sends it the
# traces of some requests, as protobuf and as JSON. Needs `npm run build`, and Go 1.24 or later; modules and the build go
# to Go's caches and to a temporary folder. COLLECTOR names a collector that was built before.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/clients/serve.sh

if [ -z "${COLLECTOR:-}" ]; then
  cp -r test/clients/traces/collector "$work/collector"
  (cd "$work/collector" && go mod tidy && go build -o collector .)
  COLLECTOR=$work/collector/collector
fi

for protocol in http/protobuf http/json; do
  node test/clients/traces/check.mjs "$COLLECTOR" "$protocol"
done
