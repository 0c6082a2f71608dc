"""Names of one source that mean something else in another source.

The sanitizers and the quickstart compile several sources of a library as one text.
There a function in an anonymous namespace is an overload of each function of its name in the other
sources and in the headers: a call may choose another one than in the dev build, and no compiler
says so. Its name must therefore be its own within the library.

A constant or a type of that name is an error there, which the dev build does not show: its name
must be its own within the folder.
"""

import collections
import posixpath
import re

import cpp_text

# A constant or a type at the left margin. Two sources may name one type by `using`.
_DEFINITION = re.compile(
    r"^(?:(?:inline |static )*const(?:expr)? [^=({;]*?\b(\w+)(?:\[\w*\])? *[={(]"
    r"|(?:struct|class|enum|enum class) (\w+)[^;]*$)"
)
_ALONE = re.compile(r"set_source_files_properties\(([^)]*?)PROPERTIES\s+SKIP_UNITY", re.DOTALL)

# The head of a function at the left margin: what it returns, then its name.
_FUNCTION = re.compile(
    r"^(?:template <[^()]*> |\[\[\w+\]\] )*"
    r"(?!(?:return|else|namespace|using|struct|class|enum|template|static_assert|case)\b)"
    r"[A-Za-z_][\w:<>,&*\[\] ]*(?:<[^;={]*>)?[ &*>](\w+)\("
)


def _library(path):
    """What is compiled together at most: a folder of lib/ or of controller/."""
    return "/".join(path.split("/")[:2])


def _reach(path):
    """Where the functions of a header may be called without naming a namespace."""
    library = _library(path)
    if library == "lib/base":
        return ""
    return "controller/" if library.startswith("controller/") else library


def _definitions(source):
    """Yields (name, line) for each constant and type of this source alone."""
    is_anonymous = False
    lines = zip(source.splitlines(), cpp_text.strip(source).splitlines())
    for number, (line, code) in enumerate(lines, 1):
        if code.startswith("namespace {"):
            is_anonymous = True
        elif line == "}  // namespace":
            is_anonymous = False
        elif is_anonymous and (match := _DEFINITION.match(code)):
            yield match.group(1) or match.group(2), number


def _functions(source):
    """Yields (name, line, whether it is of this source alone)."""
    is_anonymous = False
    lines = zip(source.splitlines(), cpp_text.strip(source).splitlines())
    for number, (line, code) in enumerate(lines, 1):
        if code.startswith("namespace {"):
            is_anonymous = True
        elif line == "}  // namespace":
            is_anonymous = False
        elif match := _FUNCTION.match(code):
            yield match.group(1), number, is_anonymous or code.startswith("static ")


def faults(tree):
    """Yields (path, line, fault)."""
    own = collections.defaultdict(list)
    shared = collections.defaultdict(set)
    for path in tree.cpp(under=("lib/", "controller/")):
        for name, line, is_own in _functions(tree.text(path)):
            if path.endswith(".hpp"):
                shared[_reach(path), name].add(path)
            elif is_own:
                own[_library(path), name].append((path, line))
    for (library, name), places in sorted(own.items()):
        files = {path for path, _ in places}
        for reach in ("", "controller/", library):
            if library.startswith(reach):
                files |= shared[reach, name]
        for path, line in places:
            for other in sorted(files - {path}):
                yield path, line, f"{name}() has the name of a function of {other}"
    yield from _definition_faults(tree)


def _compiled_alone(tree):
    """The sources that their CMakeLists.txt keeps out of the groups."""
    for path in tree.matching("/CMakeLists.txt", under=("lib/", "controller/")):
        for match in _ALONE.finditer(tree.text(path)):
            for source in match.group(1).split():
                yield posixpath.join(posixpath.dirname(path), source)


def _definition_faults(tree):
    places = collections.defaultdict(list)
    alone = set(_compiled_alone(tree))
    for path in tree.matching(".cpp", under=("lib/", "controller/")):
        if path not in alone:
            for name, line in _definitions(tree.text(path)):
                places[posixpath.dirname(path), name].append((path, line))
    for (_, name), sources in sorted(places.items()):
        for path, line in sources:
            for other in sorted({other for other, _ in sources} - {path}):
                yield path, line, f"{name} has the name of a definition of {other}"
