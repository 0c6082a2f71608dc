#!/usr/bin/env python3
"""Counts the instructions of small operations: instructions.py [PROGRAM] prints a table.

Runs build/release/test/bench/instruction_counts, unless another program is given, under valgrind.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent.parent / "build/release/test/bench/instruction_counts"
TRIGGER = re.compile(r"^desc: Trigger: Client Request: (?P<name>.*)/(?P<times>\d+)$", re.MULTILINE)
TOTAL = re.compile(r"^(?:totals|summary): (?P<count>\d+)", re.MULTILINE)


def counts(program):
    """(operation, instructions of one), in the order they ran."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                "valgrind",
                "--quiet",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/dump",
                "--dump-line=no",
                str(program),
            ],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        dumps = sorted(
            pathlib.Path(folder).glob("dump.*"), key=lambda path: int(path.suffix.lstrip("."))
        )
        found = []
        for dump in dumps:
            text = dump.read_text(encoding="utf-8", errors="replace")
            trigger = TRIGGER.search(text)
            if trigger:
                total = int(TOTAL.search(text)["count"])
                found.append((trigger["name"], total / int(trigger["times"])))
        return found


def main():
    found = counts(sys.argv[1] if len(sys.argv) > 1 else PROGRAM)
    if not found:
        sys.exit("valgrind wrote no counts")
    print("| operation | instructions |")
    print("|---|---|")
    for name, count in found:
        print(f"| {name} | {count:,.0f} |")


if __name__ == "__main__":
    main()
