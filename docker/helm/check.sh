#!/usr/bin/env bash
# Lints the chart and holds each rendering of it against Kubernetes' own schemas, and those of Prometheus' operator.
# Needs Node, and Go, of which the tools and the schemas come as modules; WORK keeps them (default: a folder that goes).
set -euo pipefail
cd "$(dirname "$0")"
kubernetes=v1.33.4
operator=v0.85.0
work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
export PATH=$work:$PATH GOBIN=$work
command -v helm > /dev/null || go install helm.sh/helm/v3/cmd/helm@v3.19.0
command -v kubeconform > /dev/null || go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
crds=$(module "github.com/prometheus-operator/prometheus-operator@$operator")/example/prometheus-operator-crd
node schemas.mjs "$work/schemas" "$(module "k8s.io/kubernetes@$kubernetes")/api/openapi-spec/swagger.json" \
  "$crds"/*_podmonitors.yaml

for values in /dev/null inlet/ci/*.yaml; do
  echo "$values"
  helm lint --quiet --strict inlet -f "$values"
  helm template inlet inlet -f "$values" --kube-version "$kubernetes" |
    kubeconform -strict -summary -schema-location "$work/schemas/{{.ResourceKind}}{{.KindSuffix}}.json"
done
