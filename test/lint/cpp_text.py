"""C++ text without its comments and literals, with every line where it was."""

import re

_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
      | (?P<text>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def strip(source, keep_literals=False):
    """The source with comments, and unless kept also literals, replaced by blanks."""

    def replace(match):
        if match.lastgroup in ("line", "block"):
            return _blank(match.group())
        if keep_literals:
            return match.group()
        return '""' + _blank(match.group()[2:]) if match.group()[0] != "'" else "' '"

    return _TOKEN.sub(replace, source)


def literals(source):
    """Yields (offset, text) for each literal of a text, what stands between its quotes."""
    for match in _TOKEN.finditer(source):
        if match.lastgroup == "text":
            yield match.start(), match.group()[1:-1]
        elif match.group("raw"):
            yield match.start(), match.group().split("(", 1)[1].rsplit(")", 1)[0]


def line_of(text, offset):
    """The line number of an offset, from 1."""
    return text.count("\n", 0, offset) + 1
