#!/usr/bin/env bash
# Builds the real control plane (etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
# kubectl, helm) from source through the Go module proxy and prints the folder that holds the
# binaries. Progress goes to stderr, so that
#     bin=$(test/control-plane/build.sh)
# works. The folder is outside the tree and keyed by the Kubernetes version; a second call answers
# at once.
#
#   KUBEBUILDER_ASSETS      a folder with ready binaries: checked and used instead of building
#   SLUICE_CONTROL_PLANE    where to build (default:
#                           ${XDG_CACHE_HOME:-$HOME/.cache}/sluice/control-plane/<version>)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
needed=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl)
all=("${needed[@]}" helm)

say() { printf 'control-plane: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
    missing=()
    for name in "${needed[@]}"; do
        [ -x "$KUBEBUILDER_ASSETS/$name" ] || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] ||
        die "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS lacks ${missing[*]} (unset it to build all)"
    cd "$KUBEBUILDER_ASSETS" && pwd
    exit 0
fi

# The versions have one home, go.mod.
version_of() { awk -v module="$1" '$1 == module && $2 ~ /^v/ {print $2; exit}' "$here/go.mod"; }
kubernetes=$(version_of k8s.io/kubernetes)
helm=$(version_of helm.sh/helm/v3)
[ -n "$helm" ] || die 'go.mod names no version of helm.sh/helm/v3'

cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}
out=${SLUICE_CONTROL_PLANE:-$cache/sluice/control-plane/$kubernetes}
[[ $kubernetes =~ ^v([0-9]+)\.([0-9]+)\. ]] ||
    die "go.mod names no usable version of k8s.io/kubernetes: '$kubernetes'"

# A plain go build leaves these unset and the server then calls itself v0.0.0-master, which clients
# and helm reject.
base=k8s.io/component-base/version
flags="-s -w -X $base.gitMajor=${BASH_REMATCH[1]} -X $base.gitMinor=${BASH_REMATCH[2]}"
flags+=" -X $base.gitVersion=$kubernetes -X $base.gitTreeState=clean"
flags+=" -X helm.sh/helm/v3/internal/version.version=$helm"

# The same Kubernetes with another etcd or helm, or with other flags, is another build.
stamp=$({ cat "$here/go.mod" "$here/go.sum"; printf '%s' "$flags"; } | sha256sum | cut -d' ' -f1)

is_complete() {
    [ "$(cat "$out/.built-from" 2>/dev/null)" = "$stamp" ] || return 1
    local name
    for name in "${all[@]}"; do
        [ -x "$out/$name" ] || return 1
    done
}

if is_complete; then
    printf '%s\n' "$out"
    exit 0
fi

# Tool directives need Go 1.24, but Go 1.21 already knows how to fetch the version that go.mod asks
# for.
usable_go() {
    local version
    version=$(cd / && GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
    [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]
}

find_go() {
    local candidate
    for candidate in "$(command -v go || true)" /usr/local/go/bin/go /usr/lib/go-1.23/bin/go; do
        if [ -x "$candidate" ] && usable_go "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

# The project's own script knows where a recent Go comes from; Debian 12 keeps one in its backports.
install_go() {
    command -v apt-get >/dev/null || die 'no Go 1.21 or newer, and no apt-get: install Go by hand'
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die 'no Go 1.21 or newer, and neither root nor sudo'
    fi
    say 'installing Go'
    "$here/../install_dependencies.sh" go >&2
}

go=$(find_go) || {
    install_go
    go=$(find_go) || die 'Go was installed and there is still no usable one'
}

mkdir -p "$out"
# Two test runs that start together must not build twice; the one that waited finds the work done.
exec 9>"$out/.lock"
if ! flock -n 9; then
    say "another build into $out is under way, waiting for it"
    flock 9
fi
if is_complete; then
    printf '%s\n' "$out"
    exit 0
fi

work=$(mktemp -d "$out/.building.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Go fetches the toolchain that go.mod asks for where the machine's own is older. No cgo: the
# binaries are then static and need no C compiler.
export GOTOOLCHAIN=auto GOWORK=off CGO_ENABLED=0
cd "$here"
say "building Kubernetes $kubernetes and helm $helm with $("$go" env GOVERSION) into $out"
started=$SECONDS
mapfile -t packages < <("$go" list -e -f '{{.ImportPath}}' tool)
[ ${#packages[@]} -eq ${#all[@]} ] || die "go.mod has ${#packages[@]} tools, not ${#all[@]}"
nice "$go" build -mod=readonly -trimpath -ldflags "$flags" -o "$work/" "${packages[@]}" >&2
mv "$work/server" "$work/etcd" # the package's path ends in server/v3

for name in "${all[@]}"; do
    [ -x "$work/$name" ] || die "the build made no $name"
    mv -f "$work/$name" "$out/$name"
done
printf '%s\n' "$stamp" >"$out/.built-from"
say "built in $((SECONDS - started)) s"
printf '%s\n' "$out"
