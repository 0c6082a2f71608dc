#!/usr/bin/env bash
# Installs what Sluice is built and tested with on Debian 12 or newer. Run as root or with sudo.
# Installs only what is missing, so a second run changes nothing.
#
#   test/install_dependencies.sh          all but Go
#   test/install_dependencies.sh go       and a Go that can build the control plane
#   test/install_dependencies.sh build    what it takes to build `sluice` alone and to try it;
#                                         with `arm64` or `amd64` after it, for that processor
#   test/install_dependencies.sh image    what charts/build_image.sh takes
set -euo pipefail

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }

with_go=0
with_tests=1
only_image=0
processor=$(dpkg --print-architecture)
wanted_processor=${2:-$processor}
case "${1:-}" in
    '') ;;
    go) with_go=1 ;;
    build) with_tests=0 ;;
    image) only_image=1 with_tests=0 ;;
    *) usage ;;
esac
case "$wanted_processor" in
    "$processor") ;;
    amd64) triplet=x86_64-linux-gnu ;;
    arm64) triplet=aarch64-linux-gnu ;;
    *) usage ;;
esac
[ "$wanted_processor" = "$processor" ] || [ "$with_tests$only_image" = 00 ] || usage

say() { printf 'install: %s\n' "$*"; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# shellcheck disable=SC1091
. /etc/os-release
# The oldest versions that are enough: what CMakeLists.txt and lib/toolchain.cmake ask for, else the
# version of Debian 12. A machine that was Debian 11 may still have older ones.
declare -A oldest=([cmake]=3.25 [ninja-build]=1.11 [python3]=3.11 [python3-yaml]=6.0
    [libssl-dev]=3.0 [libyaml-cpp-dev]=0.7 [libfmt-dev]=9.1 [libre2-dev]=20220601
    [libzstd-dev]=1.5.4 [rapidjson-dev]=1.1 [libspdlog-dev]=1:1.10 [libcli11-dev]=2.1
    [libgoogle-perftools-dev]=2.10
    [libboost-dev]=1.83 [libboost-url-dev]=1.83 [libboost1.83-dev]=1.83
    [libboost-url1.83-dev]=1.83 [clang]=1:16 [lld]=1:16 [clang-16]=1:16 [lld-16]=1:16
    [catch2]=3.7 [libbenchmark-dev]=1.7 [ccache]=4.7 [valgrind]=1:3.19 [shellcheck]=0.9
    [python3-kubernetes]=22.6 [python3-pyte]=0.8 [llvm]=1:16 [libclang-rt-dev]=1:16
    [llvm-16]=1:16 [libclang-rt-16-dev]=1:16 [clang-format]=1:16 [clang-tidy]=1:16
    [clang-format-19]=1:19 [clang-tidy-19]=1:19 [golang-go]=2:1.21 [golang-1.23-go]=1.23
    [buildah]=1.28 [mmdebstrap]=1.3 [libstdc++-12-dev]=12.2 [libstdc++-14-dev]=14
    [binutils-aarch64-linux-gnu]=2.40 [binutils-x86-64-linux-gnu]=2.40)
# Any version of these is enough.
for p in git ca-certificates curl xz-utils openssl; do oldest[$p]=0; done

# Debian 12 ships a Boost and a Catch2 that are too old; its own backports carry newer ones.
backports_packages=()
packages=(cmake ninja-build git ca-certificates python3 python3-yaml libssl-dev libyaml-cpp-dev
    libfmt-dev libre2-dev libzstd-dev rapidjson-dev libspdlog-dev libcli11-dev
    libgoogle-perftools-dev)
if [ "$with_tests" -eq 1 ]; then
    packages+=(ccache curl xz-utils openssl libbenchmark-dev valgrind shellcheck
        python3-kubernetes python3-pyte)
fi
if [ "${VERSION_CODENAME:-}" = bookworm ]; then
    packages+=(clang-16 lld-16)
    backports_packages=(libboost1.83-dev libboost-url1.83-dev)
    if [ "$with_tests" -eq 1 ]; then
        packages+=(libclang-rt-16-dev llvm-16 clang-format-19 clang-tidy-19)
        backports_packages+=(catch2)
    fi
    if [ "$with_go" -eq 1 ]; then backports_packages+=(golang-1.23-go); fi
else
    packages+=(clang lld libboost-dev libboost-url-dev)
    if [ "$with_tests" -eq 1 ]; then
        packages+=(llvm libclang-rt-dev clang-format clang-tidy catch2)
    fi
    if [ "$with_go" -eq 1 ]; then packages+=(golang-go); fi
fi

# for_wanted_processor PACKAGE...: prints them, libraries as those of the wanted processor.
for_wanted_processor() {
    local name
    for name in "$@"; do
        case $name in
            rapidjson-dev | libcli11-dev) ;; # headers for all processors
            lib*-dev) name=$name:$wanted_processor ;;
        esac
        printf '%s\n' "$name"
    done
}

if [ "$wanted_processor" != "$processor" ]; then
    # clang itself compiles for any processor. strip does not; and it brings no C++ library.
    packages+=("binutils-${triplet/_/-}")
    if [ "${VERSION_CODENAME:-}" = bookworm ]; then
        packages+=(libstdc++-12-dev)
    else
        packages+=(libstdc++-14-dev)
    fi
    mapfile -t packages < <(for_wanted_processor "${packages[@]}")
    mapfile -t backports_packages < <(for_wanted_processor "${backports_packages[@]}")
fi

# find_lacking PACKAGE...: sets `lacking` to those of them that are not installed or are too old.
# Old packages come as dependencies of others: Debian 12's libspdlog-dev brings Catch2 2.
find_lacking() {
    local name kind version status
    declare -A installed=()
    while IFS='|' read -r name kind version status; do
        case $status in *'ok installed') ;; *) continue ;; esac
        installed[$name:$kind]=$version
        case $kind in all | "$processor") installed[$name]=$version ;; esac
    done < <(dpkg-query -W -f='${Package}|${Architecture}|${Version}|${Status}\n' "$@" 2>/dev/null)
    lacking=()
    for name in "$@"; do
        version=${installed[$name]:-}
        if [ -z "$version" ] ||
            ! dpkg --compare-versions "$version" ge "${oldest[${name%:*}]}"; then
            lacking+=("$name")
        fi
    done
}

if [ "$only_image" -eq 1 ]; then
    packages=(buildah mmdebstrap git ca-certificates python3)
    backports_packages=()
fi

find_lacking "${packages[@]}"
wanted=("${lacking[@]}")
find_lacking "${backports_packages[@]}"
wanted_backports=("${lacking[@]}")

if [ "${#wanted[@]}" -eq 0 ] && [ "${#wanted_backports[@]}" -eq 0 ]; then
    say 'everything is there'
    exit 0
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    say "run this as root, since sudo is not installed: ${wanted[*]} ${wanted_backports[*]}"
    exit 2
fi

# The mirror of the machine's own Debian source, so that a private mirror goes on being used.
debian_mirror() {
    local uri blank='[[:space:]]'
    uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*debian\/\{0,1\}\)[[:space:]]*$/\1/p' \
        /etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v security | head -n 1 || true)
    if [ -z "$uri" ]; then
        local options="\\(\\[[^]]*\\]$blank\\)\\{0,1\\}"
        uri=$(sed -n "s/^deb$blank$options\\([^[:space:]]*\\)${blank}bookworm$blank.*/\\2/p" \
            /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1 || true)
    fi
    printf '%s' "$uri"
}

# A machine may name sources that cannot be reached and that nothing here needs.
read_lists() {
    say 'reading the package lists'
    as_root apt-get update -q || say 'some package source was not reached; going on with the others'
}

has_backports() { apt-cache policy 2>/dev/null | grep -q 'bookworm-backports/main'; }

# An earlier run that was interrupted may have left packages unpacked; apt-get refuses to go on.
as_root dpkg --configure -a
if [ "$wanted_processor" != "$processor" ]; then
    as_root dpkg --add-architecture "$wanted_processor"
fi
# Before has_backports, since a machine may come without lists, and apt then knows no source.
read_lists
if [ "${#wanted_backports[@]}" -gt 0 ] && ! has_backports; then
    mirror=$(debian_mirror)
    if [ -z "$mirror" ]; then
        say 'no Debian source was found from which bookworm-backports could be derived'
        exit 2
    fi
    say "adding bookworm-backports from $mirror"
    as_root tee /etc/apt/sources.list.d/sluice-backports.sources >/dev/null <<SOURCE
Types: deb
URIs: $mirror
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE
    read_lists
fi

export DEBIAN_FRONTEND=noninteractive
if [ "${#wanted[@]}" -gt 0 ]; then
    say "installing ${wanted[*]}"
    as_root apt-get install -y -q --no-install-recommends "${wanted[@]}"
fi
if [ "${#wanted_backports[@]}" -gt 0 ]; then
    say "installing from backports: ${wanted_backports[*]}"
    as_root apt-get install -y -q --no-install-recommends -t bookworm-backports \
        "${wanted_backports[@]}"
fi

# A package that is held, or for which no source has a newer version, would fail the build later.
find_lacking "${packages[@]}" "${backports_packages[@]}"
for p in "${lacking[@]}"; do
    version=$(dpkg-query -W -f='${Version}' "$p" 2>/dev/null || true)
    say "$p ${oldest[${p%:*}]} or newer is needed; ${version:-no version} is installed"
done
[ "${#lacking[@]}" -eq 0 ] || exit 1
say 'done'
