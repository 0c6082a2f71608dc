"""Runs the end-to-end tests: python3 test/e2e [--list] [PATTERN…]

A pattern is a part of a test's name (`reclaim`, `StopTest`, `job_life`). The controller under test
is $SLUICE_BINARY or the newest build/*/controller/sluice. SLUICE_KEEP_E2E=1 keeps certificates,
data and logs. The last line is `N passed, N failed`, with `, N skipped`
after it where some were.
"""

import pathlib
import signal
import sys
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
    result = unittest.TextTestRunner(resultclass=Result, verbosity=0, stream=sys.stdout).run(
        unittest.TestSuite(tests)
    )
    # One that fails in a subtest and in its end is still one test.
    bad = [owner for owner, _ in result.failures + result.errors] + result.unexpectedSuccesses
    failed = len({owner.id().partition(" ")[0] for owner in bad})
    skipped = len(result.skipped)
    # A class that is skipped as a whole counts as one that did not run.
    began = sum(isinstance(owner, unittest.TestCase) for owner, _ in result.skipped)
    words = f", {skipped} skipped" if skipped else ""
    print(f"{max(result.testsRun - failed - began, 0)} passed, {failed} failed{words}")
    return 0 if result.wasSuccessful() and tests else 1


def matches(test, patterns):
    return not patterns or any(pattern in test.id() for pattern in patterns)


if __name__ == "__main__":
    sys.exit(main())
