#!/usr/bin/env bash
# Builds the controller's image from Dockerfile, on Debian 12 or newer and as root: mmdebstrap makes
# the Debian in which buildah builds. Needs neither docker nor a registry.
#
#   charts/build_image.sh [--platform linux/amd64|linux/arm64] [FOLDER]    default: build/oci
#
# Writes sluice.tar, an OCI archive for the platform (default: this machine's), and
# sluice.spdx.json, its bill of materials, to FOLDER. Two builds of a commit have the same digest as
# long as Debian's packages do not change. It takes about ten minutes on two cores.
#
# SLUICE_DEBIAN_MIRROR   mirror of Debian's packages (default: mmdebstrap's choice)
# SOURCE_DATE_EPOCH      the date of all files (default: that of the commit)
# STORAGE_DRIVER         buildah's (default: vfs, which works everywhere)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
own_platform=linux/$(dpkg --print-architecture)
platform=$own_platform
if [ "${1:-}" = --platform ]; then
    platform=${2:-}
    shift 2 || usage
fi
case "$platform" in linux/amd64 | linux/arm64) ;; *) usage ;; esac
case "${1:-}" in -*) usage ;; esac
folder=${1:-build/oci}

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
die() { printf 'build_image: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || die 'run this as root: mmdebstrap and buildah change to other roots'
say 'installing missing packages'
test/install_dependencies.sh image

export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
version=$(sed -n 's/^appVersion: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' charts/sluice/Chart.yaml)
[ -n "$version" ] || die 'charts/sluice/Chart.yaml has no appVersion'
# The name that a node looks for if the chart's image is `sluice`.
readonly name=docker.io/library/sluice:$version base=localhost/sluice-debian

mkdir -p "$folder"
work=$(mktemp -d "$folder/.building.XXXXXX")
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
finish() {
    buildah rm --all >/dev/null 2>&1 || true # unmounts what is mounted
    rm -rf "$work"
}
trap finish EXIT

say 'making a Debian'
mmdebstrap --quiet --variant=minbase bookworm "$work/debian.tar" \
    ${SLUICE_DEBIAN_MIRROR:+"$SLUICE_DEBIAN_MIRROR"}
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/debian.tar" / >/dev/null
buildah commit --quiet --rm "$container" "$base" >/dev/null
rm "$work/debian.tar"

say 'building'
# Without BUILDPLATFORM, which docker sets, buildah would look for a Debian of the image's platform.
buildah build --format oci --layers=false --pull-never --timestamp "$SOURCE_DATE_EPOCH" \
    --platform "$platform" --build-arg BUILDPLATFORM="$own_platform" \
    --build-arg BASE="$base" --build-arg SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" --tag "$name" .

say 'writing the archive'
buildah push --quiet --digestfile "$work/digest" "$name" "oci-archive:$work/sluice.tar:$name"
container=$(buildah from --pull-never --platform "$platform" "$name")
cp "$(buildah mount "$container")/usr/share/doc/sluice/sbom.spdx.json" "$folder/sluice.spdx.json"
mv "$work/sluice.tar" "$folder/sluice.tar"
printf '%s: %s, %s bytes, %s\n' "$folder/sluice.tar" "$name" "$(stat -c %s "$folder/sluice.tar")" \
    "$(cat "$work/digest")"
