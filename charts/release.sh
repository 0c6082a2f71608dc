#!/usr/bin/env bash
# Removes the finalizers of Sluice, which nobody removes once the controller is gone: pods,
# Workloads, queues and with them namespaces could not be deleted. Run it after the controller was
# uninstalled. When the framework `pod` was switched off, run it with `pods`; the controller may go
# on.
#
#   charts/release.sh [KIND...]    default: all kinds that Sluice gives finalizers
#
# Needs kubectl on the PATH, and an account that may patch the objects. Scheduling gates and
# suspended jobs are left as they are: without them pods would run without quota.
set -euo pipefail

readonly of_pods=kueue.x-k8s.io/managed
readonly of_others=kueue.x-k8s.io/resource-in-use
case ${1:-} in
    -h | --help)
        sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    -*)
        echo "error: not expected: $1; see charts/release.sh --help" >&2
        exit 2
        ;;
esac
kinds=("$@")
if [[ ${#kinds[@]} -eq 0 ]]; then
    kinds=(pods workloads clusterqueues resourceflavors admissionchecks topologies)
fi

# Prints namespace (`-` without), name and place in the list for each object with the finalizer.
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
        [[ -n $definition ]] || continue # gone, and its objects with it
    fi
    held=$(find_held "$resource" "$finalizer")
    while read -r space name place; do
        [[ -n $space ]] || continue
        path=/metadata/finalizers/$place
        scope=()
        [[ $space == - ]] || scope=(--namespace "$space")
        # The test keeps the finalizers of others should the list have changed meanwhile.
        kubectl patch "$resource" "$name" "${scope[@]}" --type=json --patch "[
            {\"op\": \"test\", \"path\": \"$path\", \"value\": \"$finalizer\"},
            {\"op\": \"remove\", \"path\": \"$path\"}]"
    done <<<"$held"
done
