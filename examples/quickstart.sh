#!/usr/bin/env bash
# Sluice from nothing on a bare Debian machine: installs, builds, starts a real Kubernetes control
# plane and the controller, applies the numbered examples and shows which jobs run, wait, and why.
#
#   examples/quickstart.sh          ends with a summary and takes everything down
#   examples/quickstart.sh --keep   leaves it running and says how to look around
#
# It fails, and says what it waited for, where an example does not do what its README says.
#
# SLUICE_BINARY   a controller that is built already
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=0
case "$*" in
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
    if [ "$code" -ne 0 ] && declare -F show >/dev/null; then
        printf '\nThe jobs:\n' >&2
        show >&2 || true
    fi
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
kubectl apply -f examples/deploy/job-kinds/statefulset.yaml
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
  frameworks: [batch/job, statefulset]
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

say 'installing the webhooks'
kubectl apply -f examples/deploy/webhooks.yaml
deadline=$((SECONDS + 60))
for kind in mutating validating; do
    until kubectl get "${kind}webhookconfigurations/kueue-$kind-webhook-configuration" \
        -o 'jsonpath={.webhooks[*].clientConfig.url}' | grep -q "127.0.0.1:$webhook/"; do
        [ "$SECONDS" -lt "$deadline" ] || die "the $kind webhooks lead nowhere after 60 s"
        sleep 0.2
    done
done

show() {
    kubectl get jobs,workloads,localqueues,clusterqueues -A -o json | python3 examples/show_jobs.py
}
apply() { kubectl apply -f "$1" | sed 's/^/  /'; }
# until_ready NAMESPACE/NAME PODS: waits until so many pods of the Job run.
until_ready() {
    kubectl wait -n "${1%/*}" "job/${1#*/}" --for="jsonpath={.status.ready}=$2" --timeout=60s \
        >/dev/null || die "$1 does not run $2 pods"
}
until_complete() {
    kubectl wait -n "${1%/*}" "job/${1#*/}" --for=condition=Complete --timeout=60s |
        sed 's/^/  /' || die "$1 is not complete"
}
# until_served NAMESPACE/NAME PODS: waits until so many pods of the StatefulSet are ready.
until_served() {
    kubectl wait -n "${1%/*}" "statefulset/${1#*/}" --for="jsonpath={.status.readyReplicas}=$2" \
        --timeout=60s >/dev/null || die "$1 does not run $2 pods"
}
# until_shown NAMESPACE/NAME PATTERN: waits until the Job's line says so.
until_shown() {
    local deadline=$((SECONDS + 60))
    until show | grep -E "^ *$1 +$2" >/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || die "$1 is not shown as: $2"
        sleep 0.2
    done
}

say '01: one queue of 4 CPUs, three jobs of 2'
apply examples/01_single_queue/1-queues.yaml
apply examples/01_single_queue/2-jobs.yaml
until_ready single/first 2
until_ready single/second 2
apply examples/01_single_queue/3-one-too-many.yaml
until_shown single/third 'waiting +WaitingForQuota'
show

say '02: team A borrows from team B'
apply examples/02_two_teams/1-queues.yaml
apply examples/02_two_teams/2-team-a.yaml
until_ready team-a/a-big 3
show
printf '\nTeam B takes its own back:\n'
apply examples/02_two_teams/3-team-b.yaml
until_ready team-b/b-urgent 2
until_shown team-a/a-big 'waiting +preempted \(InCohortReclamation\)'
show

say '03: the job of higher priority goes first'
apply examples/03_priority_preemption/1-queues.yaml
apply examples/03_priority_preemption/2-background.yaml
until_ready research/background 4
apply examples/03_priority_preemption/3-deadline.yaml
until_ready research/deadline 3
until_shown research/background 'waiting +preempted \(InClusterQueue\)'
show

say "04: Kueue's published manifests, unchanged"
apply examples/04_published_gpu_manifests
until_ready ml-research/train-llm 2
kubectl get pods -n ml-research -o wide | sed 's/^/  /'

say '08: a notebook, a periodic job and a CI runner in one quota'
apply examples/08_serving/1-queues.yaml
apply examples/08_serving/2-notebook.yaml
until_served serving/jupyter 1
apply examples/08_serving/3-training.yaml
until_shown serving/train 'waiting +WaitingForQuota'
show
printf '\nThe notebook rests:\n'
kubectl scale -n serving statefulset/jupyter --replicas=0 | sed 's/^/  /'
until_ready serving/train 3
kubectl scale -n serving statefulset/jupyter --replicas=1 | sed 's/^/  /'
apply examples/08_serving/4-report.yaml
kubectl create job -n serving --from=cronjob/report report-now | sed 's/^/  /'
apply examples/08_serving/5-ci-runner.yaml
show

say 'waiting for what waits: the third job of 01, and the preempted ones to return'
for job in single/first single/second single/third team-b/b-urgent research/deadline \
    serving/train serving/report-now serving/ci-runner; do
    until_complete "$job"
done
until_served serving/jupyter 1
until_ready team-a/a-big 3
until_ready research/background 4
for job in train report-now ci-runner; do until_shown "serving/$job" finished; done
until_shown research/deadline finished
until_shown team-b/b-urgent finished
until_shown single/third finished

say 'summary'
show | tee "$folder/summary"
expected='ml-research/train-llm running
research/background running
research/deadline finished
serving/ci-runner finished
serving/report-now finished
serving/train finished
single/first finished
single/second finished
single/third finished
team-a/a-big running
team-b/b-urgent finished'
diff <(printf '%s\n' "$expected") <(sed 1d "$folder/summary" | awk '{print $1, $2}') >&2 ||
    die 'the summary is not what the examples promise'
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
