#!/usr/bin/env bash
# Renders the chart into manifests for users without helm: examples/deploy. Needs helm on the PATH
# (`PATH=$(test/control-plane/build.sh):$PATH`). The end-to-end tests check that they are up to
# date.
#
#   charts/render.sh [FOLDER]    default: examples/deploy
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-examples/deploy}
mkdir -p "$folder/in-cluster"

# Removes lines that only helm needs or that change with each version of the chart.
without_helm() { sed -e '/^# Source: /d' -e '/app.kubernetes.io\/managed-by: Helm/d'; }

readonly note='# Rendered from charts/sluice by charts/render.sh: change it there.'

render() {
    local template
    for template in "$@"; do
        helm template sluice charts/sluice --namespace kueue-system --kube-version 1.33.0 \
            --set controllerManager.replicas=2 --show-only "templates/$template" \
            "${flags[@]}" 2>/dev/null |
            without_helm
    done
}

# Sets flags that make the configuration list the frameworks, and settings that need further rights,
# so that these rights are rendered.
listing() {
    local text
    text="integrations: {frameworks: [$(printf '%s, ' "$@")]}
objectRetentionPolicies: {workloads: {afterDeactivatedByKueue: 1h}}"
    flags=(--set-string "managerConfig.controllerManagerConfigYaml=${text//,/\\,}")
}

# The kinds that the chart knows. Example: ray.io/rayjob
mapfile -t kinds < <(sed -n 's|^\([a-z0-9./-]*\): {group: .*|\1|p' \
    charts/sluice/templates/_known_kinds.tpl)

listing batch/job
{
    printf '%s\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: kueue-system\n' "$note"
    render rbac.yaml
} >"$folder/rbac.yaml"
{ printf '%s\n' "$note" && render user_roles.yaml; } >"$folder/user-roles.yaml"
{ printf '%s\n' "$note" && render pod_writes.yaml; } >"$folder/pod-writes.yaml"
{ printf '%s\n' "$note" && render tenant_writes.yaml; } >"$folder/tenant-writes.yaml"
# Webhooks for every kind: Sluice allows kinds that the configuration does not list.
listing batch/job "${kinds[@]}"
{ printf '%s\n' "$note" && render webhooks.yaml; } >"$folder/webhooks.yaml"
# The rights for a kind are rendered if it is listed.
mkdir -p "$folder/job-kinds"
for kind in "${kinds[@]}"; do
    listing "$kind"
    { printf '%s\n' "$note" && render job_kinds.yaml; } >"$folder/job-kinds/${kind#*/}.yaml"
done
# Any kind may be owned by a kind of another controller.
text="integrations: {frameworks: [pod], externalFrameworks: [Flow.v1.science.example]}"
flags=(--set-string "managerConfig.controllerManagerConfigYaml=${text//,/\\,}")
{ printf '%s\n' "$note" && render owner_kinds.yaml; } >"$folder/job-kinds/owner-kinds.yaml"
flags=()
{
    printf '%s\n' "$note"
    render manager.yaml services.yaml
} >"$folder/in-cluster/controller.yaml"
{ printf '%s\n' "$note" && render visibility.yaml; } >"$folder/in-cluster/visibility.yaml"
