#!/usr/bin/env python3
"""Proves that test/tally.py counts what test programs say and never calls a failure a success."""

import os
import subprocess
import sys
import tempfile

TALLY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tally.py")


def junit(*cases):
    """A JUnit file as ctest writes it; a case is (output, passed or the reason it did not run)."""
    text = '<?xml version="1.0"?><testsuite>'
    for output, passed in cases:
        status = "notrun" if isinstance(passed, str) else "run" if passed else "fail"
        failure = "" if passed else '<failure message="Failed"/>'
        if isinstance(passed, str):
            failure = f'<skipped message="{passed}"/>'
        text += f'<testcase name="t" status="{status}">{failure}'
        text += f"<system-out>{output}</system-out></testcase>"
    return text + "</testsuite>"


CATCH_GOOD = "All tests passed (12 assertions in 5 test cases)"
CATCH_ONE = "All tests passed (1 assertion in 1 test case)"
CATCH_BAD = "test cases: 9 | 6 passed | 2 failed | 1 skipped\nassertions: 70 | 2 failed"
CATCH_SKIP = (
    "/a/b_test.cpp:74: SKIPPED:\nexplicitly with message:\n  no IPv6 here\n\n"
    "test cases: 5 | 4 passed | 1 skipped\nassertions: 70 | 70 passed"
)
SKIP = "skipped: no cluster\n3 passed, 0 failed, 1 skipped"

# (promise, files, last line, exit code)
ROWS = [
    ("cases of Catch2 are counted", {"a.xml": junit((CATCH_GOOD, True))}, "5 passed, 0 failed", 0),
    ("a single case too", {"a.xml": junit((CATCH_ONE, True))}, "1 passed, 0 failed", 0),
    ("failed cases are counted", {"a.xml": junit((CATCH_BAD, False))},
     "6 passed, 2 failed, 1 skipped", 1),
    ("a silent program is one test", {"a.xml": junit(("", True))}, "1 passed, 0 failed", 0),
    ("a silent failure is one too", {"a.xml": junit(("", False))}, "0 passed, 1 failed", 1),
    ("a crash after good words is a failure", {"a.xml": junit((CATCH_GOOD, False))},
     "5 passed, 1 failed", 1),
    ("the last plain line counts",
     {"a.xml": junit(("3 passed, 1 failed\n4 passed, 0 failed", True))}, "4 passed, 0 failed", 0),
    ("suites add up",
     {"a.xml": junit((CATCH_GOOD, True), ("", True)), "b.txt": "2 passed, 0 failed"},
     "8 passed, 0 failed", 0),
    ("a text without a count is a failure", {"a.txt": "Traceback"}, "0 passed, 1 failed", 1),
    ("a test that Catch2 skipped is counted", {"a.xml": junit((CATCH_SKIP, True))},
     "4 passed, 0 failed, 1 skipped", 0),
    ("and told", {"a.xml": junit((CATCH_SKIP, True))},
     "  skipped: t: /a/b_test.cpp:74: no IPv6 here", 0),
    ("what another suite skips is counted", {"a.xml": junit((SKIP, True)), "b.txt": SKIP},
     "6 passed, 0 failed, 2 skipped", 0),
    ("and told too", {"b.txt": SKIP}, "  skipped: no cluster", 0),
    ("a skip without a reason is told", {"b.txt": "1 passed, 0 failed, 1 skipped"},
     "  skipped: no reason was given", 0),
    ("skips alone are no success", {"b.txt": "0 passed, 0 failed, 1 skipped"},
     "0 passed, 0 failed, 1 skipped", 1),
    ("a program that asks to be skipped is",
     {"a.xml": junit(("", "SKIP_RETURN_CODE=77"), ("", True))}, "1 passed, 0 failed, 1 skipped", 0),
    ("a program that is missing is a failure",
     {"a.xml": junit(("", "Unable to find executable"), ("", True))}, "1 passed, 1 failed", 1),
    ("a file that ctest did not finish is a failure", {"a.xml": "<testsuite><testcase"},
     "0 passed, 1 failed", 1),
    ("nothing at all is no success", {}, "0 passed, 0 failed", 1),
]


def main():
    failed = 0
    for promise, files, last, code in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            result = subprocess.run(
                [sys.executable, TALLY, folder], capture_output=True, text=True, check=False
            )
        lines = result.stdout.splitlines()
        found = last in lines if last.startswith(" ") else lines[-1:] == [last]
        if not found or result.returncode != code:
            failed += 1
            print(f"FAILED: {promise}: expected {last}, exit {code}")
            print(result.stdout, result.stderr)
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
