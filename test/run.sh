#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: unit, scenario, integration and lint.
#
#   test/run.sh          these, in the dev build
#   test/run.sh --all    and: the same under address and undefined-behaviour sanitizers, the fuzz
#                        corpora replayed there, kube and net under the thread sanitizer,
#                        clang-tidy on what changed and, for four minutes, on the rest, the
#                        random suites, and on the real control plane test/e2e and
#                        examples/quickstart.sh
#
# SLUICE_E2E=0            leaves the real control plane out, and says so
#
# The last line is `N passed, N failed`, counting every test case of every suite.
set -euo pipefail
cd "$(dirname "$0")/.."

all=0
for argument in "$@"; do
    case "$argument" in
        --all) all=1 ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done

jobs=$(nproc)
results=build/results
rm -rf "$results"
mkdir -p "$results"
tally="python3 test/tally.py"

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

# step NAME COMMAND...: something that is no test but can fail; a failure counts as one failed test.
step() {
    local name=$1
    shift
    say "$name"
    if ! "$@"; then
        printf 'FAILED: %s\n' "$name"
        printf '0 passed, 1 failed\n' >"$results/$name.txt"
        return 1
    fi
}

# ctests NAME BUILD OPTIONS...: ctest over one build folder, its cases counted from the JUnit file.
ctests() {
    local name=$1 build=$2
    shift 2
    say "$name"
    ctest --test-dir "build/$build" -j "$jobs" --timeout 900 --output-on-failure --no-tests=error \
        --test-output-size-passed 4000000 --test-output-size-failed 4000000 \
        --output-junit "$PWD/$results/$name.xml" "$@" ||
        [ -s "$results/$name.xml" ] || printf '0 passed, 1 failed\n' >"$results/$name.txt"
}

# counted NAME COMMAND...: a command that itself ends with `N passed, N failed`.
counted() {
    local name=$1
    shift
    say "$name"
    local code=0
    "$@" 2>&1 | tee "$results/$name.txt" || code=$?
    if [ "$code" -ne 0 ] && ! grep -q ', [1-9][0-9]* failed$' "$results/$name.txt"; then
        printf 'FAILED: %s: exit code %s\n0 passed, 1 failed\n' "$name" "$code" |
            tee -a "$results/$name.txt"
    fi
}

configure() { cmake --preset "$1" >/dev/null; }
build() { configure "$1" && cmake --build --preset "$@" -j "$jobs"; }

dev() {
    step build-dev build dev || return 0
    ctests dev dev -L '^(unit|scenario|integration|lint)$'
}

asan() {
    step build-asan build asan || return 0
    ctests asan asan -L '^(unit|scenario|integration)$'
    ctests fuzz-corpora asan -L '^fuzz$'
}

tsan() {
    local targets
    step configure-tsan configure tsan || return 0
    mapfile -t targets < <(ctest --test-dir build/tsan -N -R '^(kube|net)' |
        sed -n 's/^ *Test *#[0-9]*: //p')
    if [ "${#targets[@]}" -eq 0 ]; then
        say 'tsan: skipped, there is no test of kube or net'
        return 0
    fi
    step build-tsan build tsan --target "${targets[@]}" || return 0
    ctests tsan tsan -R '^(kube|net)'
}

# Tests named *_random run for two minutes each and print how many cases that were. They begin with
# a seed of the commit's: each commit tries other cases, and the same ones wherever it is tested.
random_suites() {
    local commit
    commit=$(git rev-parse --short=8 HEAD 2>/dev/null) || commit=1
    SLUICE_RANDOM_SEED=$((16#$commit)) ctests random dev -V -R '_random$'
}

# What a newcomer runs, with the controller that was built already.
quickstart() {
    SLUICE_BINARY=build/dev/controller/sluice examples/quickstart.sh &&
        printf '1 passed, 0 failed\n'
}

e2e() {
    if [ "${SLUICE_E2E:-1}" = 0 ]; then
        say 'e2e and quickstart: skipped, SLUICE_E2E=0'
        return 0
    fi
    counted e2e env SLUICE_BINARY="$PWD/build/dev/controller/sluice" python3 test/e2e
    counted quickstart quickstart
}

step install test/install_dependencies.sh || { $tally "$results"; exit 1; }
dev
if [ "$all" -eq 1 ]; then
    counted clang-tidy test/lint/tidy.py
    random_suites
    asan
    tsan
    e2e
fi
say 'all suites'
$tally "$results"
