#!/usr/bin/env python3
"""Sentences that a newcomer has to read twice, counted by folder.

prose.py             counts by folder, and what the budget allows
prose.py FOLDER...   each fault of these folders: `path:line: what is wrong: the sentence`
prose.py --write     writes the present counts into the budget; fails if one would rise

It reads comments and texts of the C++ under lib and controller, and the READMEs. CONTRIBUTING.md
says how sentences are written here.
"""

import argparse
import json
import os
import re
import sys

import cpp_text

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUDGET = "test/lint/prose_budget.json"

# A sentence begins with the noun or verb that it is about.
BEGINNING = re.compile(r"(What(?!-)|Of|Who|Whose|Whom|The same|So many|So long|Whether)\b")
# (pattern, what to write)
ANYWHERE = [
    (r"(?:^|[;,.(:] )(?:none|nullptr|nullopt): ", 'write "Returns nullopt if ..."'),
    (r"\b(?:told|tells?|telling)\b", "write report, record, log or notify"),
    (r"\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|less|fewer|later))",
     'write "is not a" or "has no"'),
    (r"\b(?:stands?|stood)\b", "write is, is set or is listed"),
    (r"\banew\b", "write again"),
    (r"\bfor ever\b", "write forever"),
    (r"\bin vain\b", "write what fails"),
    (r"\bbeside\b", "write besides, next to or in addition to"),
    (r"\blets? go\b|\bcomes? to rest\b", "write released, deleted or idle"),
]
ANYWHERE = [(re.compile(pattern), instead) for pattern, instead in ANYWHERE]

_BEGIN_OF_SENTENCE = re.compile(r"(?:^|(?<=[.!?] )|(?<=[.!?]\n))(?=[A-Z])")
_COMMENT = re.compile(
    r"(?P<skip>R\"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')"
    r"|(?P<block>//[^\n]*(?:\n[ \t]*//(?!/<)[^\n]*)*)",
    re.DOTALL,
)


def _comments(source):
    """Yields (offset, text) of each comment, its lines joined."""
    for match in _COMMENT.finditer(source):
        if match.group("block"):
            lines = [re.sub(r"^\s*//+<?\s?", "", line) for line in match.group().split("\n")]
            yield match.start(), " ".join(line.strip() for line in lines)


def _paragraphs(source):
    """Yields (offset, text) of each paragraph, cell and item of Markdown, without code."""
    source = re.sub(
        r"```.*?```", lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.DOTALL)
    for match in re.finditer(r"(?:^(?! {4}|\t)[^\n]*\S[^\n]*\n?)+", source, re.MULTILINE):
        text = match.group()
        if text.lstrip().startswith("|"):
            offset = match.start()
            for line in text.splitlines(keepends=True):
                for cell in line.strip().strip("|").split(" | "):
                    yield offset, re.sub(r"`[^`]*`", "`x`", cell.strip())
                offset += len(line)
            continue
        items = re.split(r"(?m)^(?=\s*(?:[-*]|\d+\.) )", text)
        offset = match.start()
        for item in items:
            joined = " ".join(re.sub(r"^\s*(?:[-*]|\d+\.|#+) ", "", item).split())
            yield offset, re.sub(r"`[^`]*`", "`x`", joined)
            offset += len(item)


def faults_of(text):
    """Yields (what is wrong, sentence) for each fault of a text."""
    for match in _BEGIN_OF_SENTENCE.finditer(text):
        begin = BEGINNING.match(text, match.start())
        if begin:
            sentence = text[match.start():]
            if sentence.split(". ")[0].rstrip().endswith("?"):
                continue
            yield f'begins with "{begin.group()}"', sentence[:90]
    for pattern, instead in ANYWHERE:
        for match in pattern.finditer(text):
            yield instead, text[max(0, match.start() - 30):match.end() + 40]


def faults(path, source):
    """Yields (offset, what is wrong, sentence) for each fault of a file."""
    if path.endswith(".md"):
        texts = list(_paragraphs(source))
    else:
        texts = list(_comments(source))
        # A text of one word is a name.
        texts += [(at, text) for at, text in cpp_text.literals(source) if " " in text.strip()]
    for offset, text in texts:
        for wrong, sentence in faults_of(text):
            yield offset, wrong, sentence


def opens_with_a_line(source):
    """Whether a header's first line says what the file is."""
    first = source.split("\n", 1)[0]
    return bool(re.match(r"// [A-Z`].*[.]$", first)) and not BEGINNING.match(first[3:])


def folder_of(path):
    """The folder that has a budget of its own: two levels of lib and controller, one of others."""
    parts = path.split("/")[:-1]
    if parts and parts[0] in ("lib", "controller"):
        return "/".join(parts[:3] if parts[:2] == ["lib", "engine"] else parts[:2])
    return parts[0] if parts else "."


def is_checked(path):
    """C++ of the product and READMEs."""
    return (path.startswith(("lib/", "controller/")) and path.endswith((".cpp", ".hpp"))) or (
        path.endswith(".md"))


def all_faults(texts):
    """Yields (path, line, what is wrong) of all files. `texts`: path -> text."""
    for path in sorted(p for p in texts if is_checked(p)):
        source = texts[path]
        if path.endswith(".hpp") and not opens_with_a_line(source):
            yield path, 1, "its first line does not say what the file is"
        for offset, wrong, sentence in faults(path, source):
            yield path, cpp_text.line_of(source, offset), f"{wrong}: {sentence}"


def counts(texts):
    """How many faults each folder has; folders without any are left out."""
    found = {}
    for path, _, _ in all_faults(texts):
        found[folder_of(path)] = found.get(folder_of(path), 0) + 1
    return found


def budget_faults(texts, budget):
    """Yields (path, text) for each folder that has more faults than it may, or fewer than its
    budget says, so that the budget falls with them."""
    found = counts(texts)
    for folder in sorted(set(found) | set(budget)):
        has, may = found.get(folder, 0), budget.get(folder, 0)
        if has > may:
            yield folder, (f"{has} sentences to rewrite, {may} are allowed: "
                           f"test/lint/prose.py {folder}")
        elif has < may:
            yield folder, (f"{has} sentences to rewrite, fewer than {may}: "
                           "test/lint/prose.py --write")


def read_texts(root):
    """The text of each checked file, by path."""
    texts = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", "__pycache__") and f[0] != "."]
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), root)
            if is_checked(path):
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                    texts[path] = file.read()
    return texts


def read_budget(root):
    """Faults that are allowed, by folder."""
    with open(os.path.join(root, BUDGET), encoding="utf-8") as file:
        return json.load(file)


def write_budget(root, found):
    """Writes the counts; prints each that would rise, and then writes nothing. Returns the exit
    code."""
    budget = read_budget(root)
    risen = [folder for folder in sorted(found) if found[folder] > budget.get(folder, 0)]
    for folder in risen:
        print(f"{folder}: {found[folder]} sentences to rewrite, {budget.get(folder, 0)} are "
              f"allowed: test/lint/prose.py {folder}")
    if risen:
        print(f"{BUDGET} is unchanged: its numbers may only fall")
        return 1
    with open(os.path.join(root, BUDGET), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1, sort_keys=True)
        file.write("\n")
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--root", default=ROOT, help="the tree to read (default: this one)")
    options.add_argument("--write", action="store_true", help="write the counts into the budget")
    options.add_argument("folders", nargs="*", metavar="FOLDER")
    arguments = options.parse_args()
    texts = read_texts(arguments.root)
    if arguments.folders:
        shown = 0
        wanted = tuple(folder.rstrip("/") for folder in arguments.folders)
        for path, line, fault in all_faults(texts):
            if any(w in (".", path) or path.startswith(w + "/") for w in wanted):
                shown += 1
                print(f"{path}:{line}: {fault}")
        print(f"{shown} sentences to rewrite")
        return 0
    found = counts(texts)
    if arguments.write:
        return write_budget(arguments.root, found)
    budget = read_budget(arguments.root)
    for folder in sorted(set(found) | set(budget)):
        print(f"{folder:32} {found.get(folder, 0):5} of {budget.get(folder, 0)}")
    print(f"{sum(found.values())} sentences to rewrite")
    return 0


if __name__ == "__main__":
    sys.exit(main())
