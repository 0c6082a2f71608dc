#!/usr/bin/env python3
"""Adds up the results of all suites: tally.py FOLDER of *.xml (JUnit of ctest) and *.txt.

A ctest entry counts as many tests as its own output says (Catch2's last lines, or `N passed,
N failed`), else as one. Ends with `N passed, N failed`; the exit code is 1 unless something passed
and nothing failed.
"""

import glob
import os
import re
import sys
import xml.etree.ElementTree as xml

ALL_PASSED = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)", re.MULTILINE)
SOME_FAILED = re.compile(r"^test cases:\s*(\d+)(.*)$", re.MULTILINE)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed\s*$", re.MULTILINE)


def counts_of_output(output):
    """(passed, failed) as a test program's output states them, or None."""
    found = PLAIN.findall(output)
    if found:
        return int(found[-1][0]), int(found[-1][1])
    found = ALL_PASSED.findall(output)
    if found:
        return int(found[-1]), 0
    found = SOME_FAILED.findall(output)
    if found:
        parts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", found[-1][1])}
        return parts.get("passed", 0), parts.get("failed", 0)
    return None


def counts_of_case(case):
    """(passed, failed) of one ctest entry; one that ctest calls failed has at least one failure."""
    output = case.findtext("system-out") or ""
    good = case.get("status") == "run" and case.find("failure") is None
    passed, failed = counts_of_output(output) or ((1, 0) if good else (0, 1))
    return passed, failed if good else max(failed, 1)


def suites(folder):
    """Yields (name, passed, failed, names of failed entries)."""
    for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
        passed, failed, names = 0, 0, []
        for case in xml.parse(path).getroot().iter("testcase"):
            good, bad = counts_of_case(case)
            passed, failed = passed + good, failed + bad
            if bad:
                names.append(case.get("name"))
        yield os.path.basename(path)[:-4], passed, failed, names
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        with open(path, encoding="utf-8", errors="replace") as file:
            found = PLAIN.findall(file.read())
        passed, failed = (int(found[-1][0]), int(found[-1][1])) if found else (0, 1)
        yield os.path.basename(path)[:-4], passed, failed, []


def main():
    passed = failed = 0
    for name, good, bad, names in suites(sys.argv[1]):
        print(f"{name}: {good} passed, {bad} failed{': ' if names else ''}{', '.join(names)}")
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
