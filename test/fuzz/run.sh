#!/usr/bin/env bash
# Runs the fuzz targets with libFuzzer: test/fuzz/run.sh [SECONDS a target, 60] [TARGET...]
# Inputs that reach new code are kept in build/fuzz/found/TARGET; the corpus is not changed.
#
#   test/fuzz/run.sh --corpus [TARGET...]    runs each over its corpus once and makes no new input
#
# Ends with `N passed, N failed` (targets).
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
case "$seconds" in
    --corpus) limit=(-runs=0) ;;
    '' | 0 | *[!0-9]*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) limit=("-max_total_time=$seconds" -print_final_stats=1) ;;
esac
shift || true
targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
    for source in test/fuzz/*_fuzz.cpp; do targets+=("$(basename "$source" _fuzz.cpp)"); done
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)"

failed=0
for target in "${targets[@]}"; do
    found=build/fuzz/found/$target
    mkdir -p "$found/new"
    printf '== %s: %s\n' "$target" "${limit[0]}"
    if ! "build/fuzz/test/fuzz/${target}_fuzzer" "${limit[@]}" -max_len=8192 \
        -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        -artifact_prefix="$found/" "$found/new" "test/fuzz/corpus/$target"; then
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$target"
    fi
done
printf '%s passed, %s failed\n' "$((${#targets[@]} - failed))" "$failed"
[ "$failed" -eq 0 ]
