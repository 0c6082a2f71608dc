#!/usr/bin/env bash
# Runs the examples on a bare Debian 12 (as root or with sudo), and shows which jobs run, which
# wait, and why. Installs missing packages, builds Sluice, starts `sluice dev`, and applies the
# examples to it. On two cores this takes some minutes, nearly all of it for the build; later runs
# take seconds.
#
#   examples/quickstart.sh          prints a summary and stops everything
#   examples/quickstart.sh --keep   keeps it running and prints how to look around
#   examples/quickstart.sh --real   uses a real Kubernetes control plane, which is built first (half
#                                   an hour and 5 GB, most of it only once)
#
# Fails, and prints the condition that was not reached, if an example does not do what its README
# says.
#
# SLUICE_BINARY   an existing sluice binary: it is not built, nor are packages for that installed
set -euo pipefail
if [ -n "${SLUICE_BINARY:-}" ]; then
    SLUICE_BINARY=$(realpath -m -- "$SLUICE_BINARY")
    if [ ! -x "$SLUICE_BINARY" ]; then
        printf 'error: SLUICE_BINARY: %s is not a program\n' "$SLUICE_BINARY" >&2
        exit 2
    fi
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' examples/quickstart.sh; }

is_real=0
options=()
for argument in "$@"; do
    case "$argument" in
        --keep) ;;
        --real) is_real=1 ;;
        -h | --help) usage; exit 0 ;;
        *) printf 'error: unknown argument: %s\n' "$argument" >&2; usage >&2; exit 2 ;;
    esac
    options+=("$argument")
done

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

binary=${SLUICE_BINARY:-build/quickstart/controller/sluice}
if [ "$is_real" -eq 1 ]; then
    say 'installing missing packages'
    test/install_dependencies.sh
elif [ -z "${SLUICE_BINARY:-}" ]; then
    say 'installing missing packages'
    test/install_dependencies.sh build
fi
if [ -z "${SLUICE_BINARY:-}" ]; then
    say 'building Sluice'
    cmake --preset quickstart >/dev/null
    cmake --build --preset quickstart
fi

code=0
trap : INT  # the program stops its cluster and reports it
python3 examples/play --binary "$binary" ${options[@]+"${options[@]}"} || code=$?
[ "$code" -eq 130 ] || printf '\n%s s in total.\n' "$SECONDS"
exit "$code"
