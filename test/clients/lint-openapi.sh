#!/usr/bin/env bash
# Two strangers' linters on openapi.yaml: no error, and no warning either. Needs npm's registry for the linters themselves.
set -euo pipefail
cd "$(dirname "$0")/../.."
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
npx --yes @redocly/cli@2.77.0 lint openapi.yaml --extends=recommended --max-problems=100 --format=json |
  node -e "
    const { totals, problems } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
    for (const { ruleId, severity, message, location } of problems)
      console.log(severity, ruleId, location[0]?.pointer ?? '', message)
    console.log('redocly:', totals.errors, 'errors,', totals.warnings, 'warnings')
    process.exit(totals.errors + totals.warnings === 0 ? 0 : 1)"
rules=$(mktemp --suffix=.yaml)
trap 'rm "$rules"' EXIT
echo 'extends: ["spectral:oas"]' >"$rules"
npx --yes @stoplight/spectral-cli@6.16.3 lint openapi.yaml --ruleset "$rules" --fail-severity=hint
