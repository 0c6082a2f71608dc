#!/usr/bin/env bash
# Runs clang-tidy on the sources of lib and controller that changed since origin/main, or since the
# last commit; lib/json is left out, because clang 19 rejects Debian's RapidJSON. Ends with
# `N passed, N failed` (files).
set -euo pipefail
cd "$(dirname "$0")/../.."

tidy=$(command -v clang-tidy-19 || command -v clang-tidy || true)
if [ -z "$tidy" ]; then
    printf 'clang-tidy is not installed (test/install_dependencies.sh)\n0 passed, 1 failed\n'
    exit 1
fi
base=$(git merge-base origin/main HEAD 2>/dev/null || true)
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD 2>/dev/null)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || true)
fi
if [ -z "$base" ]; then
    printf 'no commit to compare with: nothing is checked\n0 passed, 0 failed\n'
    exit 0
fi

# A changed header is checked through the source of the same name.
files=()
while read -r path; do
    source=${path%.hpp}
    source=${source%.cpp}.cpp
    if [ -f "$source" ] && grep -qF "/$source\"" build/dev/compile_commands.json; then
        files+=("$source")
    fi
done < <(git diff --name-only "$base" -- lib controller | grep -E '\.(cpp|hpp)$' |
    grep -v '^lib/json/')
mapfile -t files < <(printf '%s\n' "${files[@]}" | sort -u | sed '/^$/d')
if [ "${#files[@]}" -eq 0 ]; then
    printf 'no source changed since %s\n0 passed, 0 failed\n' "$base"
    exit 0
fi

# Without the precompiled headers, which only the compiler that made them can read.
commands=$(mktemp -d)
failures=$commands/failures
trap 'rm -rf "$commands"' EXIT
touch "$failures"
sed -E 's/-Xclang -include-pch -Xclang [^ ]+//' \
    build/dev/compile_commands.json >"$commands/compile_commands.json"
check() {
    local output
    if ! output=$("$1" -p "$2" --quiet "$3" 2>/dev/null); then
        printf '%s\n' "$output"
        printf '%s\n' "$3" >>"$2/failures"
    fi
}
export -f check
printf '%s\n' "${files[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ "$tidy" "$commands" {}
failed=$(wc -l <"$failures")
sed 's/^/clang-tidy: /' "$failures"
printf '%s passed, %s failed\n' "$((${#files[@]} - failed))" "$failed"
[ "$failed" -eq 0 ]
