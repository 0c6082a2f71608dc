#!/usr/bin/env python3
"""Proves that the programs that run scenarios fail for the reason that a file gives, and no other.

  runners_test.py SCENARIO_TEST SCHEDULE_BATCH

A crash, a missing file or a folder without scenarios is no expected failure.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BAD, GOOD = HERE / "bad", HERE / "a_back_off_ends_by_itself.yaml"
GOOD_OBJECTS = HERE / "objects/a_boost_raises_the_priority.yaml"
# A program in place of schedule_batch that answers one command and dies.
DYING = """#!/bin/sh
printf '{"cycles": [], "active": {}, "inadmissible": {}}\\n\\0360\\n'; printf '\\0360\\n' >&2
kill -9 $$
"""

# (promise, runner, files, exit code, last line, parts of the output)
ROWS = [
    ("a good scenario passes", "engine", [GOOD], 0, "1 passed, 0 failed", [f"{GOOD}: passed"]),
    ("an unknown step is told", "engine", [BAD / "unknown_step.yaml"], 1,
     "0 passed, 1 failed", ["no step explode"]),
    ("a decision that was not expected is told", "engine", [BAD / "wrong_expectation.yaml"], 1,
     "0 passed, 1 failed", ["not expected: admit a/w1"]),
    ("a bad one does not stop the others", "engine", [BAD / "unknown_step.yaml", GOOD], 1,
     "1 passed, 1 failed", [f"{GOOD}: passed", f"FAILED: {BAD / 'unknown_step.yaml'}"]),
    ("a file that is missing is told", "engine", [BAD / "missing.yaml", GOOD], 1,
     "1 passed, 1 failed", ["missing.yaml: FAILED: cannot be read"]),
    ("a folder without scenarios is no success", "engine", [HERE.parent / "lint"], 1,
     "0 passed, 1 failed", ["no scenario is there"]),
    ("no file at all is no success", "engine", [], 1, "0 passed, 0 failed", []),
    ("a good scenario of objects passes", "objects", [GOOD_OBJECTS], 0, "1 passed, 0 failed",
     [f"{GOOD_OBJECTS}: passed"]),
    ("another usage is told", "objects", [BAD / "wrong_usage.yaml"], 1, "0 passed, 1 failed",
     ["decision 1 is another", "cpu:1"]),
    ("a bad one of objects does not stop the others", "objects",
     [BAD / "wrong_usage.yaml", GOOD_OBJECTS], 1, "1 passed, 1 failed",
     [f"{GOOD_OBJECTS}: passed", f"FAILED: {BAD / 'wrong_usage.yaml'}"]),
    ("a word of no scenario of objects is told", "objects", [BAD / "unknown_step.yaml"], 1,
     "0 passed, 1 failed", ["a scenario has no"]),
    ("a missing file of objects is told", "objects", [BAD / "missing.yaml", GOOD_OBJECTS], 1,
     "1 passed, 1 failed", ["missing.yaml: FAILED", "cannot be read"]),
    ("a folder without objects is no success", "objects", [HERE.parent / "lint"], 1,
     "0 passed, 1 failed", ["cannot be read"]),
    ("no file of objects at all is no success", "objects", [], 1, "0 passed, 0 failed", []),
    ("a crash fails the scenario in whose turn it came, and the others have their turn", "dying",
     [GOOD_OBJECTS, BAD / "wrong_usage.yaml"], 1, "0 passed, 2 failed",
     ["did not happen", "the process ended with -9"]),
]  # fmt: skip


def main():
    engine, batch = (str(pathlib.Path(each).resolve()) for each in sys.argv[1:3])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        dying = pathlib.Path(folder, "dying")
        dying.write_text(DYING)
        dying.chmod(0o755)
        runners = {
            "engine": [engine],
            "objects": [sys.executable, str(HERE / "object_scenarios.py"), batch],
            "dying": [sys.executable, str(HERE / "object_scenarios.py"), str(dying)],
        }
        for promise, runner, files, code, last, parts in ROWS:
            done = subprocess.run(
                [*runners[runner], *map(str, files)], capture_output=True, text=True, check=False
            )
            right = done.returncode == code and done.stdout.splitlines()[-1:] == [last]
            right &= all(part in done.stdout for part in parts)
            failed += not right
            print(f"{'passed' if right else 'FAILED'}: {promise}")
            if not right:
                print(f"expected exit {code}, {last}, {parts}; exit {done.returncode}")
                print(done.stdout, done.stderr)
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
