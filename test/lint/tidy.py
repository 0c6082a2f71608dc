#!/usr/bin/env python3
"""Runs clang-tidy over the sources of lib and controller: first all that differ from the main
branch, then the others, latest commit first, until the time is used up; on all processors.

What is found in sources that differ is a failure; of what is found in the others, which are another
sample after each commit, the report says so, and --all makes it one too.

    test/lint/tidy.py                four minutes for what is not changed
    test/lint/tidy.py --seconds N    N seconds for it; $SLUICE_TIDY_SECONDS says the same
    test/lint/tidy.py --all          the whole tree, however long it takes

Needs build/dev/compile_commands.json (cmake --preset dev). Ends with `N passed, N failed` (files);
that nothing was checked counts as a failure.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

FOLDERS = ("lib", "controller")
DEFAULT_SECONDS = 240.0
# Only the compiler that made the precompiled headers can read them.
PRECOMPILED = re.compile(r"-Xclang -include-pch -Xclang \S+")


class CannotCheck(Exception):
    """Nothing can be checked; the message says what is missing."""


def git(*arguments):
    """The lines that git prints, or none where it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def sources_of_build(root):
    """(compile commands as clang-tidy can take them, sources of FOLDERS among them)."""
    path = root / "build/dev/compile_commands.json"
    if not path.exists():
        raise CannotCheck(f"{path} is missing: cmake --preset dev")
    commands = json.loads(path.read_text())
    for entry in commands:
        entry["command"] = PRECOMPILED.sub("", entry["command"])
    files = (pathlib.Path(entry["directory"]) / entry["file"] for entry in commands)
    inside = {str(file.relative_to(root)) for file in files if file.is_relative_to(root)}
    return commands, sorted(each for each in inside if each.split("/")[0] in FOLDERS)


def changed_paths():
    """What differs from where this branch left the main one, and what is not committed."""
    head = git("rev-parse", "HEAD")
    bases = (git("merge-base", branch, "HEAD") for branch in ("origin/main", "main"))
    base = next((each for each in bases if each), head)
    paths = git("diff", "--name-only", *base, "--", *FOLDERS)
    return set(paths + git("ls-files", "--others", "--exclude-standard", "--", *FOLDERS))


def checked_through(path, sources):
    """The source that shows what is wrong with `path`: itself, or for a header the source of its
    name, else the first that includes it; None where there is none."""
    if path in sources:
        return path
    own = str(pathlib.PurePath(path).with_suffix(".cpp"))
    if own in sources:
        return own
    name = path.removeprefix("lib/")
    include = f'#include "{name}"'
    for source in sources:
        if include in pathlib.Path(source).read_text(errors="replace"):
            return source
    return None


def by_last_change(sources):
    """Latest commit first. What came with one commit, in another order after each commit, so that
    in a copy without history it is not always the same that is left out."""
    last, when = {}, 0
    for line in git("log", "--format=%x00%ct", "--name-only", "--", *FOLDERS):
        if line.startswith("\0"):
            when = int(line[1:])
        elif line:
            last.setdefault(str(pathlib.PurePath(line).with_suffix(".cpp")), when)
    head = "".join(git("rev-parse", "HEAD"))

    def key(source):
        return -last.get(source, 0), hashlib.sha256((head + source).encode()).digest()

    return sorted(sources, key=key)


class Run:
    """Checks sources, `jobs` at a time, and counts."""

    def __init__(self, program, commands_folder, jobs):
        self.command = [program, "-p", commands_folder, "--quiet"]
        self.jobs = jobs
        self.lock = threading.Lock()
        self.passed, self.failed, self.older, self.left = 0, [], [], 0

    def check(self, sources, found, deadline=None):
        """Adds to `found` what is not clean; those that are not begun at `deadline` are left."""
        waiting = list(reversed(sources))

        def work():
            while True:
                with self.lock:
                    if not waiting or (deadline and time.monotonic() >= deadline):
                        return
                    source = waiting.pop()
                self.check_one(source, found)

        threads = [threading.Thread(target=work) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.left += len(waiting)

    def check_one(self, source, found):
        done = subprocess.run([*self.command, source], capture_output=True, text=True)
        with self.lock:
            if done.returncode == 0:
                self.passed += 1
                return
            found.append(source)
            print(done.stdout or done.stderr, end="", flush=True)


def run_all(arguments, root):
    program = shutil.which("clang-tidy-19") or shutil.which("clang-tidy")
    if program is None:
        raise CannotCheck("clang-tidy is not installed (test/install_dependencies.sh)")
    commands, sources = sources_of_build(root)
    if not sources:
        raise CannotCheck(f"the build knows no source of {' or '.join(FOLDERS)}")
    seconds = None if arguments.all else arguments.seconds
    touched = {checked_through(path, sources) for path in changed_paths()}
    changed = [each for each in sources if each in touched]
    others = by_last_change([each for each in sources if each not in touched])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands))
        run = Run(program, folder, arguments.jobs)
        run.check(changed, run.failed)
        deadline = None if seconds is None else time.monotonic() + seconds
        run.check(others, run.failed if arguments.all else run.older, deadline)
    for source in sorted(run.failed):
        print(f"clang-tidy: {source}")
    for source in sorted(run.older):
        print(f"clang-tidy: {source}: an older finding, to be mended; no failure of this change")
    taken = time.monotonic() - began
    print(
        f"clang-tidy: {len(sources) - run.left} of {len(sources)} sources in {taken:.0f} s, "
        f"{len(changed)} of them changed; {run.left} were left (--all checks them too)"
    )
    return run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    seconds = float(os.environ.get("SLUICE_TIDY_SECONDS", DEFAULT_SECONDS))
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    os.chdir(root)
    run = None
    try:
        run = run_all(arguments, root)
        passed, failed = run.passed, len(run.failed)
    except CannotCheck as error:
        print(error)
        passed, failed = 0, 1
    if passed + failed == 0 and not (run and run.older):
        print("no source was checked: that is no success")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
