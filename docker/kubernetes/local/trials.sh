#!/usr/bin/env bash
# trials.sh rollouts | deletions | kills | bytes | drain | models | autoscale | chart | job
#
# The deployment's promises, tried on the local cluster under 16 clients. Each trial prints what its load saw.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/place.sh"
export PATH=$place:$PATH
run=$place/kubernetes
export KUBECONFIG=$run/kubeconfig
export NO_PROXY=127.0.0.1,10.244.0.0/24 no_proxy=127.0.0.1,10.244.0.0/24
url=http://127.0.0.1:30080
times=${TIMES:-5}
label=app.kubernetes.io/name=inlet

pods() { kubectl get pods -l "$label" --field-selector=status.phase=Running -o "jsonpath=$1"; }
# Until the new pods serve and the old ones, which drain for some seconds, are gone.
serving() {
  kubectl rollout status deployment/inlet --timeout=300s > /dev/null
  within 60 none_leaves
}
none_leaves() { [ "$(kubectl get pods -l "$label" -o name | wc -l)" = "$(replicas)" ]; }
replicas() { kubectl get deployment inlet -o 'jsonpath={.status.readyReplicas}'; }
apply() { kubectl kustomize "$1" | sed "s#PLACE#$place#" | kubectl apply -f - > /dev/null; }

# under_load ARGUMENTS COMMAND: runs the command while 16 clients call.
under_load() {
  node "$here/load.mjs" "$url" $1 > "$place/load.json" &
  local load=$!
  trap 'kill "$load" 2> /dev/null || true' EXIT
  sleep 3
  "${@:2}"
  sleep 3
  kill "$load"
  wait "$load" || true
  trap - EXIT
  cat "$place/load.json"
}

rollout() {
  local i
  for i in $(seq "$times"); do
    kubectl rollout restart deployment/inlet > /dev/null
    serving
    echo "rolling update $i: done"
  done
}

# In place of `kubectl apply -k one-node`: the chart, installed, tested, upgraded under load, and taken back.
chart() {
  command -v helm > /dev/null || GOBIN=$place go install helm.sh/helm/v3/cmd/helm@v3.19.0
  kubectl delete -k "$here/one-node" --ignore-not-found > /dev/null
  helm uninstall inlet --ignore-not-found --wait > /dev/null
  release
  within 60 test_replicas 2 # by the autoscaler
  serving
  helm test inlet > /dev/null
  echo "installed and tested: $(replicas) replicas"
  under_load '' upgrade
}

release() { helm upgrade --install inlet "$here/../../helm/inlet" -f "$here/../../helm/local-values.yaml" --wait "$@" > /dev/null; }

# Another limit each time, which the service shows.
upgrade() {
  local i
  for i in $(seq "$times"); do
    release --set "env.MAX_DOCUMENTS=$((1000 + i))"
    serving
    echo "upgrade $i: $(documents) documents"
  done
  helm rollback inlet 1 --wait > /dev/null
  serving
  echo "rollback: $(documents) documents"
}
documents() { curl -sS "$url/v1/models" | grep -o '"max_documents":[0-9]*' | sort -u | cut -d: -f2; }

# examples/kubernetes, while its pods are killed and evicted: the dataset of an undisturbed run on this machine.
job() {
  local root=$here/../../.. corpus=$place/corpus
  inlet() { node "$root/dist/cli/main.js" "$@"; }
  rm -rf "$corpus" "$place/undisturbed"
  node "$root/test/run/proofs/corpus.mjs" "$corpus/in" "${MEGABYTES:-240}" 24
  (cd "$corpus/in" && printf '/corpus/in/%s\n' *.jsonl) > "$corpus/list.txt"
  chown -R 1000:1000 "$corpus"
  inlet run "$corpus"/in/*.jsonl "$place/undisturbed" --document-end endoftext --quiet > /dev/null
  kubectl delete job/inlet-run pvc/corpus pv/inlet-corpus --ignore-not-found --wait > /dev/null
  apply "$here/job"
  local started=$SECONDS
  kill_job_pods
  kubectl wait --for=condition=Complete job/inlet-run --timeout=300s > /dev/null
  kubectl get job inlet-run -o 'jsonpath=indexes done: {.status.completedIndexes}; failed pods: {.status.failed}'
  echo "; after $((SECONDS - started)) s"
  inlet merge "$place/undisturbed" --quiet | grep -o '"id":"[^"]*"'
  inlet merge "$corpus/out" --quiet | grep -o '"id":"[^"]*"'
}

# By turns: without notice, by eviction, by deletion. An index that fails more than thrice would be given up.
kill_job_pods() {
  local i pod killed=0 evicted=0 deleted=0
  for i in $(seq "$times"); do
    within 60 job_runs || break
    sleep "0.$((RANDOM % 10))"
    pod=$(job_pods | shuf -n 1)
    [ -n "$pod" ] || continue
    case $((i % 3)) in
      0) kubectl delete pod "$pod" --wait=false > /dev/null && deleted=$((deleted + 1)) ;;
      1) kill_container "$pod" && killed=$((killed + 1)) ;;
      2) evict "$pod" && evicted=$((evicted + 1)) ;;
    esac
    sleep 1
  done
  echo "$killed killed, $evicted evicted, $deleted deleted"
}
job_pods() { kubectl get pods -l job-name=inlet-run --field-selector=status.phase=Running -o name | cut -d/ -f2; }
job_runs() { [ -n "$(job_pods)" ]; }
evict() {
  kubectl create --raw "/api/v1/namespaces/default/pods/$1/eviction" -f - > /dev/null << END
{ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "$1", "namespace": "default" } }
END
}

kill_container() {
  local container
  container=$(kubectl get pod "$1" -o 'jsonpath={.status.containerStatuses[0].containerID}')
  ctr -a "$run/containerd.sock" -n k8s.io tasks kill --signal SIGKILL "${container#containerd://}"
}

# Without notice to the process or to Kubernetes, as when memory runs out.
kill_pods() {
  local i pod
  for i in $(seq "$times"); do
    # By turns: Kubernetes waits longer and longer before it starts the same one again.
    pod=$(pods "{.items[$((i % $(replicas)))].metadata.name}")
    kill_container "$pod"
    echo "$(date -u +%T.%3N) killed $pod"
    sleep 3
    within 300 all_ready
    sleep 3
  done
}

all_ready() { [ "$(replicas)" = "$(kubectl get deployment inlet -o 'jsonpath={.spec.replicas}')" ]; }

delete_pods() {
  local i pod
  for i in $(seq "$times"); do
    pod=$(pods '{.items[0].metadata.name}')
    kubectl delete pod "$pod" > /dev/null # until it is gone
    serving
    echo "deleted $pod"
  done
}

# Of each replica by its own address.
bytes() {
  local address
  for address in $(pods '{.items[*].status.podIP}'); do
    printf '%s %s\n' "$address" "$(curl -sS "http://$address:8000/v1/input-embeddings?context_length=4" \
      -H 'content-type: text/plain' -H 'accept: application/octet-stream' -d 'One text, the same bytes.' | sha256sum)"
  done
}

# The only node is closed: an evicted pod finds no place, so the budget must hold the second one.
drain() {
  if kubectl drain node1 --pod-selector "$label" --timeout=20s 2> "$place/drain.log"; then echo 'not held up'; fi
  sort "$place/drain.log" | uniq -c | grep budget || true
  echo "ready while the drain is held up: $(replicas)"
  kubectl uncordon node1
  serving
}

models() {
  mkdir -p "$place/models"/{narrow-1,narrow-2,wide-1}
  card() { echo "{ \"encoding\": \"gpt2\", \"embedding_dim\": $2, \"seed\": $3 }" > "$place/models/$1/inlet.json"; }
  card narrow-1 16 1
  card narrow-2 16 2
  card wide-1 64 1
  apply "$here/two-models"
  serving
  show_models
  under_load '--model wide' exchange
  show_models
  kubectl rollout undo deployment/inlet > /dev/null
  serving
  show_models
}

exchange() {
  apply "$here/exchanged-model"
  serving
}

show_models() {
  local model
  for model in narrow wide; do
    printf '%s %s\n' "$model" "$(curl -sS "$url/v1/input-embeddings?context_length=4&model=$model" \
      -H 'content-type: text/plain' -H 'accept: application/octet-stream' -d 'One text, the same bytes.' | sha256sum)"
  done
}

# From one replica to three under load without pauses, and back without load.
autoscale() {
  kubectl patch hpa inlet --patch '{"spec":{"minReplicas":1}}' > /dev/null
  echo 'waiting for one replica'
  within 300 test_replicas 1
  under_load '--pause 0' grow
  shrink
}

test_replicas() { [ "$(kubectl get deployment inlet -o 'jsonpath={.status.replicas}')" = "$1" ]; }

grow() {
  local started=$SECONDS
  within 300 test_replicas 3 && serving && echo "three replicas after $((SECONDS - started)) s"
}

shrink() {
  local started=$SECONDS
  within 300 test_replicas 1 && echo "one replica $((SECONDS - started)) s after the load"
}

case "${1:-}" in
  rollouts) under_load '' rollout ;;
  kills) under_load '' kill_pods ;;
  deletions) under_load '' delete_pods ;;
  drain) under_load '' drain ;;
  bytes | models | autoscale | chart | job) "$1" ;;
  *) sed -n 2p "$0" | cut -c 3- >&2; exit 2 ;;
esac
