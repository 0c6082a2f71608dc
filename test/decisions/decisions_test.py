#!/usr/bin/env python3
"""Runs `sluice schedule` over recorded clusters and demands that as many decide alike as before.

  decisions_test.py SCHEDULE_BATCH WORK_DIR [--jobs 2] [--first 5] [--only CASE ...]

SCHEDULE_BATCH is the program build/*/test/support/schedule_batch. Unpacks decisions.tar.xz into
WORK_DIR once, runs every case, and compares at each level of compare.py. Names each case that
differs, and ends with `N passed, N failed`. Exit status 1 when fewer cases agree at a level than
expected.json says, or when more do (then raise it).
`deviations` there names the cases in which Sluice decides otherwise on purpose, and why.
"""

import argparse
import collections
import hashlib
import json
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "support")]
import compare as comparator  # noqa: E402
import schedule_batch  # noqa: E402


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


def make_command(directory):
    """The words after `sluice schedule`."""
    cycles = str(json.load(open(os.path.join(directory, "case.json")))["cycles"])
    command = ["-f", os.path.join(directory, "objects.yaml"), "-o", "json"]
    command += ["--config", os.path.join(directory, "config.yaml")]
    command += ["--now", open(os.path.join(directory, "now")).read().strip()]
    return command + (["--until-stable"] if cycles == "stable" else ["--cycles", cycles])


def judge(done, directory):
    """The differences of one case, level by level."""
    try:
        why = f"exit code {done.exit_code}: {done.stderr.strip()[-500:]}"
        result = json.loads(done.stdout) if done.exit_code == 0 else None
    except ValueError as error:
        result, why = None, f"not JSON: {error}"
    if result is None:
        return {level: [why] for level in comparator.LEVELS}
    reference = json.load(open(os.path.join(directory, "result.json")))
    return comparator.compare(reference, result, comparator.Case(directory), False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("schedule_batch")
    parser.add_argument("work")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=5, help="so many differing cases are shown")
    parser.add_argument("--only", nargs="*", help="these cases alone")
    a = parser.parse_args()
    cases = unpack(a.work)
    names = sorted(a.only or os.listdir(cases))
    expected = json.load(open(os.path.join(HERE, "expected.json")))
    agree, differing = collections.Counter(), []
    directories = [os.path.join(cases, name) for name in names]
    commands = [make_command(directory) for directory in directories]
    all_done = schedule_batch.run_all(a.schedule_batch, commands, a.jobs)
    for name, directory, done in zip(names, directories, all_done, strict=True):
        diff = judge(done, directory)
        for level in comparator.LEVELS:
            agree[level] += comparator.passed(diff, level)
        if comparator.passed(diff, "order"):
            continue
        if name in expected["deviations"]:
            print(f"{name}: on purpose: {expected['deviations'][name]}")
            continue
        differing.append(name)
        if len(differing) <= a.first:
            print(name)
            for level in comparator.LEVELS:
                for d in diff[level][:4]:
                    print(f"  {level}: {d}")
    wrong_counts = 0
    for level in comparator.LEVELS:
        wanted = expected[level] if not a.only else len(names)
        wrong_counts += agree[level] != wanted
        print(f"{level:10} {agree[level]} of {len(names)} agree, expected {wanted}")
    for name in differing:
        print(f"FAILED: {name}")
    # Counts can be wrong though no case is: more agree than expected.json says.
    failed = max(len(differing), wrong_counts > 0)
    print(f"{len(names) - len(differing)} passed, {failed} failed")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
