"""Plays the examples on `sluice dev`, and holds them to their READMEs: play_test.py SLUICE

The real control plane is for examples/quickstart.sh --real, which plays the same.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SLUICE = os.path.abspath(sys.argv.pop(1))
# What a README tells to type, and what a story shows that it does.
CHANGE = re.compile(r"kubectl (?:apply|scale|create|delete) .*")
HEAD = re.compile(r"^== (\d\d) .*$", re.MULTILINE)


def play(examples, *arguments):
    command = [sys.executable, examples / "play", "--binary", SLUICE, "--no-kubectl", *arguments]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=280, check=False
    )


def commands_with(word):
    found = []
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_text(errors="replace").replace("\0", " ")
        except OSError:
            continue  # it has ended
        if word in command:
            found.append(command)
    return found


def folders():
    return sorted(EXAMPLES.glob("[0-9][0-9]_*"))


class PlayTest(unittest.TestCase):
    def test_the_examples_do_what_their_readmes_say(self):
        run = play(EXAMPLES)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        parts = HEAD.split(run.stdout)
        shown = dict(zip(parts[1::2], parts[2::2]))
        for folder in folders():
            number = folder.name[:2]
            if number not in shown:
                continue
            with self.subTest(folder.name):
                text = (folder / "README.md").read_text()
                told = {line.partition("  #")[0].strip() for line in CHANGE.findall(text)}
                self.assertTrue(told or number in ("07", "09"), "nothing to type")
                done = {line.strip() for line in CHANGE.findall(shown[number])}
                files = {word for line in told for word in line.split() if word.endswith(".yaml")}
                for file in files:
                    self.assertTrue((ROOT / file).is_file(), f"{file} is not there")
                if number not in ("07", "09", "12"):
                    self.assertEqual(told - done, set(), "typed in the README, not done")
        for number in ("01", "02", "03", "04", "06", "07", "08", "09", "10", "11", "12"):
            self.assertIn(number, shown)

    def test_an_example_that_does_otherwise_fails_and_says_what_was_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "examples"
            shutil.copytree(EXAMPLES, copy)
            queues = copy / "01_single_queue/1-queues.yaml"
            queues.write_text(queues.read_text().replace("nominalQuota: 4", "nominalQuota: 6"))
            run = play(copy, "--patience", "3", "01_")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("error: 01_single_queue: waited 3 s for single/third: waiting", run.stderr)
        self.assertIn("it is: running admitted by single", run.stderr)
        self.assertRegex(run.stdout, r"01_single_queue +one queue .* FAILED")

    def test_a_program_that_ends_is_told(self):
        command = [sys.executable, EXAMPLES / "play", "--binary", "/bin/false", "01_"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("error: sluice dev is ready: it ended", run.stderr)

    def test_an_interrupt_ends_it_quietly_and_its_cluster_too(self):
        for pause in (0, 0.5, 2, 5):
            with self.subTest(pause), tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, EXAMPLES / "play", "--binary", SLUICE, "--no-kubectl"]
                run = subprocess.Popen(
                    list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True, env=os.environ | {"TMPDIR": folder},
                )  # fmt: skip
                run.stdout.readline()
                run.stdout.readline()  # it starts
                time.sleep(pause)
                run.send_signal(signal.SIGINT)
                _, told = run.communicate(timeout=60)
                self.assertEqual((run.returncode, told), (130, ""))
                self.assertEqual(os.listdir(folder), [], "nothing is left")
                end = time.monotonic() + 60
                while (left := commands_with(folder)) and time.monotonic() < end:
                    time.sleep(0.1)  # it dies with the one that began it
                self.assertEqual(left, [], "its cluster runs on")

    def test_a_name_of_no_example_is_told(self):
        run = play(EXAMPLES, "99_")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no example has one of these in its name: 99_", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
