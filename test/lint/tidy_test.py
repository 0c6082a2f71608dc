#!/usr/bin/env python3
"""Proves that tidy.py never calls it a success that nothing was checked, and what it checks first.

Each row plants a repository and a clang-tidy that finds fault with files that say `bad`.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLANG_TIDY = """#!/bin/sh
for source; do :; done
echo "$source" >>"$CHECKED"
! grep -n bad "$source"
"""
MANY = {f"lib/a/{n}.cpp": "" for n in range(20)}


def commit(root, files, when):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    date = f"2026-01-{when:02}T00:00:00Z"
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    name = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
    for command in (["add", "."], [*name, "commit", "-q", "-m", "change"]):
        subprocess.run(["git", *command], cwd=root, env=os.environ | dates, check=True)


def known_to_build(root):
    sources = sorted(root.glob("*/**/*.cpp"))
    entries = [
        {"directory": str(root / "build"), "file": str(each), "command": f"c++ -c {each}"}
        for each in sources
    ]
    path = root / "build/dev/compile_commands.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(entries))


def run(root, arguments, tool=True):
    """(last line, exit code, sources in the order in which they were checked)"""
    programs = root / "build/programs"
    programs.mkdir(parents=True)
    for name in ("git", "python3", "sh", "grep"):
        (programs / name).symlink_to(shutil.which(name))
    if tool:
        (programs / "clang-tidy-19").write_text(CLANG_TIDY)
        (programs / "clang-tidy-19").chmod(0o755)
    checked = root / "build/checked"
    done = subprocess.run(
        [sys.executable, str(root / "test/lint/tidy.py"), "--jobs=1", *arguments],
        env=os.environ | {"PATH": str(programs), "CHECKED": str(checked)},
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines() or [done.stderr]
    return lines[-1], done.returncode, checked.read_text().split() if checked.exists() else []


# (promise, commits of main, commits of the branch or None, arguments, (last line, exit code), what
#  is checked first or None)
A, B, BAD = {"lib/a/a.cpp": ""}, {"controller/b.cpp": ""}, {"lib/a/c.cpp": "bad"}
ROWS = [
    ("main itself is checked", [A | B], None, [], ("2 passed, 0 failed", 0), None),
    ("the latest commit comes first", [A, B], None, [], ("2 passed, 0 failed", 0),
     "controller/b.cpp"),
    ("a header's commit counts for its source", [A, B, {"lib/a/a.hpp": ""}], None, [],
     ("2 passed, 0 failed", 0), "lib/a/a.cpp"),
    ("a fault is a failure", [A], [BAD], [], ("1 passed, 1 failed", 1), "lib/a/c.cpp"),
    ("an older fault is no failure", [BAD, A], None, [], ("1 passed, 0 failed", 0), None),
    ("--all makes it one", [BAD, A], None, ["--all"], ("1 passed, 1 failed", 1), None),
    ("no time is no success", [A], None, ["--seconds=0"], ("0 passed, 1 failed", 1), None),
    ("what changed is checked without time too", [A, B], [BAD], ["--seconds=0"],
     ("0 passed, 1 failed", 1), "lib/a/c.cpp"),
    ("all of what changed is", [A, B], [MANY], ["--seconds=0"], ("20 passed, 0 failed", 0), None),
    ("a header without a source is checked through one that includes it",
     [A | {"lib/a/b.cpp": '#include "a/only.hpp"\n'}], [{"lib/a/only.hpp": ""}], ["--seconds=0"],
     ("1 passed, 0 failed", 0), "lib/a/b.cpp"),
    ("--all takes its time", [A | B], None, ["--seconds=0", "--all"], ("2 passed, 0 failed", 0),
     None),
    ("without sources there is no success", [{"test/t.cpp": ""}], None, [],
     ("0 passed, 1 failed", 1), None),
]  # fmt: skip


def plant(folder, mains, branch):
    root = pathlib.Path(folder)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    (root / "test/lint").mkdir(parents=True)
    shutil.copy(HERE / "tidy.py", root / "test/lint")
    (root / ".gitignore").write_text("build/\n")
    for when, files in enumerate(mains, 1):
        commit(root, files, when)
    if branch:
        subprocess.run(["git", "checkout", "-q", "-b", "work"], cwd=root, check=True)
        for when, files in enumerate(branch, 10):
            commit(root, files, when)
    return root


def main():
    failed = 0

    def judge(promise, good, what):
        nonlocal failed
        failed += not good
        print(f"{'passed' if good else 'FAILED'}: {promise}{'' if good else f': {what}'}")

    for promise, mains, branch, arguments, expected, first in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            root = plant(folder, mains, branch)
            known_to_build(root)
            last, code, checked = run(root, arguments)
            good = (last, code) == expected and (first is None or checked[:1] == [first])
            judge(promise, good, (last, code, checked[:5]))
    for promise, tool in (("without clang-tidy", False), ("without a configured build", True)):
        with tempfile.TemporaryDirectory() as folder:
            root = plant(folder, [A], None)
            if not tool:
                known_to_build(root)
            last, code, _ = run(root, [], tool)
            judge(f"{promise} there is no success", (last, code) == ("0 passed, 1 failed", 1), last)
    total = len(ROWS) + 2
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
