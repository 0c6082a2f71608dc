#!/usr/bin/env python3
"""Runs clang-tidy over the sources of lib and controller: first all that changed lately, then the
others, latest commit first, until the time is used up; on all processors.

What changed is, on a branch, all that differs from where it left the main one, and on the main
branch what its last commits touched; and what is not committed. A finding there is a failure. Of
what is found in the others, which are another sample after each commit, the report says so, and
--all makes it a failure too. So is every finding where git does not know what changed.

    test/lint/tidy.py                a minute for what is not changed
    test/lint/tidy.py --seconds N    N seconds for it; $SLUICE_TIDY_SECONDS says the same
    test/lint/tidy.py --commits N    the last N commits of the main branch
    test/lint/tidy.py --changed-seconds N  no more than N seconds for what changed (120), latest
                                     first; what is left of it is told and counted as skipped
    test/lint/tidy.py --all          the whole tree, however long it takes

Sources that were clean with the same content are remembered in $SLUICE_TIDY_CACHE (by default in
~/.cache/sluice/clang-tidy) and not checked again; `--no-cache` does. Needs
build/dev/compile_commands.json (cmake --preset dev), and to remember, a build. Ends with `N passed,
N failed` (files); that nothing was checked counts as a failure.
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

import tidy_cache

FOLDERS = ("lib", "controller")
DEFAULT_SECONDS = 60.0
# A landing that touches nearly everything must not take all of CI.
DEFAULT_CHANGED_SECONDS = 120.0
# Of the main branch: more than one landing has, as a rule.
DEFAULT_COMMITS = 40
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


def changed_paths(commits):
    """What changed lately (see above), or None where git does not know."""
    head = git("rev-parse", "HEAD")
    # A commit without a parent, as the only one of a shallow clone, does not show what it changed.
    if not git("rev-list", "--min-parents=1", "--max-count=1", "HEAD"):
        return None
    bases = (git("merge-base", branch, "HEAD") for branch in ("origin/main", "main"))
    base = next((each for each in bases if each), head)
    paths = git("diff", "--name-only", *base, "--", *FOLDERS)
    if base == head:
        latest = ("log", "-c", "--min-parents=1", f"--max-count={commits}", "--format=")
        paths += git(*latest, "--name-only", "--", ".")
    paths = [path for path in paths if path.split("/")[0] in FOLDERS]
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

    def __init__(self, program, commands_folder, jobs, cache):
        self.command = [program, "-p", commands_folder, "--quiet"]
        self.jobs, self.cache = jobs, cache
        self.lock = threading.Lock()
        self.passed, self.known, self.failed, self.older, self.left = 0, 0, [], [], 0
        self.left_of_changed = 0

    def check(self, sources, found, deadline=None):
        """Adds to `found` what is not clean; those that are not begun at `deadline` are left."""
        waiting = [each for each in reversed(sources) if not (self.cache and self.cache.has(each))]
        self.known += len(sources) - len(waiting)
        self.passed += len(sources) - len(waiting)

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
                if self.cache:
                    self.cache.add(source)
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
    changes = changed_paths(arguments.commits)
    is_strict = arguments.all or changes is None
    touched = {checked_through(path, sources) for path in changes or ()}
    changed = [each for each in sources if each in touched]
    others = by_last_change([each for each in sources if each not in touched])
    began = time.monotonic()
    cache = None
    if not arguments.no_cache:
        folder = tidy_cache.default_folder()
        cache = tidy_cache.Cache(folder, root, root / "build/dev", program, commands)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands))
        run = Run(program, folder, arguments.jobs, cache)
        limit = None if arguments.all else time.monotonic() + arguments.changed_seconds
        run.check(by_last_change(changed), run.failed, limit)
        run.left_of_changed = run.left
        deadline = None if arguments.all else time.monotonic() + arguments.seconds
        run.check(others, run.failed if is_strict else run.older, deadline)
    if cache:
        cache.prune()
    for source in sorted(run.failed):
        print(f"clang-tidy: {source}")
    for source in sorted(run.older):
        print(f"clang-tidy: {source}: an older finding, to be mended; no failure of this change")
    taken = time.monotonic() - began
    print(
        f"clang-tidy: {len(sources) - run.left} of {len(sources)} sources in {taken:.0f} s, "
        f"{len(changed)} changed lately; {run.known} were known to be clean as they are; "
        f"{run.left} were left (--all checks them too)"
    )
    return run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    seconds = float(os.environ.get("SLUICE_TIDY_SECONDS", DEFAULT_SECONDS))
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--commits", type=int, default=DEFAULT_COMMITS)
    parser.add_argument("--changed-seconds", type=float, default=DEFAULT_CHANGED_SECONDS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--no-cache", action="store_true")
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
    skipped = run.left_of_changed if run else 0
    if skipped:
        print(f"skipped: {skipped} sources that changed lately: no time was left for them")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
