"""The arguments of `examples/quickstart.sh`; what it plays is for play_test.py."""

import pathlib
import subprocess
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples/quickstart.sh"


def call(*arguments):
    command = [SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class QuickstartTest(unittest.TestCase):
    def test_help_prints_the_usage_and_succeeds(self):
        for option in ("--help", "-h"):
            with self.subTest(option):
                run = call(option)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn("examples/quickstart.sh --keep", run.stdout)
                self.assertNotIn("set -euo", run.stdout)

    def test_an_unknown_argument_is_named_before_the_usage(self):
        run = call("--kep")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertTrue(run.stderr.startswith("error: unknown argument: --kep\n"), run.stderr)
        self.assertIn("examples/quickstart.sh --keep", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
