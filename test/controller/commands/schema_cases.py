#!/usr/bin/env python3
"""The offline schema check against the cases that test/e2e proves on the real API server.

    schema_cases.py PROBE   PROBE is the built schema_probe
"""

import json
import pathlib
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TEST / "e2e"), str(TEST / "control-plane")]

import yaml  # noqa: E402
from crd_case import CASES, OBJECTS, CrdCase, changed, shown, values_of  # noqa: E402


def cases():
    """(what, object, whether it is good) of every case."""
    for item in yaml.safe_load(OBJECTS.read_text()):
        version, kind = item["apiVersion"].rpartition("/")[2], item["kind"]
        full = CrdCase.named(item, "full")
        yield f"{version} {kind}", full, True
        for path, *probes in CASES[version, kind]:
            for value, is_good in values_of(probes):
                what = f"{version} {kind}: {path} = {shown(value)}"
                yield what, changed(full, path, value), is_good


def main():
    asked = list(cases())
    lines = "".join(json.dumps(item, default=str) + "\n" for _, item, _ in asked)
    run = subprocess.run(
        [sys.argv[1]], input=lines, capture_output=True, text=True, check=True, timeout=120
    )
    answers = run.stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit(f"{len(asked)} objects asked, {len(answers)} answers")
    wrong = 0
    for (what, _, is_good), answer in zip(asked, answers):
        if (answer == "ok") != is_good:
            wrong += 1
            print(f"{what}: must be {'accepted' if is_good else 'refused'}; got: {answer[:300]}")
    print(f"{len(asked)} objects, {wrong} judged unlike the API server")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
