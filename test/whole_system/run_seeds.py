#!/usr/bin/env python3
"""Plays many seeds of the whole system, a share on each processor.

    run_seeds.py PROGRAM [--seeds N] [--actions N] [--first SEED] [--hostile | --journal]

A change of the program changes what a seed does, so that the same seeds try other courses with
each commit. The last line is `N passed, N failed`, counting seeds.
"""

import argparse
import os
import re
import subprocess
import sys


SECONDS_A_SEED = 3.0  # bounds a course that does not end


def shares(first, seeds, processors):
    """(first seed, how many) of each processor."""
    made = []
    for index in range(processors):
        count = seeds // processors + (1 if index < seeds % processors else 0)
        if count:
            made.append((first, count))
        first += count
    return made


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--actions", type=int, default=15)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--hostile", action="store_true", help="courses of a hostile tenant")
    parser.add_argument(
        "--journal", action="store_true", help="record each replica and replay its decisions"
    )
    options = parser.parse_args()
    mode = ["--hostile"] * options.hostile + ["--journal"] * options.journal
    runs = [
        subprocess.Popen(
            [options.program, "--seed", str(seed), "--seeds", str(count),
             "--actions", str(options.actions), *mode],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for seed, count in shares(options.first, options.seeds, os.cpu_count() or 1)
    ]
    played = failed = 0
    for run in runs:
        try:
            output, told = run.communicate(timeout=SECONDS_A_SEED * options.seeds)
        except subprocess.TimeoutExpired:
            run.kill()
            output, told = run.communicate()
        print(output, end="")
        if run.returncode not in (0, 1):
            last_seed = told.split()[-1] if told.split() else "?"
            print(f"it died or did not end (exit code {run.returncode}) in seed {last_seed}")
            print(f"again: {options.program} --seed {last_seed} --seeds 1 "
                  f"--actions {options.actions} {' '.join(mode)} --print-actions")  # fmt: skip
        last = re.search(r"^(\d+) seeds from .*; (\d+) seeds failed$", output, re.MULTILINE)
        if last:
            played += int(last[1])
            failed += int(last[2])
    # Those of a program that died.
    failed += options.seeds - played
    print(f"{options.seeds - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
