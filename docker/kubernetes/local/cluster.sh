#!/usr/bin/env bash
# cluster.sh build | up | image NAME | metrics | down
#
# A Kubernetes of one node, from its sources in the Go module proxy: for root, on Debian 12, without a registry of
# images. Each part is a process of this machine, and listens on loopback or on the node's own address, which
# nothing outside reaches. README.md lists the differences from a real cluster.
set -euo pipefail
. "$(dirname "$0")/place.sh"

# 1.33.4: of later 1.33 versions, some modules are not in the proxy.
version=1.33.4
metrics_version=0.7.2
names_version=1.12.4
commands=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy)
bin=$place/kubernetes-bin
run=$place/kubernetes
# Of the bridge that the pods hang on: an address that is neither loopback, which Kubernetes refuses, nor reached from
# outside.
node_address=10.244.0.1
among_pods=(-i inlet-pods -o inlet-pods -j ACCEPT)
export KUBECONFIG=$run/kubeconfig
export NO_PROXY=127.0.0.1,localhost,$node_address no_proxy=127.0.0.1,localhost,$node_address

# 10 to 40 minutes once, and 4 GB of Go's cache.
build() {
  mkdir -p "$bin" "$place/kubernetes-src"
  cd "$place/kubernetes-src"
  [ -f tools.go ] || write_module
  local command
  for command in "${commands[@]}"; do
    [ -x "$bin/$command" ] && continue
    echo "building $command"
    nice go build -o "$bin/$command" "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v$version \
      -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=33" \
      "k8s.io/kubernetes/cmd/$command"
  done
  build_published metrics-server "sigs.k8s.io/metrics-server/cmd/metrics-server@v$metrics_version"
  build_published coredns "github.com/coredns/coredns@v$names_version"
}

build_published() {
  [ -x "$bin/$1" ] && return
  echo "building $1"
  GOBIN=$bin nice go install -ldflags '-s -w' "$2"
}

# Kubernetes' own go.mod replaces its libraries by folders of its repository, which the module does not have. A module
# that needs the same versions, and those libraries as they are published, builds the same commands.
write_module() {
  printf 'module local\ngo 1.24.0\n' > go.mod
  local source libraries
  source=$(kubernetes_source)
  libraries=$(sed -n 's#^\s*\(k8s.io/\S*\) => ./staging.*#\1#p' "$source/go.mod")
  {
    echo 'module local'
    grep '^go ' "$source/go.mod"
    echo "require k8s.io/kubernetes v$version"
    sed -n 's#^\s\(\S\+\) \(v\S\+\).*#\1 \2#p' "$source/go.mod" | while read -r name wanted; do
      grep -qx "$name" <<< "$libraries" && wanted=v0.${version#1.}
      echo "require $name $wanted"
    done
  } > go.mod.new
  mv go.mod.new go.mod
  {
    printf '//go:build tools\n\npackage local\n\n'
    printf 'import _ "k8s.io/kubernetes/cmd/%s"\n' "${commands[@]}"
  } > tools.go
  go mod tidy -e > tidy.log 2>&1 || true # tests of libraries import what is not published
}

kubernetes_source() {
  go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}

# start NAME COMMAND…: in the background, its output in logs/NAME.log, unless it runs.
start() {
  local name=$1
  shift
  kill -0 "$(cat "$place/$name.pid" 2> /dev/null)" 2> /dev/null && return
  setsid "$@" > "$run/logs/$name.log" 2>&1 < /dev/null &
  echo $! > "$place/$name.pid"
}

up() {
  installed etcd etcd-server
  installed containerd containerd
  installed conntrack conntrack iptables
  [ -x /usr/lib/cni/bridge ] || installed no-such-command containernetworking-plugins
  mkdir -p "$run"/{certs,cni,logs}
  cd "$run"
  ip link show inlet-pods > /dev/null 2>&1 || ip link add inlet-pods type bridge
  ip address replace "$node_address/24" dev inlet-pods
  ip link set inlet-pods up
  # Pods reach each other, which the Docker engine would forbid.
  iptables -C FORWARD "${among_pods[@]}" 2> /dev/null || iptables -I FORWARD "${among_pods[@]}"
  write_keys
  write_settings
  start_server
  start_controllers
  start containerd containerd --config containerd.toml
  within 20 ctr -a containerd.sock version
  send_pause
  start kubelet "$bin/kubelet" --config=kubelet.yaml --kubeconfig=kubeconfig --root-dir="$run/kubelet" \
    --hostname-override=node1 --node-ip="$node_address" --cert-dir=certs/kubelet
  start proxy "$bin/kube-proxy" --config=proxy.yaml
  start names "$bin/coredns" -conf Corefile
  within 90 kubectl wait --for=condition=Ready node/node1 --timeout=1s
  kubectl get nodes
  echo "export KUBECONFIG=$KUBECONFIG"
}

start_server() {
  start etcd etcd --data-dir etcd --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
  # The endpoint reconciler would publish the server's address, and refuses to where that is on loopback.
  start apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --endpoint-reconciler-type=none --cert-dir=certs \
    --service-cluster-ip-range=10.96.0.0/24 --allow-privileged=true \
    --token-auth-file=tokens.csv --authorization-mode=AlwaysAllow \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file=accounts.pub --service-account-signing-key-file=accounts.key \
    --kubelet-preferred-address-types=InternalIP \
    --enable-aggregator-routing=true --requestheader-client-ca-file=front.crt --requestheader-allowed-names=front \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file=front.crt --proxy-client-key-file=front.key
  within 90 kubectl get --raw /readyz
}

start_controllers() {
  start controllers "$bin/kube-controller-manager" --kubeconfig=kubeconfig --leader-elect=false \
    --bind-address=127.0.0.1 --cert-dir=certs --service-account-private-key-file=accounts.key
  start scheduler "$bin/kube-scheduler" --kubeconfig=kubeconfig --leader-elect=false --bind-address=127.0.0.1
}

# For accounts of pods, for the server as it calls metrics-server, and a token for who calls the server.
write_keys() {
  [ -f accounts.key ] && return
  openssl genrsa -out accounts.key 2048 2> /dev/null
  openssl rsa -in accounts.key -pubout -out accounts.pub 2> /dev/null
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=front -keyout front.key -out front.crt 2> /dev/null
  local token
  token=$(openssl rand -hex 16)
  (umask 077 && echo "$token,admin,admin,system:masters" > tokens.csv)
  (umask 077 && cat > kubeconfig) << END
apiVersion: v1
kind: Config
clusters: [{ name: local, cluster: { server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: $token } }]
contexts: [{ name: local, context: { cluster: local, user: admin } }]
current-context: local
END
}

write_settings() {
  # imageGCHighThresholdPercent: on a disk that is fuller than that, the kubelet removes images that no container
  # uses, the pods' own among them; and there is no registry to get them back from.
  # restrict_oom_score_adj: without the right to lower a process's score, no pod would start otherwise.
  cat > containerd.toml << END
version = 2
root = "$run/containerd/root"
state = "$run/containerd/state"
[grpc]
  address = "$run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "docker.io/local/pause:1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$run/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
END
  cat > cni/10-bridge.conflist << 'END'
{ "cniVersion": "0.4.0", "name": "local", "plugins": [
  { "type": "bridge", "bridge": "inlet-pods", "isGateway": true, "ipMasq": true, "hairpinMode": true,
    "ipam": { "type": "host-local", "ranges": [[{ "subnet": "10.244.0.0/24" }]], "routes": [{ "dst": "0.0.0.0/0" }] } },
  { "type": "portmap", "capabilities": { "portMappings": true } }
] }
END
  cat > kubelet.yaml << END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $node_address
healthzBindAddress: 127.0.0.1
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
cgroupDriver: cgroupfs
failSwapOn: false
containerRuntimeEndpoint: unix://$run/containerd.sock
evictionHard: { memory.available: "50Mi", nodefs.available: "1%", imagefs.available: "1%" }
imageGCHighThresholdPercent: 100
clusterDNS: ["$node_address"]
clusterDomain: cluster.local
END
  cat > Corefile << END
.:53 {
  bind $node_address
  kubernetes cluster.local {
    kubeconfig $run/kubeconfig local
  }
  forward . /etc/resolv.conf
}
END
  cat > proxy.yaml << END
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
hostnameOverride: node1
clientConnection: { kubeconfig: $run/kubeconfig }
nodePortAddresses: ["127.0.0.0/8"]
END
}

# The process that holds a pod's namespaces, from Kubernetes' own source.
send_pause() {
  mkdir -p pause
  gcc -static -O2 -DVERSION=local -o pause/pause "$(kubernetes_source)/build/pause/linux/pause.c"
  printf 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n' |
    docker build --quiet --tag local/pause:1 --file - pause > /dev/null
  image local/pause:1
}

# From the Docker engine into the cluster, under the same name.
image() {
  docker save "$1" | ctr -a "$run/containerd.sock" -n k8s.io images import -
}

# metrics-server, which autoscalers ask for the pods' processor time: beside the cluster, not in a pod.
metrics() {
  cd "$run"
  start metrics "$bin/metrics-server" --kubeconfig=kubeconfig --authentication-kubeconfig=kubeconfig \
    --authorization-kubeconfig=kubeconfig --bind-address="$node_address" --secure-port=4443 --cert-dir=certs/metrics \
    --kubelet-insecure-tls --kubelet-preferred-address-types=InternalIP --metric-resolution=15s
  kubectl apply -f - << END
apiVersion: v1
kind: Service
metadata: { name: metrics-server, namespace: kube-system }
spec: { ports: [{ name: https, port: 443, targetPort: 4443 }] }
---
apiVersion: v1
kind: Endpoints # not a slice: the API server looks for this kind before it calls
metadata: { name: metrics-server, namespace: kube-system }
subsets: [{ addresses: [{ ip: "$node_address" }], ports: [{ name: https, port: 4443 }] }]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  { group: metrics.k8s.io, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100,
    insecureSkipTLSVerify: true, service: { name: metrics-server, namespace: kube-system } }
END
  within 90 kubectl top nodes
  kubectl top nodes
}

down() {
  kubectl delete deployments,pods --all --timeout=60s > /dev/null 2>&1 || true
  local name
  for name in metrics names proxy kubelet scheduler controllers apiserver containerd etcd; do stop "$name"; done
  ip link delete inlet-pods 2> /dev/null || true
  umount "$run/kubelet" 2> /dev/null || true
  # Rules of iptables: those for Services, and the kubelet's.
  "$bin/kube-proxy" --cleanup > /dev/null 2>&1 || true
  iptables -D FORWARD "${among_pods[@]}" 2> /dev/null || true
  iptables -D INPUT -j KUBE-FIREWALL 2> /dev/null || true
  iptables -D OUTPUT -j KUBE-FIREWALL 2> /dev/null || true
  iptables -F KUBE-FIREWALL 2> /dev/null && iptables -X KUBE-FIREWALL || true
}

case "${1:-}" in
  build | up | metrics | down) "$1" ;;
  image) image "${2:?a name, such as inlet:0.1.0}" ;;
  *) sed -n 2p "$0" | cut -c 3- >&2; exit 2 ;;
esac
