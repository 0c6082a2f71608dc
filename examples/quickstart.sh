#!/usr/bin/env bash
# Sluice from nothing on a bare Debian machine: installs, builds, starts a real Kubernetes control
# plane and the controller, applies the numbered examples and shows which jobs run, wait, and why.
#
#   examples/quickstart.sh          ends with a summary and takes everything down
#   examples/quickstart.sh --keep   leaves it running and says how to look around
#
# SLUICE_BINARY   a controller that is built already
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=0
case "${1:-}" in
    '') ;;
    --keep) keep=1 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/sluice-quickstart.XXXXXX")
controller=
plane=0
cleanup() {
    local code=$?
    if [ "$code" -ne 0 ] && [ -s "$folder/controller.log" ]; then
        printf '\nThe last lines of the controller:\n' >&2
        tail -n 20 "$folder/controller.log" >&2
    fi
    if [ "$keep" -eq 1 ] && [ "$code" -eq 0 ]; then return; fi
    if [ -n "$controller" ]; then
        kill "$controller" 2>/dev/null || true
        wait "$controller" 2>/dev/null || true
    fi
    if [ "$plane" -eq 1 ]; then test/control-plane/control_plane.py stop "$folder" || true; fi
    rm -rf "$folder"
}
trap cleanup EXIT

say 'installing what is missing'
test/install_dependencies.sh

binary=${SLUICE_BINARY:-build/release/controller/sluice}
if [ -z "${SLUICE_BINARY:-}" ]; then
    say 'building Sluice'
    cmake --preset release
    cmake --build --preset release --target sluice
fi
[ -x "$binary" ] || die "no controller at $binary"

say 'building the control plane (some minutes the first time)'
binaries=$(test/control-plane/build.sh)

say 'starting etcd, kube-apiserver, kube-controller-manager, kube-scheduler and five fake nodes'
plane=1
test/control-plane/control_plane.py start "$folder" \
    --binaries "$binaries" --scheduler --nodes examples/nodes.json
export KUBECONFIG=$folder/admin.kubeconfig
kubectl() { "$binaries/kubectl" "$@"; }

say 'installing the definitions and the rights of the controller'
kubectl apply -f crds/
kubectl apply -f examples/deploy/rbac.yaml
test/control-plane/control_plane.py token "$folder" \
    kueue-system sluice-controller-manager "$folder/controller.kubeconfig"

free_ports='import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(each.getsockname()[1] for each in held))'
read -r health metrics webhook < <(python3 -c "$free_ports")
cat >"$folder/configuration.yaml" <<CONFIGURATION
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
health:
  healthProbeBindAddress: 127.0.0.1:$health
metrics:
  bindAddress: 127.0.0.1:$metrics
webhook:
  host: 127.0.0.1
  port: $webhook
  certDir: $folder/certificates
leaderElection:
  leaderElect: false
integrations:
  frameworks: [batch/job]
CONFIGURATION

say 'starting the controller'
"$binary" controller --config "$folder/configuration.yaml" \
    --kubeconfig "$folder/controller.kubeconfig" >"$folder/controller.log" 2>&1 &
controller=$!
deadline=$((SECONDS + 60))
until curl --silent --fail --output /dev/null "http://127.0.0.1:$health/readyz"; do
    kill -0 "$controller" 2>/dev/null || die 'the controller ended'
    [ "$SECONDS" -lt "$deadline" ] || die 'the controller is not ready after 60 s'
    sleep 0.2
done

show() { kubectl get jobs,workloads -A -o json | python3 examples/show_jobs.py; }
apply() { kubectl apply -f "$1" | sed 's/^/  /'; }
# until_job NAMESPACE NAME WHAT: waits for a field of a Job, such as '{.status.ready}=2'.
until_job() { kubectl wait -n "$1" "job/$2" --for="jsonpath=$3" --timeout=60s >/dev/null; }
# until_waiting NAMESPACE: until some Workload there has been told that it must wait.
until_waiting() {
    kubectl wait -n "$1" workloads --all --for='jsonpath={.status.conditions}' \
        --timeout=60s >/dev/null
}

say '01: one queue of 4 CPUs, three jobs of 2'
apply examples/01_single_queue/1-queues.yaml
apply examples/01_single_queue/2-jobs.yaml
until_job single first '{.status.ready}=2'
until_job single second '{.status.ready}=2'
until_waiting single
show

say '02: team A borrows from team B'
apply examples/02_two_teams/1-queues.yaml
apply examples/02_two_teams/2-team-a.yaml
until_job team-a a-big '{.status.ready}=3'
show
printf '\nTeam B takes its own back:\n'
apply examples/02_two_teams/3-team-b.yaml
until_job team-b b-urgent '{.status.ready}=2'
show

say '03: the more important job goes first'
apply examples/03_priority_preemption/1-queues.yaml
apply examples/03_priority_preemption/2-background.yaml
until_job research background '{.status.ready}=4'
apply examples/03_priority_preemption/3-deadline.yaml
until_job research deadline '{.status.ready}=3'
show

say "04: Kueue's published manifests, unchanged"
apply examples/04_published_gpu_manifests
until_job ml-research train-llm '{.status.ready}=2'
kubectl get pods -n ml-research -o wide | sed 's/^/  /'

say 'waiting for what waits: the third job of 01, and the preempted ones to return'
for name in first second third; do
    kubectl wait -n single "job/$name" --for=condition=Complete --timeout=60s | sed 's/^/  /'
done
kubectl wait -n team-b job/b-urgent --for=condition=Complete --timeout=60s | sed 's/^/  /'
until_job team-a a-big '{.status.ready}=3'
kubectl wait -n research job/deadline --for=condition=Complete --timeout=60s | sed 's/^/  /'
until_job research background '{.status.ready}=4'

say 'summary'
show
printf '\n'
kubectl get clusterqueues -o wide | sed 's/^/  /'
if [ "$keep" -eq 1 ]; then
    cat <<KEPT

Left running. To look around:
  export KUBECONFIG=$folder/admin.kubeconfig PATH=$binaries:\$PATH
  less $folder/controller.log
To end it:
  kill $controller; test/control-plane/control_plane.py stop $folder; rm -r $folder
KEPT
fi
printf '\nAll examples did what their READMEs say. %s s in all.\n' "$SECONDS"
