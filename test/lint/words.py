"""Banned words, each with where it is banned and what to use, and the rules of co_await."""

import re

CODE = ("lib/", "controller/")
ALL = (*CODE, "test/")

# (pattern, folders where it is banned, files or folders excepted, what to do instead); all are
# matched against the source without comments and literals.
BANNED = [
    (r"_clock\s*::\s*now\s*\(|\bclock_gettime\s*\(|\bgettimeofday\s*\(|\bstd::time\s*\(",
     CODE, ("lib/base/",), "take the time from a Clock or as an argument"),
    (r"\bsystem_clock\s*::\s*now\s*\(", ("test/",), ("test/bench/",),
     "tests run on a manual clock"),
    (r"\bs?rand\s*\(|\bmt19937|\bdefault_random_engine", ALL, (),
     "use Prng, seeded"),
    (r"\brandom_device\b", ALL, ("lib/base/", "controller/process/"),
     "take the seed as an argument"),
    (r"\bunordered_(map|set|multimap|multiset)\b",
     ("lib/engine/", "lib/workload/", "controller/scheduler/"), (),
     "its order could reach a decision: use a sorted vector or std::map"),
    (r"\bsleep_(for|until)\s*\(|\bu?sleep\s*\(|\bnanosleep\s*\(", ALL, (),
     "time is a value or a manual clock"),
    (r"\bstd::(cout|cerr|clog)\b", ALL, (),
     "write through fmt or the log"),
    (r"\bcatch\s*\(\s*\.\.\.\s*\)\s*\{\s*\}", ALL, (),
     "an exception is swallowed"),
    (r"\bawaitable_operators\b", ALL, (), "use net/with_timeout.hpp"),
    (r"\busing\s+namespace\b(?!\s+std::(chrono_)?literals)", CODE, (),
     "name what is used"),
    (r"#\s*include\s*<catch2/catch_all\.hpp>", ("test/",), (), "include the single headers"),
    (r"\bstd::(mutex|shared_mutex|recursive_mutex)\b",
     ("lib/engine/", "lib/workload/", "lib/api/"), (),
     "pure folders hold no locks"),
]

# In comments too: notes to self. TODO(#12) names an issue and may stay.
NOTES = re.compile(r"\bFIXME\b|\bXXX\b|\bTODO\b(?!\(#\d+\))")


def _in(path, places):
    return any(path.startswith(place) for place in places)


def _await_fault(text, start):
    """Why the statement around the co_await at `start` is a trap, or None."""
    before = re.search(r"[^;{}]*$", text[:start]).group()
    after = re.match(r"[^;{}]*", text[start:]).group()
    stop = text[start + len(after):start + len(after) + 1]
    if "co_await" in after[len("co_await"):] or "co_await" in before:
        return "one co_await a statement"
    if re.search(r"\b(if|while|switch|for)\s*\([^;]*$", before):
        return "co_await in a condition: name the result first"
    if "?" in before:
        return "co_await in a branch of an expression: use if"
    if stop in ("{", "}"):
        return "braces or a lambda beside a co_await: name the argument or result first"
    if re.search(r"(?<![\w\])])\[[^\]]*\]\s*(\(|mutable)", after):
        return "a lambda beside a co_await: name it first"
    if "||" in after or "&&" in re.sub(r"\w&&", "", after):
        return "an operator between awaitables hides errors: use net/with_timeout.hpp"
    return None


def faults(path, source, stripped):
    """Yields (offset, text) for each banned word of a C++ file."""
    for pattern, places, excepted, instead in BANNED:
        if _in(path, places) and not _in(path, excepted):
            for match in re.finditer(pattern, stripped):
                word = " ".join(match.group().split())
                yield match.start(), f"{word} is banned here: {instead}"
    for match in NOTES.finditer(source):
        yield match.start(), f"{match.group()} is banned: do it or open an issue"
    for match in re.finditer(r"\bco_await\b", stripped):
        fault = _await_fault(stripped, match.start())
        if fault:
            yield match.start(), fault
