#!/usr/bin/env python3
"""Runs each benchmark once, briefly: run_once.py FOLDER of the programs.

Proves that they still work; what they measure is thrown away. Ends with `N passed, N failed`
(benchmarks of engine_bench, and each other program).
"""

import json
import pathlib
import subprocess
import sys

SECONDS = 300  # bounds one that hangs
BRIEFLY = ["--benchmark_min_time=0.0001", "--benchmark_format=json"]


def run(command):
    """(exit code or what else is wrong, output)"""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error), ""
    return done.returncode, done.stdout


def run_engine(program):
    """Yields (benchmark, what is wrong or None)."""
    code, output = run([program, *BRIEFLY])
    try:
        measured = json.loads(output)["benchmarks"]
    except ValueError:
        measured = []
    for each in measured:
        # One that stops itself with SkipWithError() has measured nothing.
        yield each["name"], each["error_message"] if each.get("error_occurred") else None
    if code != 0 or not measured:
        yield program.name, f"exit code {code} after {len(measured)} benchmarks"


def run_other(program, *arguments):
    code, _ = run([program, *arguments])
    yield program.name, None if code == 0 else f"exit code {code}"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    found = [
        *run_engine(folder / "engine_bench"),
        *run_other(folder / "instruction_counts"),
        *run_other(folder / "conversion_bench", "1"),
        *run_other(folder / "pod_bench", "--benchmark_filter=Replace"),
        *run_other(folder / "metrics_bench", "--benchmark_filter=/1000$"),
        *run_other(folder / "api_server_bench", "--benchmark_filter=Start|Watch"),
    ]
    bad = [(name, why) for name, why in found if why]
    for name, why in bad:
        print(f"FAILED: {name}: {why}")
    print(f"{len(found) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
