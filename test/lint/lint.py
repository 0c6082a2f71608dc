#!/usr/bin/env python3
"""Checks the tree against the house rules that no compiler checks.

lint.py [--root DIR] [--list] [RULE...]    all rules unless some are named

Prints `path:line: rule: what is wrong` for each fault, and ends with `N passed, N failed` (rules),
with `, N skipped` after it where some are switched off.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import cpp_text
import job_kinds
import layers
import overloads
import prose
import words

COLUMNS = 100
LINES = 600
# A line of nothing but one text (a rule of a schema, a message) may be as long as that text.
ONE_LITERAL = re.compile(r'[\s{(,]*(R"\w*\(.*\)\w*"|"([^"\\]|\\.)*")[\s,;)}]*')
SKIPPED_FOLDERS = {"build", "__pycache__", "node_modules"}

# Tables of fields and of cases may be longer than a sitting.
LONG_TABLES = {
    "crds/parts/pod_template_schema.json",
}


class Tree:
    """The files of a source tree, read once."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(self._walk())
        self._text = {}

    def _walk(self):
        for folder, folders, files in os.walk(self.root):
            folders[:] = [
                f for f in folders if f not in SKIPPED_FOLDERS and (f[0] != "." or f == ".ci")
            ]
            for name in files:
                yield os.path.relpath(os.path.join(folder, name), self.root)

    def absolute(self, path):
        return os.path.join(self.root, path)

    def text(self, path):
        if path not in self._text:
            with open(self.absolute(path), encoding="utf-8", errors="replace") as file:
                self._text[path] = file.read()
        return self._text[path]

    def matching(self, *endings, under=("",)):
        return [p for p in self.paths if p.endswith(endings) and p.startswith(tuple(under))]

    def cpp(self, under=("lib/", "controller/", "test/", "examples/")):
        return self.matching(".cpp", ".hpp", under=under)

    def scripts(self):
        """Files that start with #!, whatever their name."""
        found = []
        for path in self.paths:
            if path.endswith((".sh", ".py")) or "." not in os.path.basename(path):
                if self.text(path).startswith("#!"):
                    found.append(path)
        return found


def check_layers(tree):
    for path in tree.cpp(under=("lib/", "controller/")):
        text = cpp_text.strip(tree.text(path), keep_literals=True)
        for offset, fault in layers.faults(path, text):
            yield path, cpp_text.line_of(text, offset), fault
    if "test/lint/layers.py" in tree.paths:
        paths = tree.cpp(under=("lib/", "controller/")) + tree.matching("README.md")
        for path, fault in layers.table_faults({p: tree.text(p) for p in paths}):
            yield path, 1, fault


def check_overloads(tree):
    for path, line, fault in overloads.faults(tree):
        yield path, line, fault


def check_words(tree):
    for path in tree.cpp():
        source = tree.text(path)
        for offset, fault in words.faults(path, source, cpp_text.strip(source)):
            yield path, cpp_text.line_of(source, offset), fault
    for path in tree.matching("CMakeLists.txt", ".cmake"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if re.search(r"\bGLOB(_RECURSE)?\b|-ffast-math", line.split("#")[0]):
                yield path, number, "globbing and -ffast-math are banned"


def check_prose(tree):
    """The budget belongs to the whole tree: another tree has none."""
    if "test/lint/prose_budget.json" in tree.paths:
        texts = {path: tree.text(path) for path in tree.paths if prose.is_checked(path)}
        budget = json.loads(tree.text("test/lint/prose_budget.json"))
        for folder, fault in prose.budget_faults(texts, budget):
            yield folder, 1, fault


def check_columns(tree):
    for path in sorted(set(tree.cpp()) | set(tree.scripts())
                       | set(tree.matching("CMakeLists.txt", ".py", ".sh"))):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if len(line) > COLUMNS and "://" not in line and not ONE_LITERAL.fullmatch(line):
                yield path, number, f"{len(line)} columns, {COLUMNS} are allowed"


def check_lengths(tree):
    for path in sorted(set(tree.cpp()) | set(tree.matching(".py", ".sh"))):
        lines = tree.text(path).count("\n")
        if lines > LINES and path not in LONG_TABLES:
            yield path, LINES + 1, f"{lines} lines, {LINES} are allowed: split by promise"
    for path in sorted(LONG_TABLES):
        if path not in tree.paths and tree.paths and os.path.isdir(tree.absolute(".ci")):
            yield path, 1, "is excepted from the limit of lines but does not exist"


def _nearest(tree, path, name):
    """The file of that name in the folder of `path` or the nearest one above, or None."""
    folder = os.path.dirname(path)
    while folder:
        candidate = f"{folder}/{name}"
        if candidate in tree.paths:
            return candidate
        folder = os.path.dirname(folder)
    return None


def check_readmes(tree):
    for path in tree.matching(".hpp", under=("lib/",)):
        readme = _nearest(tree, path, "README.md")
        if readme is None:
            yield path, 1, "its folder has no README.md"
            continue
        names = re.findall(r"`([^`\s]+)`", tree.text(readme))
        relative = os.path.relpath(path, os.path.dirname(readme))
        if relative not in names and os.path.basename(path) not in names:
            yield readme, 1, f"does not name `{relative}`"
    for readme in tree.matching("README.md", under=("lib/",)):
        for name in re.findall(r"^\| *`([^`\s]+\.hpp)`", tree.text(readme), re.MULTILINE):
            if f"{os.path.dirname(readme)}/{name}" not in tree.paths:
                yield readme, 1, f"names `{name}`, which does not exist"


def check_cmake(tree):
    for path in tree.matching(".cpp", under=("lib/", "controller/", "test/")):
        lists = _nearest(tree, path, "CMakeLists.txt")
        if lists is None:
            yield path, 1, "no CMakeLists.txt is near it"
            continue
        relative = os.path.relpath(path, os.path.dirname(lists))
        stem = re.escape(relative.removesuffix(".cpp"))
        text = re.sub(r"#[^\n]*", "", tree.text(lists))
        if not re.search(rf"(?<![\w/.-]){stem}(\.cpp)?(?![\w/.-])", text):
            yield path, 1, f"is not in {lists}"
    for lists in tree.matching("CMakeLists.txt", under=("lib/", "controller/", "test/")):
        folder = os.path.dirname(lists)
        above = _nearest(tree, folder, "CMakeLists.txt")
        relative = os.path.relpath(folder, os.path.dirname(above)) if above else folder
        text = tree.text(above) if above else tree.text("CMakeLists.txt")
        if not re.search(rf"add_subdirectory\(\s*{re.escape(relative)}\s*\)", text):
            yield lists, 1, "no add_subdirectory leads to it"


def check_scripts(tree):
    for path in tree.scripts():
        executable = os.access(tree.absolute(path), os.X_OK)
        if not executable:
            yield path, 1, "starts with #! but is not executable"
        head = tree.text(path)[:2000]
        if path.endswith(".sh") and "set -euo pipefail" not in head:
            yield path, 1, "has no `set -euo pipefail` near its head"
    for path in tree.matching(".py", ".sh"):
        if os.access(tree.absolute(path), os.X_OK) and not tree.text(path).startswith("#!"):
            yield path, 1, "is executable but does not start with #!"


def _tool_lines(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return (result.stdout + result.stderr).splitlines()


def check_format(tree):
    tool = shutil.which("clang-format-19") or shutil.which("clang-format")
    files = tree.cpp()
    if not files:
        return
    if tool is None:
        yield ".clang-format", 1, "clang-format-19 is not installed (test/install_dependencies.sh)"
        return
    seen = set()
    style = f"--style=file:{tree.absolute('.clang-format')}"
    for line in _tool_lines([tool, style, "--dry-run", *[tree.absolute(f) for f in files]]):
        match = re.match(r"(.*?):(\d+):\d+: warning: code should be clang-formatted", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            path = os.path.relpath(match.group(1), tree.root)
            yield path, int(match.group(2)), f"{os.path.basename(tool)} would change it"
        elif re.match(r"\S*: error: |error: ", line):
            yield ".clang-format", 1, line


def check_shell(tree):
    tool = shutil.which("shellcheck")
    scripts = [p for p in tree.scripts() if "python" not in tree.text(p).split("\n", 1)[0]]
    if not scripts:
        return
    if tool is None:
        yield scripts[0], 1, "shellcheck is not installed (test/install_dependencies.sh)"
        return
    for line in _tool_lines([tool, "-f", "gcc", *[tree.absolute(p) for p in scripts]]):
        match = re.match(r"(.*?):(\d+):\d+: (.*)", line)
        if match:
            yield os.path.relpath(match.group(1), tree.root), int(match.group(2)), match.group(3)


# A citation may be broken over two lines of a comment.
CITATION = re.compile(r"\b(?:spec[\s/#*>|]+\d+\.\d|surfaces[\s/#*>|]+\d)", re.IGNORECASE)


def check_citations(tree):
    texts = tree.matching(
        ".cpp", ".hpp", ".py", ".sh", ".md", ".cmake", "CMakeLists.txt", ".yaml", ".txt"
    )
    for path in sorted(set(texts) | set(tree.scripts())):
        for match in CITATION.finditer(tree.text(path)):
            cited = " ".join(match.group().split())
            line = cpp_text.line_of(tree.text(path), match.start())
            yield path, line, f"cites what is not public ({cited}): state the rule itself"


NAMES = "lib/api/kueue/kueue_names.hpp"
# The headings of kubectl's columns are no condition types, though some are the same words.
HEADINGS = "lib/api/schema/crd.cpp"


def _condition_types(tree):
    """Kueue's own: those of a batch/v1 Job are words of other APIs too."""
    after = tree.text(NAMES).partition("\nnamespace condition {\n")[2]
    block = after.partition("\n}  // namespace condition\n")[0]
    return set(re.findall(r'\bk(?!Job)\w+\[\] =\s*"([^"]+)"', block))


def check_names(tree):
    types = set()
    if NAMES in tree.paths:
        types = _condition_types(tree)
        if not types:
            yield NAMES, 1, "no condition types are found in it"
    for path in tree.cpp(under=("lib/", "controller/")):
        if path == NAMES:
            continue
        source = tree.text(path)
        for offset, text in cpp_text.literals(source):
            # What has blanks is a message, a rule or a cell of a schema.
            is_name = "kueue.x-k8s.io" in text and not re.search(r"\s", text)
            if is_name or (text in types and path != HEADINGS):
                line = cpp_text.line_of(source, offset)
                yield path, line, f'"{text}" is a name of Kueue\'s API: use its constant of {NAMES}'


def check_job_kinds(tree):
    kinds = tree.matching(".yaml", under=(f"{job_kinds.FOLDER}/",))
    if kinds:
        written = {p: tree.text(p) for p in (job_kinds.CMAKE, job_kinds.CHART) if p in tree.paths}
        for path, fault in job_kinds.faults({p: tree.text(p) for p in kinds}, written):
            yield path, 1, fault


RULES = {
    "layers": check_layers,
    "overloads": check_overloads,
    "words": check_words,
    "prose": check_prose,
    "columns": check_columns,
    "lengths": check_lengths,
    "readmes": check_readmes,
    "cmake": check_cmake,
    "scripts": check_scripts,
    "format": check_format,
    "shell": check_shell,
    "citations": check_citations,
    "names": check_names,
    "job-kinds": check_job_kinds,
}

# Rules that are checked only when they are named. Empty the set to check all.
SWITCHED_OFF = set()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    options.add_argument("--list", action="store_true", help="print the rules and stop")
    options.add_argument("rules", nargs="*", metavar="RULE")
    arguments = options.parse_args()
    if arguments.list:
        print("\n".join(RULES))
        return 0
    unknown = [rule for rule in arguments.rules if rule not in RULES]
    if unknown:
        options.error(f"no such rule: {', '.join(unknown)}")
    tree = Tree(os.path.abspath(arguments.root))
    failed = 0
    chosen = arguments.rules or [rule for rule in RULES if rule not in SWITCHED_OFF]
    skipped = [] if arguments.rules else sorted(SWITCHED_OFF)
    for rule in skipped:
        print(f"skipped: {rule}: switched off in test/lint/lint.py")
    for rule in chosen:
        count = 0
        for path, line, fault in RULES[rule](tree):
            count += 1
            print(f"{path}:{line}: {rule}: {fault}")
        failed += count > 0
    words_of_skips = f", {len(skipped)} skipped" if skipped else ""
    print(f"{len(chosen) - failed} passed, {failed} failed{words_of_skips}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
