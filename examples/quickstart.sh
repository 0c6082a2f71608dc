#!/usr/bin/env bash
# Plays the examples on a bare Debian 12 (as root or with sudo), and shows which jobs run, which
# wait, and why. Installs what is missing, builds Sluice, starts `sluice dev`, and applies the
# examples to it. On two cores it takes some minutes, nearly all to build; later, seconds.
#
#   examples/quickstart.sh          ends with a summary and takes everything down
#   examples/quickstart.sh --keep   leaves it running and says how to look around
#   examples/quickstart.sh --real   on a real Kubernetes control plane of its own, which is built
#                                   first (half an hour and 5 GB, most of it once)
#
# It fails, and says what it waited for, where an example does not do what its README says.
#
# SLUICE_BINARY   a sluice that is built already; nothing is installed for its build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

is_real=0
options=()
for argument in "$@"; do
    case "$argument" in
        --keep) ;;
        --real) is_real=1 ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    options+=("$argument")
done

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

binary=${SLUICE_BINARY:-build/quickstart/controller/sluice}
if [ "$is_real" -eq 1 ]; then
    say 'installing what is missing'
    test/install_dependencies.sh
elif [ -z "${SLUICE_BINARY:-}" ]; then
    say 'installing what is missing'
    test/install_dependencies.sh build
fi
if [ -z "${SLUICE_BINARY:-}" ]; then
    say 'building Sluice'
    cmake --preset quickstart >/dev/null
    cmake --build --preset quickstart
fi

code=0
trap : INT  # it takes its cluster down, and says so
python3 examples/play --binary "$binary" ${options[@]+"${options[@]}"} || code=$?
[ "$code" -eq 130 ] || printf '\n%s s in all.\n' "$SECONDS"
exit "$code"
