"""The tests of examples/13_fixture pass, and fail where there are no queues: fixture_test.py
LANGUAGE SLUICE

LANGUAGE is python or go. Ends with 77 where there is no Go, or where it cannot get its modules.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGE, SLUICE = sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
NO_GO = 77


def find_python():
    """One that has the client, which the packages of Debian give to their own."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run([candidate, "-c", "import kubernetes"], capture_output=True)
        if tried.returncode == 0:
            return candidate
    sys.exit("no Python has the module kubernetes: install python3-kubernetes")


def find_go():
    for candidate in (shutil.which("go"), "/usr/local/go/bin/go", "/usr/lib/go-1.23/bin/go"):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def command():
    if LANGUAGE == "python":
        return [find_python(), "-m", "unittest", "-v", "test_queues"]
    return [find_go(), "test", "-count=1", "-v", "./..."]


class FixtureTest(unittest.TestCase):
    def run_tests(self, has_queues=True):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for name in ("13_fixture", "01_single_queue"):
                shutil.copytree(ROOT / "examples" / name, copy / name)
            if not has_queues:
                (copy / "01_single_queue/1-queues.yaml").write_text("# nothing\n")
            return subprocess.run(
                command(), cwd=copy / "13_fixture" / LANGUAGE, env=os.environ | {"SLUICE": SLUICE},
                capture_output=True, text=True, timeout=280, check=False,
            )  # fmt: skip

    def test_the_example_passes(self):
        run = self.run_tests()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("admitted", (run.stdout + run.stderr).lower())

    def test_it_fails_where_there_are_no_queues(self):
        run = self.run_tests(has_queues=False)
        self.assertNotEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("not found", run.stdout + run.stderr)


def why_not():
    """Why the tests cannot run on this machine, or None."""
    if LANGUAGE == "python":
        return None
    go = find_go()
    if go is None:
        return "there is no Go"
    folder = ROOT / "examples/13_fixture/go"
    got = subprocess.run([go, "mod", "download"], cwd=folder, capture_output=True, text=True)
    return f"its modules cannot be had: {got.stderr.strip()}" if got.returncode else None


if __name__ == "__main__":
    if reason := why_not():
        print(f"skipped: examples_fixture_{LANGUAGE}: {reason}")
        sys.exit(NO_GO)
    unittest.main(argv=sys.argv[:1], verbosity=2)
