#!/usr/bin/env python3
"""Runs `sluice schedule` over recorded clusters and demands that as many decide alike as before.

  decisions_test.py SLUICE WORK_DIR [--jobs 2] [--first 5] [--only CASE ...]

Unpacks decisions.tar.xz into WORK_DIR once, runs every case, and compares at each level of
compare.py. Exit status 1 when fewer cases agree at a level than expected.json says, or when more do
(then raise it).
`deviations` there names the cases in which Sluice decides otherwise on purpose, and why.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare as comparator  # noqa: E402


def unpack(work):
    """The folder of the cases; unpacked anew when the archive changed."""
    archive = os.path.join(HERE, "decisions.tar.xz")
    with open(archive, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    cases, stamp = os.path.join(work, "cases"), os.path.join(work, "cases.sha256")
    if os.path.exists(stamp) and open(stamp).read() == digest:
        return cases
    os.makedirs(cases, exist_ok=True)
    with tarfile.open(archive) as tar:
        (
            tar.extractall(cases, filter="data")
            if hasattr(tarfile, "data_filter")
            else tar.extractall(cases)
        )
    with open(stamp, "w") as f:
        f.write(digest)
    return cases


def run(sluice, directory):
    """(result, None) or (None, why not)."""
    cycles = str(json.load(open(os.path.join(directory, "case.json")))["cycles"])
    command = [sluice, "schedule", "-f", os.path.join(directory, "objects.yaml"), "-o", "json"]
    command += ["--config", os.path.join(directory, "config.yaml")]
    command += ["--now", open(os.path.join(directory, "now")).read().strip()]
    command += ["--until-stable"] if cycles == "stable" else ["--cycles", cycles]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return None, f"exit code {done.returncode}: {done.stderr.strip()[-500:]}"
        return json.loads(done.stdout), None
    except subprocess.TimeoutExpired:
        return None, "no answer within 60 s"
    except ValueError as e:
        return None, f"not JSON: {e}"


def judge(sluice, cases, name):
    """The differences of one case, level by level."""
    directory = os.path.join(cases, name)
    result, why = run(sluice, directory)
    if why:
        return {level: [why] for level in comparator.LEVELS}
    reference = json.load(open(os.path.join(directory, "result.json")))
    return comparator.compare(reference, result, comparator.Case(directory), False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sluice")
    parser.add_argument("work")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=5, help="so many differing cases are shown")
    parser.add_argument("--only", nargs="*", help="these cases alone")
    a = parser.parse_args()
    cases = unpack(a.work)
    names = sorted(a.only or os.listdir(cases))
    expected = json.load(open(os.path.join(HERE, "expected.json")))
    agree, shown = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, diff in zip(names, pool.map(lambda n: judge(a.sluice, cases, n), names)):
            for level in comparator.LEVELS:
                agree[level] += comparator.passed(diff, level)
            if comparator.passed(diff, "order"):
                continue
            if name in expected["deviations"]:
                print(f"{name}: on purpose: {expected['deviations'][name]}")
            elif shown < a.first:
                shown += 1
                print(name)
                for level in comparator.LEVELS:
                    for d in diff[level][:4]:
                        print(f"  {level}: {d}")
    failed = False
    for level in comparator.LEVELS:
        wanted = expected[level] if not a.only else len(names)
        failed |= agree[level] != wanted
        print(f"{level:10} {agree[level]} of {len(names)} agree, expected {wanted}")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
