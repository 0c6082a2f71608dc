#!/usr/bin/env python3
"""Adds up the results of all suites: tally.py FOLDER of *.xml (JUnit of ctest) and *.txt.

A ctest entry counts as many tests as its own output says (Catch2's last lines, or `N passed,
N failed`, with `, N skipped` after it where some were), else as one. Why something was skipped is
printed: the message of Catch2's SKIP, or a line `skipped: WHAT: WHY` of any other suite.

Ends with `N passed, N failed` or `N passed, N failed, N skipped`; the exit code is 1 unless
something passed and nothing failed.
"""

import glob
import os
import re
import sys
import typing
import xml.etree.ElementTree as xml

ALL_PASSED = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)", re.MULTILINE)
SOME_FAILED = re.compile(r"^test cases:\s*(\d+)(.*)$", re.MULTILINE)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", re.MULTILINE)
CATCH2_SKIP = re.compile(
    r"^(\S+): SKIPPED:\n(?:explicitly with message:\n)?[ \t]*(\S[^\n]*)", re.MULTILINE
)
PLAIN_SKIP = re.compile(r"^skipped: (.+)$", re.MULTILINE)


class Counts(typing.NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(*(mine + theirs for mine, theirs in zip(self, other)))

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def plain_counts(text):
    """What the last `N passed, N failed` of a text says, or None."""
    found = PLAIN.findall(text)
    return Counts(*(int(number or 0) for number in found[-1])) if found else None


def counts_of_output(output):
    """What a test program's output states, or None."""
    if plain := plain_counts(output):
        return plain
    found = ALL_PASSED.findall(output)
    if found:
        return Counts(passed=int(found[-1]))
    found = SOME_FAILED.findall(output)
    if found:
        parts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", found[-1][1])}
        return Counts(*(parts.get(word, 0) for word in Counts._fields))
    return None


def reasons_of(output):
    """Why tests were skipped, as far as the output says it."""
    return [f"{place}: {why}" for place, why in CATCH2_SKIP.findall(output)] + PLAIN_SKIP.findall(
        output
    )


def counts_of_case(case):
    """Counts of one ctest entry; one that ctest calls failed has at least one failure. An entry
    that ctest did not run is a failure, unless the program itself asked to be skipped."""
    status, skip = case.get("status"), case.find("skipped")
    asked = skip is not None and skip.get("message", "").startswith("SKIP_")
    if status == "disabled" or (status == "notrun" and asked):
        return Counts(skipped=1)
    output = case.findtext("system-out") or ""
    good = status == "run" and case.find("failure") is None
    counts = counts_of_output(output) or (Counts(passed=1) if good else Counts(failed=1))
    return counts if good else counts._replace(failed=max(counts.failed, 1))


def of_junit(path):
    """(counts, names of failed entries, reasons of skips) of a JUnit file."""
    counts, names, reasons = Counts(), [], []
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except xml.ParseError as error:  # ctest was killed while it wrote
        return Counts(failed=1), [f"{os.path.basename(path)}: {error}"], []
    for case in cases:
        of_case = counts_of_case(case)
        counts += of_case
        name = case.get("name")
        if of_case.failed:
            names.append(name)
        given = reasons_of(case.findtext("system-out") or "")
        given += ["no reason was given"] if of_case.skipped and not given else []
        reasons += [f"{name}: {reason}" for reason in given]
    return counts, names, reasons


def of_text(path):
    """The same of the output of a suite that is not run by ctest."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    counts, reasons = plain_counts(text) or Counts(failed=1), reasons_of(text)
    return counts, [], reasons or ["no reason was given"] * bool(counts.skipped)


def main():
    total = Counts()
    for ending, read in ((".xml", of_junit), (".txt", of_text)):
        for path in sorted(glob.glob(os.path.join(sys.argv[1], "*" + ending))):
            counts, names, reasons = read(path)
            suite = os.path.basename(path).removesuffix(ending)
            print(f"{suite}: {counts}{': ' if names else ''}{', '.join(names)}")
            for reason in reasons:
                print(f"  skipped: {reason}")
            total += counts
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
