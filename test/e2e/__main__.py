"""Runs the end-to-end tests: python3 test/e2e [--list] [--processes=N] [PATTERN…]

A pattern is a part of a test's name (`reclaim`, `StopTest`, `job_life`). N processes each have a
cluster of their own, and take one file of tests after the other. The controller under test
is $SLUICE_BINARY or the newest build/*/controller/sluice. SLUICE_KEEP_E2E=1 keeps certificates,
data and logs. The last line is `N passed, N failed`, with `, N skipped`
after it where some were.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "control-plane")]


class Result(unittest.TextTestResult):
    """A line for each test when it is over, with its time."""

    def startTest(self, test):
        unittest.TestResult.startTest(self, test)
        self.began = time.monotonic()
        self.troubles = self.count_troubles()

    def count_troubles(self):
        return len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)

    def stopTest(self, test):
        super().stopTest(test)
        if self.skipped and self.skipped[-1][0] is test:
            return
        word = "FAILED" if self.count_troubles() > self.troubles else "passed"
        print(f"{word} {time.monotonic() - self.began:6.1f} s  {test.id()}", flush=True)


    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skipped: {test.id()}: {reason}", flush=True)


def all_tests(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from all_tests(item)
        else:
            yield item


class Claimed(unittest.TestSuite):
    """The tests of the files that no other process has taken, found out file by file."""

    _cleanup = False  # what was run is not replaced by None

    def __init__(self, tests, folder):
        super().__init__(tests)
        self.folder = folder

    def __iter__(self):
        mine = {}
        for test in self._tests:
            name = type(test).__module__
            if name not in mine:
                mine[name] = self.claim(name)
            if mine[name]:
                yield test

    def claim(self, name):
        try:
            os.close(os.open(os.path.join(self.folder, name), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True


LAST = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def last_line(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def run_processes(number, patterns):
    """Shares the tests among processes, prints what they print, and adds up."""
    from cluster import SetupError, find_binary
    from control_plane import find_binaries

    try:
        os.environ["SLUICE_BINARY"] = str(find_binary())
    except SetupError as error:
        print(error)
        return 1
    find_binaries()  # built once
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory(prefix="sluice-e2e-") as folder:
        children = [
            subprocess.Popen(
                [sys.executable, str(HERE), f"--claims={folder}", *patterns],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            for _ in range(number)
        ]  # fmt: skip
        readers = [
            threading.Thread(target=relay, args=(child, totals), daemon=True) for child in children
        ]
        try:
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
        finally:
            for child in children:
                child.terminate()
                child.wait()
    print(last_line(*totals))
    return 1 if totals[1] or not sum(totals) else 0


def relay(child, totals):
    """Prints a process's lines but the last, whose numbers are added to `totals`."""
    line = ""
    for following in child.stdout:
        print(line, end="", flush=True)
        line = following
    found = LAST.match(line.strip())
    if found is None:
        print(line, end="", flush=True)
        print(f"a process ended without its last line (exit code {child.wait()})", flush=True)
        totals[1] += 1
        return
    for index, number in enumerate(found.groups(default="0")):
        totals[index] += int(number)


def option(name):
    """The value of --name=VALUE, or None."""
    found = [each.partition("=")[2] for each in sys.argv[1:] if each.startswith(f"--{name}=")]
    return found[-1] if found else None


def main():
    if "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__)
        return 0
    # A run that is cut short takes its cluster down too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    patterns = [each for each in sys.argv[1:] if not each.startswith("--")]
    suite = unittest.defaultTestLoader.discover(str(HERE), "*_test.py", str(HERE))
    tests = [each for each in all_tests(suite) if matches(each, patterns)]
    if not tests:
        print(f"no test has one of these in its name: {' '.join(patterns)}")
        return 1
    if "--list" in sys.argv:
        print("\n".join(each.id() for each in tests))
        return 0
    if option("processes"):
        return run_processes(int(option("processes")), patterns)
    claims = option("claims")
    result = unittest.TextTestRunner(resultclass=Result, verbosity=0, stream=sys.stdout).run(
        Claimed(tests, claims) if claims else unittest.TestSuite(tests)
    )
    # One that fails in a subtest and in its end is still one test.
    bad = [owner for owner, _ in result.failures + result.errors] + result.unexpectedSuccesses
    failed = len({owner.id().partition(" ")[0] for owner in bad})
    skipped = len(result.skipped)
    # A class that is skipped as a whole counts as one that did not run.
    began = sum(isinstance(owner, unittest.TestCase) for owner, _ in result.skipped)
    print(last_line(max(result.testsRun - failed - began, 0), failed, skipped))
    return 0 if result.wasSuccessful() and (tests or claims) else 1


def matches(test, patterns):
    return not patterns or any(pattern in test.id() for pattern in patterns)


if __name__ == "__main__":
    sys.exit(main())
