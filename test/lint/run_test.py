#!/usr/bin/env python3
"""Proves that test/run.sh ends with its last line whatever happens, and tests no stale binary.

Each row runs a copy of it in which every program that it calls is a script which fails, or never
ends, when its words say so.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 60.0  # bounds a run that hangs; one that works takes a second
# $FAILING and $ENDLESS are patterns of a command and its words.
PROGRAM = """#!/bin/sh
line="$(basename "$0") $*"
echo "$line" >>"$CALLS"
case "$line" in $ENDLESS) exec sleep 1000 ;; esac
case "$line" in $FAILING) echo "broken: $line"; exit 3 ;; esac
case "$line" in
*--output-junit*)
    while [ "$1" != --output-junit ]; do shift; done
    echo '<t><testcase name="x" status="run"><system-out/></testcase></t>' >"$2" ;;
*tidy.py* | *run_once.py* | *run_seeds.py* | *clients_test.py* | *image_test.py* | *e2e* | run.sh*)
    echo '2 passed, 0 failed' ;;
esac
"""
SCRIPTS = (
    "test/install_dependencies.sh", "test/lint/tidy.py", "test/bench/run_once.py",
    "examples/quickstart.sh",
)  # fmt: skip
STALE = "ctest --test-dir build/"

# (promise, arguments and variables, pattern that fails, pattern that never ends, last line, exit
#  code, a part of a call that there must not be or None)
ROWS = [
    ("all is well", [], "-", "-", "1 passed, 0 failed", 0, "tidy.py"),
    ("all of it is well", ["--all"], "-", "-", "22 passed, 0 failed", 0, None),
    ("a machine that is too slow leaves the sanitizers out", ["--all", "SLUICE_CI_SECONDS=0"], "-",
     "-", "19 passed, 0 failed, 5 skipped", 0, "asan"),
    ("a build that takes too long ends", ["--all", "SLUICE_CI_SECONDS=3"], "-",
     "cmake --build --preset ?san *", "19 passed, 0 failed, 5 skipped", 0, STALE + "asan"),
    ("an install that fails", [], "install*", "-", "0 passed, 1 failed", 1, "cmake"),
    ("a configure that fails", [], "cmake --preset dev*", "-",
     "0 passed, 1 failed, 1 skipped", 1, STALE + "dev"),
    ("a build that fails ends what needs it alone", ["--all"], "cmake --build --preset dev *", "-",
     "12 passed, 1 failed, 7 skipped", 1, STALE + "dev"),
    ("no end-to-end test of a stale binary", ["--all"], "cmake --build --preset dev *", "-",
     "12 passed, 1 failed, 7 skipped", 1, "e2e"),
    ("no replay of stale corpora", ["--all"], "cmake --build --preset asan *", "-",
     "20 passed, 1 failed, 2 skipped", 1, STALE + "asan"),
    ("no benchmark of a stale build", ["--all"], "cmake --build --preset release *", "-",
     "13 passed, 1 failed, 5 skipped", 1, "run_once"),
    ("ctest that fails without a failed case", [], "ctest *", "-", "0 passed, 1 failed", 1, None),
    ("a suite that ends without its line", ["--all"], "python3 test/e2e*", "-",
     "20 passed, 1 failed", 1, None),
    ("a signal while a build runs", [], "-", "cmake --build*", "0 passed, 1 failed", 1, "ctest"),
    ("a signal while a suite runs", ["--all"], "-", "tidy.py*", "1 passed, 2 failed", 1, "e2e"),
]


def plant(root):
    (root / "test/e2e").mkdir(parents=True)
    for path in ("test/run.sh", "test/tally.py"):
        shutil.copy(ROOT / path, root / path)
    for path in (*SCRIPTS, "programs/cmake", "programs/ctest", "programs/python3"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(PROGRAM)
        (root / path).chmod(0o755)
    # The real one adds up at the end.
    tally = f'case "$1" in test/tally.py) exec {sys.executable} "$@" ;; esac\n'
    (root / "programs/python3").write_text(PROGRAM.replace("\n", "\n" + tally, 1))


def run(root, arguments, failing, endless, number):
    """(lines of output, exit code, calls, whether it ended in time)"""
    calls = root / "calls"
    environment = os.environ | {
        "PATH": f"{root / 'programs'}:{os.environ['PATH']}",
        "CALLS": str(calls),
        "FAILING": failing,
        "ENDLESS": endless,
    }
    environment.pop("SLUICE_E2E", None)
    environment.pop("SLUICE_CI_SECONDS", None)
    variables = dict(word.split("=") for word in arguments if "=" in word)
    environment |= variables
    started = subprocess.Popen(
        [str(root / "test/run.sh"), *(word for word in arguments if "=" not in word)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    if endless != "-" and not variables:  # it is ended from outside
        word, deadline = endless.strip("*"), time.monotonic() + SECONDS
        while time.monotonic() < deadline and not (calls.exists() and word in calls.read_text()):
            time.sleep(0.01)
        started.send_signal(number)
    try:
        output, _ = started.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        output = started.communicate()[0] + "\nit did not end"
    return output.splitlines() or [""], started.returncode, calls.read_text()


def main():
    failed = 0
    rows = [(*row, signal.SIGTERM) for row in ROWS]
    rows += [(*row, signal.SIGINT) for row in ROWS if row[3] != "-" and len(row[1]) < 2]
    for promise, arguments, failing, endless, last, code, absent, number in rows:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            plant(root)
            lines, found, calls = run(root, arguments, failing, endless, number)
        good = (lines[-1], found) == (last, code) and not (absent and absent in calls)
        # Each `N skipped` has its reasons.
        skipped = re.search(r"(\d+) skipped$", last)
        good &= sum(": skipped, " in line for line in lines) == int(skipped[1] if skipped else 0)
        failed += not good
        print(f"{'passed' if good else 'FAILED'}: {promise}")
        if not good:
            print(f"expected {last}, exit {code}, without {absent}; exit {found}, calls:\n{calls}")
            print("\n".join(lines))
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
