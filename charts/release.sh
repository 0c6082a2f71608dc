#!/usr/bin/env bash
# Removes the finalizers of Sluice, which no one removes once the controller is uninstalled: pods,
# Workloads, queues and their namespaces could not be deleted. Run it after uninstalling the
# controller. After disabling the framework `pod`, run it with `pods`; the controller may keep
# running.
#
#   charts/release.sh [KIND...]    default: all kinds that Sluice gives finalizers
#
# Needs kubectl on the PATH, and an account that may patch the objects. Scheduling gates and
# suspensions are not removed: without them pods would run without quota.
set -euo pipefail

readonly of_pods=kueue.x-k8s.io/managed
readonly of_others=kueue.x-k8s.io/resource-in-use
case ${1:-} in
    -h | --help)
        sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    -*)
        echo "error: unexpected argument: $1; see charts/release.sh --help" >&2
        exit 2
        ;;
esac
kinds=("$@")
if [[ ${#kinds[@]} -eq 0 ]]; then
    kinds=(pods workloads clusterqueues resourceflavors admissionchecks topologies)
fi

# Prints namespace (`-` if cluster-scoped), name and index in the list for each object with the
# finalizer.
find_held() {
    # shellcheck disable=SC2016 # the variables are the template's
    kubectl get "$1" --all-namespaces --output go-template='{{range .items}}{{$object := .}}'\
'{{range $place, $name := .metadata.finalizers}}{{if eq $name "'"$2"'"}}'\
'{{or $object.metadata.namespace "-"}} {{$object.metadata.name}} {{$place}}{{"\n"}}'\
'{{end}}{{end}}{{end}}'
}

for kind in "${kinds[@]}"; do
    finalizer=$of_others
    resource=$kind.kueue.x-k8s.io
    if [[ $kind == pods ]]; then
        finalizer=$of_pods
        resource=pods
    else
        definition=$(kubectl get customresourcedefinitions "$resource" --ignore-not-found \
            --output=name)
        [[ -n $definition ]] || continue # the CRD was deleted, and its objects with it
    fi
    held=$(find_held "$resource" "$finalizer")
    while read -r space name place; do
        [[ -n $space ]] || continue
        path=/metadata/finalizers/$place
        scope=()
        [[ $space == - ]] || scope=(--namespace "$space")
        # The test protects other finalizers in case the list has changed meanwhile.
        kubectl patch "$resource" "$name" "${scope[@]}" --type=json --patch "[
            {\"op\": \"test\", \"path\": \"$path\", \"value\": \"$finalizer\"},
            {\"op\": \"remove\", \"path\": \"$path\"}]"
    done <<<"$held"
done
