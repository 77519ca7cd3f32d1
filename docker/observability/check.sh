#!/bin/sh
# Checks Prometheus' files by Prometheus' own tool, and lets the alerts happen: ./check.sh
# Needs promtool: Debian's package prometheus.
set -eu
cd "$(dirname "$0")"
promtool check config prometheus.yaml
promtool check rules alerts.yaml
promtool test rules alerts.test.yaml
