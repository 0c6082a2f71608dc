"""What examples/record.py draws of a terminal: record_test.py SLUICE"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SVG = "{http://www.w3.org/2000/svg}"

try:
    import pyte  # noqa: F401
except ModuleNotFoundError:
    # Packages of Debian belong to its own Python.
    if sys.executable == "/usr/bin/python3":
        sys.exit("python3-pyte is missing")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

SLUICE = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, str(EXAMPLES))

import record  # noqa: E402


def shown(text):
    """The screen after these bytes, as lines of runs."""
    terminal = record.Terminal(20, 3)
    terminal.feed(text.encode())
    return terminal.lines()


def texts(svg):
    return ["".join(each.itertext()) for each in svg.iter(f"{SVG}text")]


class RecordTest(unittest.TestCase):
    def test_text_is_where_the_terminal_would_have_it(self):
        self.assertEqual(
            shown("ab  cd\r\n\x1b[3Cx"),
            (
                ((0, "ab", record.FOREGROUND, False), (4, "cd", record.FOREGROUND, False)),
                ((3, "x", record.FOREGROUND, False),),
                (),
            ),
        )

    def test_what_is_written_over_is_gone(self):
        line = shown("old text\x1b[2J\x1b[Hnew")[0]
        self.assertEqual(line, ((0, "new", record.FOREGROUND, False),))

    def test_colours_and_weight_are_kept(self):
        line = shown("\x1b[31mred\x1b[0m\x1b[1mbold\x1b[0m\x1b[38;2;1;2;3mown")[0]
        self.assertEqual(line[0], (0, "red", record.COLOURS["red"], False))
        self.assertEqual(line[1], (3, "bold", record.FOREGROUND, True))
        self.assertEqual(line[2], (7, "own", "#010203", False))

    def test_pictures_follow_each_other_and_the_last_one_is_there_without_motion(self):
        text = record.draw([(0.0, shown("one <&>")), (2.0, shown("two"))], 20, 3)
        svg = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(texts(svg), ["one <&>", "two"])
        groups = {each.get("id"): each.get("opacity") for each in svg.iter(f"{SVG}g")}
        self.assertEqual((groups["f0"], groups["f1"]), ("0", "1"))
        self.assertIn("@keyframes f0{0%{opacity:1}40.000%{opacity:0}}", text)
        self.assertIn("@keyframes f1{0%{opacity:0}40.000%{opacity:1}}", text)

    def test_the_recording_in_the_tree_shows_borrowing_and_preemption(self):
        svg = xml.etree.ElementTree.parse(EXAMPLES / "sluice-dev.svg")
        words = " ".join(texts(svg))
        for wanted in ("team-a/a-big", "2 borrowed", "Preempted:", "nvidia.com/gpu"):
            self.assertIn(wanted, words)

    def record_for(self, seconds):
        """The texts of what the program showed in this time."""
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "out.svg"
            run = subprocess.run(
                [sys.executable, EXAMPLES / "record.py", "--binary", SLUICE, "--seconds",
                 str(seconds), "--output", output],
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            return " ".join(texts(xml.etree.ElementTree.parse(output)))

    def test_it_records_the_program(self):
        # How much of it is seen depends on how quick the machine is.
        words = self.record_for(8)
        if "team-a/a-big" not in words:
            words = self.record_for(40)
        self.assertIn("team-a/a-big", words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
