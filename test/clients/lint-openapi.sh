#!/usr/bin/env bash
# A stranger's linter on openapi.yaml: no error, and no warning either. `/v2/` is a path of the service,
# as clients of the protocol ask for it. Needs npm's registry for the linter itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
npx --yes @redocly/cli@2.77.0 lint openapi.yaml --extends=recommended --skip-rule=no-path-trailing-slash --max-problems=100 --format=json |
  node -e "
    const { totals, problems } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
    for (const { ruleId, severity, message, location } of problems)
      console.log(severity, ruleId, location[0]?.pointer ?? '', message)
    console.log('openapi.yaml:', totals.errors, 'errors,', totals.warnings, 'warnings')
    process.exit(totals.errors + totals.warnings === 0 ? 0 : 1)"
