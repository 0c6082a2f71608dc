"""Remembers which sources clang-tidy found clean, by the content of all that it read.

An entry's name is a hash of the clang-tidy, its settings, the compile command, and the source with
every header it includes. The headers are those that ninja knows from the last build: one that a
source came to include since then is included by a file that changed, and so has another name.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import time

DAYS_KEPT = 30
_OBJECT = re.compile(r"^(\S+): #deps \d+, .*\((VALID|STALE)\)$")


def default_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("SLUICE_TIDY_CACHE") or f"{home}/sluice/clang-tidy")


def dependencies(build):
    """{object: files that it was compiled from}; none where ninja or its log is missing."""
    ninja = shutil.which("ninja")
    if ninja is None:
        return {}
    done = subprocess.run(
        [ninja, "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=False
    )
    found, files = {}, []
    for line in done.stdout.splitlines() if done.returncode == 0 else []:
        if start := _OBJECT.match(line):
            files = found.setdefault(start[1], [])
        elif line.startswith("    "):
            files.append(line.strip())
    return found


class Cache:
    """Sources known to be clean. Requires: `commands` are the entries of compile_commands.json."""

    def __init__(self, folder, root, build, program, commands):
        self.folder, self.root, self.build = folder, root, build
        self.objects = dependencies(build)
        self.commands = {
            os.path.join(entry["directory"], entry["file"]): entry["command"] for entry in commands
        }
        self.hashes = {}
        version = subprocess.run([program, "--version"], capture_output=True, check=False).stdout
        settings = sorted(root.glob(".clang-tidy")) + sorted(root.glob("*/**/.clang-tidy"))
        texts = [each.read_bytes() for each in settings]
        self.base = hashlib.sha256(b"\0".join([version, *texts])).digest()

    def _hash_of(self, path):
        absolute = os.path.join(self.build, path)
        if absolute not in self.hashes:
            try:
                content = pathlib.Path(absolute).read_bytes()
                self.hashes[absolute] = hashlib.sha256(content).digest()
            except OSError:
                self.hashes[absolute] = None
        return self.hashes[absolute]

    def name_of(self, source):
        """The name of the source's entry, or None where not all is known that it is made of."""
        command = self.commands.get(str(self.root / source))
        output = command and re.search(r" -o (\S+)", command)
        files = self.objects.get(output[1]) if output else None
        if not files:
            return None
        hashes = [self._hash_of(path) for path in files]
        if None in hashes:
            return None
        # Another checkout of the same content has the same name.
        words = command.replace(str(self.root), "").encode()
        return hashlib.sha256(b"\0".join([self.base, words, *hashes])).hexdigest()

    def has(self, source):
        """Whether it is known to be clean as it is now."""
        name = self.name_of(source)
        entry = self.folder / name if name else None
        if entry is None or not entry.exists():
            return False
        entry.touch()
        return True

    def add(self, source):
        name = self.name_of(source)
        if name:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()

    def prune(self):
        """Forgets what was not asked for in a month."""
        oldest = time.time() - DAYS_KEPT * 24 * 3600
        for entry in self.folder.glob("*"):
            if entry.stat().st_mtime < oldest:
                entry.unlink(missing_ok=True)
