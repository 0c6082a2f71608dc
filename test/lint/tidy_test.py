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
if [ "$1" = --version ]; then echo 1; exit; fi
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
    for command in (["add", "."], [*name, "commit", "-q", "--allow-empty", "-m", "change"]):
        subprocess.run(["git", *command], cwd=root, env=os.environ | dates, check=True)


def known_to_build(root):
    sources = sorted(root.glob("*/**/*.cpp"))
    entries = [
        {
            "directory": str(root / "build/dev"),
            "file": str(each),
            "command": f"c++ -o {each.stem}.o -c {each}",
        }
        for each in sources
    ]
    path = root / "build/dev/compile_commands.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(entries))


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


def run(root, arguments, tool=True, deps=None):
    """(last line, exit code, sources in the order in which they were checked)"""
    programs = root / "build/programs"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("git", "python3", "sh", "grep", "cat"):
        if not (programs / name).exists():
            (programs / name).symlink_to(shutil.which(name))
    if tool:
        executable(programs / "clang-tidy-19", CLANG_TIDY)
    if deps:
        (root / "build/deps").write_text(deps)
        executable(programs / "ninja", f'#!/bin/sh\ncat "{root}/build/deps"\n')
    checked = root / "build/checked"
    checked.unlink(missing_ok=True)
    variables = {"PATH": programs, "CHECKED": checked, "SLUICE_TIDY_CACHE": root / "build/cache"}
    done = subprocess.run(
        [sys.executable, str(root / "test/lint/tidy.py"), "--jobs=1", *arguments],
        env=os.environ | {name: str(value) for name, value in variables.items()},
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
    ("a header's commit counts for its source", [A, B, {"lib/a/a.hpp": ""}], None,
     ["--commits=1"],
     ("2 passed, 0 failed", 0), "lib/a/a.cpp"),
    ("a fault is a failure", [A], [BAD], [], ("1 passed, 1 failed", 1), "lib/a/c.cpp"),
    ("a fault of the last commit of main is a failure", [A, BAD], None, [],
     ("1 passed, 1 failed", 1), "lib/a/c.cpp"),
    ("a fault of one of the last commits is", [A, BAD, B], None, ["--seconds=0"],
     ("1 passed, 1 failed", 1), None),
    ("a fault that is not committed is", [A, B], {"lib/a/a.cpp": "bad"}, ["--seconds=0"],
     ("1 passed, 1 failed", 1), None),
    ("a fault of a new file is", [A, B], BAD, ["--seconds=0"], ("1 passed, 1 failed", 1), None),
    ("an older fault is no failure", [{}, BAD, A], None, ["--commits=1"],
     ("1 passed, 0 failed", 0), None),
    ("nor of what the branch did not touch", [BAD, B], [A], [], ("2 passed, 0 failed", 0), None),
    ("--all makes it one", [{}, BAD, A], None, ["--commits=1", "--all"],
     ("1 passed, 1 failed", 1), None),
    ("all that is found is a failure where no change is known", [A | BAD], None, [],
     ("1 passed, 1 failed", 1), None),
    ("no time is no success", [A], None, ["--seconds=0"], ("0 passed, 1 failed", 1), None),
    ("what changed is checked without time too", [A, B], [BAD], ["--seconds=0"],
     ("0 passed, 1 failed", 1), "lib/a/c.cpp"),
    ("so it is on main", [A, B], None, ["--seconds=0"], ("1 passed, 0 failed", 0),
     "controller/b.cpp"),
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
    for name in ("tidy.py", "tidy_cache.py"):
        shutil.copy(HERE / name, root / "test/lint")
    (root / ".gitignore").write_text("build/\n__pycache__/\n")
    for when, files in enumerate(mains, 1):
        commit(root, files, when)
    if isinstance(branch, dict):  # what is not committed
        for path, text in branch.items():
            (root / path).write_text(text)
    elif branch:
        subprocess.run(["git", "checkout", "-q", "-b", "work"], cwd=root, check=True)
        for when, files in enumerate(branch, 10):
            commit(root, files, when)
    return root


DEPS = """a.o: #deps 2, deps mtime 1 (VALID)
    ../../lib/a/a.cpp
    ../../lib/a/a.hpp

c.o: #deps 1, deps mtime 1 (VALID)
    ../../lib/a/c.cpp
"""


def judge_memory(judge):
    """What was clean is checked again when anything that it is made of changed; the rows build on
    one another. How many there were."""
    with tempfile.TemporaryDirectory() as folder:
        root = plant(folder, [{}, A | BAD | {"lib/a/a.hpp": ""}], None)
        known_to_build(root)
        commands = root / "build/dev/compile_commands.json"

        def touch(path, text):
            return lambda: (root / path).write_text(text)

        def rename_flag():
            commands.write_text(commands.read_text().replace("c++ -o", "c++ -g -o"))

        a, c = "lib/a/a.cpp", "lib/a/c.cpp"
        rows = [
            ("at first all is checked", lambda: None, [], {a, c}),
            ("what was clean is remembered, a fault is not", lambda: None, [], {c}),
            ("--no-cache checks all", lambda: None, ["--no-cache"], {a, c}),
            ("a header that changed is seen", touch("lib/a/a.hpp", "// new"), [], {a, c}),
            ("and remembered", lambda: None, [], {c}),
            ("a source that changed is seen", touch(a, "// new"), [], {a, c}),
            ("a fault in what was clean is seen", touch("lib/a/a.cpp", "bad"), [], {a, c}),
            ("what was clean before it is clean again", touch(a, "// new"), [], {c}),
            ("another setting is seen", touch(".clang-tidy", "Checks: '*'"), [], {a, c}),
            ("another compiler option is seen", rename_flag, [], {a, c}),
        ]
        for promise, change, arguments, expected in rows:
            change()
            last, code, checked = run(root, arguments, deps=DEPS)
            # c.cpp is bad throughout, and a.cpp where it says so.
            bad = sum("bad" in (root / path).read_text() for path in (a, c))
            good = (last, code) == (f"{2 - bad} passed, {bad} failed", 1)
            judge(promise, good and set(checked) == expected, (last, code, checked))
    return len(rows)


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
    judged = judge_memory(judge)
    total = len(ROWS) + 2 + judged
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
