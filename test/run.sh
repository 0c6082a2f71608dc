#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: unit, scenario, integration and lint.
#
#   test/run.sh          these, in the dev build
#   test/run.sh --all    and: clang-tidy on what the last commits changed and, for a minute, on the
#                        rest; the random suites; the release build with the engine's tests, 1,000
#                        seeds of the whole system and as many of a hostile tenant, each benchmark
#                        once, and the image's folder with that program, which starts as the
#                        Deployment starts it;
#                        examples/quickstart.sh; on the real control plane test/e2e and
#                        examples/quickstart.sh --real; kubectl, helm and the Python client on
#                        `sluice dev`; all tests but those labelled `program` under address and
#                        undefined-behaviour sanitizers, with the fuzz corpora; what has threads
#                        under the thread sanitizer
#
# SLUICE_CI_SECONDS=N     the sanitizers' builds end, and their tests do not begin, later than N
#                         seconds after the start (3600): a machine without a compiler cache may not
#                         have the time. What is left out counts as skipped
# SLUICE_E2E=0            leaves the real control plane out
# SLUICE_KEEP_BUILDS=1    keeps the builds asan, tsan and release, which --all deletes when each is
#                         tested: all four at once need too much of a small disk
#
# What is left out and what is skipped is printed and counted. The last line is `N passed,
# N failed`, or `N passed, N failed, N skipped`, counting every test case of every suite; it is
# printed too when a step fails or a signal ends the run, which then has failed.
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
limit=${SLUICE_CI_SECONDS:-3600}
results=build/results
rm -rf "$results"
mkdir -p "$results"
stage=start # what is being done, for a run that ends early
child=      # process group of the command that is waited for
is_complete=0
declare -A is_built=()

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

# Ends what still runs, and prints the last line whatever happened.
finish() {
    local code=$?
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "$child" ]; then
        kill -TERM -- "-$child" 2>/dev/null || true
        for _ in {1..80}; do
            kill -0 -- "-$child" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL -- "-$child" 2>/dev/null || true
    fi
    if [ "$is_complete" -eq 0 ]; then
        printf 'FAILED: the run ended in: %s (exit code %s)\n' "$stage" "$code"
        printf '0 passed, 1 failed\n' >"$results/ended-early.txt"
    fi
    say 'all suites'
    if ! command -v python3 >/dev/null; then
        printf '0 passed, 1 failed\n'
        exit 1
    fi
    python3 test/tally.py "$results" || exit 1
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# run COMMAND...: in a process group of its own. bash acts on a signal while it waits, but not while
# a command in the foreground runs; and finish() reaches the command's children by the group.
run() {
    local code=0
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    wait "$child" || code=$?
    child=
    return "$code"
}

# step NAME COMMAND...: something that is no test but can fail; a failure counts as one failed test.
step() {
    stage=$1
    shift
    say "$stage"
    if ! run "$@"; then
        printf 'FAILED: %s\n' "$stage"
        printf '0 passed, 1 failed\n' >"$results/$stage.txt"
        return 1
    fi
}

# ctests NAME BUILD OPTIONS...: ctest over one build folder, its cases counted from the JUnit file.
# ctest may fail though no case did: it found none, or was killed.
ctests() {
    stage=$1
    local build=$2 file=$results/$1.xml
    shift 2
    say "$stage"
    run ctest --test-dir "build/$build" -j "$jobs" --timeout 900 --output-on-failure \
        --no-tests=error --test-output-size-passed 4000000 --test-output-size-failed 4000000 \
        --output-junit "$PWD/$file" "$@" ||
        grep -q 'status="\(fail\|notrun\)"' "$file" 2>/dev/null ||
        printf '0 passed, 1 failed\n' >"$results/$stage-ctest.txt"
}

shown() { "$@" 2>&1 | tee "$results/$stage.txt"; }

# counted NAME COMMAND...: a command that itself ends with `N passed, N failed`.
counted() {
    stage=$1
    shift
    say "$stage"
    : >"$results/$stage.txt" # a suite that a signal ends has no line, which counts as a failure
    local code=0
    run shown "$@" || code=$?
    if [ "$code" -ne 0 ] && ! grep -q ', [1-9][0-9]* failed' "$results/$stage.txt"; then
        printf 'FAILED: %s: exit code %s\n0 passed, 1 failed\n' "$stage" "$code" |
            tee -a "$results/$stage.txt"
    fi
}

# skip WHY STAGE...: leaves stages out, and counts each as skipped.
skip() {
    local why=$1 name
    shift
    for name in "$@"; do
        say "$name: skipped, $why"
        printf 'skipped: %s\n0 passed, 0 failed, 1 skipped\n' "$why" >"$results/$name.txt"
    done
}

build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$@" -j "$jobs"; }

# prepare BUILD OPTIONS...: configures and builds. What needs the build asks has() first: binaries
# that an earlier run left there are not tested.
prepare() {
    step "build-$1" build "$@" && is_built[$1]=1
}

# prepare_in_time BUILD OPTIONS...: the same while there is time; ccache keeps what was built.
prepare_in_time() {
    local code=0
    stage=build-$1
    say "$stage"
    [ "$SECONDS" -lt "$limit" ] || { skip 'no time is left' "$stage"; return 1; }
    # shellcheck disable=SC2016 # the inner shell expands them
    run timeout $((limit - SECONDS)) bash -c \
        'cmake --preset "$1" >/dev/null && cmake --build --preset "$@" -j "$0"' "$jobs" "$@" ||
        code=$?
    case $code in
        0) is_built[$1]=1 ;;
        124) skip 'no time is left' "$stage" ;;
        *) printf 'FAILED: %s\n' "$stage"; printf '0 passed, 1 failed\n' >"$results/$stage.txt" ;;
    esac
}

# has BUILD STAGE...: whether this run made the build; otherwise the stages are skipped.
has() {
    local build=$1
    shift
    [ -n "${is_built[$build]:-}" ] || { skip "there is no $build build" "$@"; return 1; }
}

# discard BUILD: deletes the folder of a build that no later stage needs; ccache has its objects.
discard() {
    [ "${SLUICE_KEEP_BUILDS:-0}" = 1 ] || rm -rf "build/${1:?}"
}

dev() {
    prepare dev || true
    has dev dev || return 0
    ctests dev dev -L '^(unit|scenario|integration|lint)$'
}

tidy() {
    has dev clang-tidy || return 0
    counted clang-tidy test/lint/tidy.py
}

# Tests named *_random run for two minutes each and print how many cases that were. They begin with
# a seed of the commit's: each commit tries other cases, and the same ones wherever it is tested.
random_suites() {
    has dev random || return 0
    local commit
    commit=$(git rev-parse --short=8 HEAD 2>/dev/null) || commit=1
    SLUICE_RANDOM_SEED=$((16#$commit)) ctests random dev -V -R '_random$'
}

# Tests that start the program dozens of times would take half of the time of this stage.
asan() {
    prepare_in_time asan || true
    has asan asan fuzz-corpora || return 0
    ctests asan asan -L '^(unit|scenario|integration)$' -LE '^program$'
    ctests fuzz-corpora asan -L '^fuzz$'
}

tsan() {
    prepare_in_time tsan --target threads || true
    has tsan tsan || return 0
    ctests tsan tsan -L '^threads$'
}

# What users run, and what its speed is measured with.
release() {
    prepare release --target sluice engine_test scenario_test whole_system_random benchmarks || true
    has release release whole-system hostile-tenant benchmarks image || return 0
    ctests release release -R '^(engine_test|scenarios)$'
    counted whole-system python3 test/whole_system/run_seeds.py \
        build/release/test/whole_system/whole_system_random
    counted hostile-tenant python3 test/whole_system/run_seeds.py \
        build/release/test/whole_system/whole_system_random --hostile
    counted benchmarks test/bench/run_once.py build/release/test/bench
    counted image python3 test/image/image_test.py build/release/controller/sluice
}

# What a newcomer runs, with the controller that was built already; and the same on the real control
# plane.
quickstart() {
    SLUICE_BINARY=build/dev/controller/sluice examples/quickstart.sh "$@" &&
        printf '1 passed, 0 failed\n'
}

e2e() {
    if [ "${SLUICE_E2E:-1}" = 0 ]; then
        skip 'SLUICE_E2E=0' e2e clients quickstart-real
        return 0
    fi
    has dev e2e clients quickstart-real || return 0
    counted e2e env SLUICE_BINARY="$PWD/build/dev/controller/sluice" python3 test/e2e --processes=2
    counted clients python3 test/clients/clients_test.py build/dev/controller/sluice
    counted quickstart-real quickstart --real
}

try_quickstart() {
    has dev quickstart || return 0
    counted quickstart quickstart
}

# In the foreground, since sudo may ask for a password.
stage=install
say install
test/install_dependencies.sh
dev
if [ "$all" -eq 1 ]; then
    tidy
    random_suites
    release
    discard release
    try_quickstart
    e2e
    asan
    discard asan
    tsan
    discard tsan
fi
is_complete=1
