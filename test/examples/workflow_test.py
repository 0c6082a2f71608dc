"""The GitHub Actions workflow of examples/09_test_in_ci: workflow_test.py SLUICE

Its commands run as they stand, in the shell that GitHub uses, but for what takes minutes: programs
in the place of cmake and of the installation check how they are called.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/09_test_in_ci"
SLUICE = os.path.abspath(sys.argv.pop(1))
WORKFLOW = yaml.safe_load((EXAMPLE / "github-workflow.yaml").read_text())
INSTALL = '#!/bin/sh\n[ "$*" = build ]\n'
CMAKE = """#!/bin/sh
case "$*" in
"--preset quickstart") [ -f CMakePresets.json ] ;;
"--build --preset quickstart")
    mkdir -p build/quickstart/controller && ln -s "$SLUICE" build/quickstart/controller/sluice ;;
*) exit 1 ;;
esac
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class WorkflowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        put(self.place / "sluice/test/install_dependencies.sh", INSTALL)
        put(self.place / "programs/cmake", CMAKE)
        shutil.copy(ROOT / "CMakePresets.json", self.place / "sluice")
        (self.place / "queues").mkdir()
        for name in ("queues", "jobs", "expect"):
            shutil.copy(EXAMPLE / f"{name}.yaml", self.place / "queues")

    def run_steps(self):
        """(exit code, output) of the last command that ran; the first that fails ends it."""
        environment = os.environ | {
            "SLUICE": SLUICE,
            "PATH": f"{self.place / 'programs'}:{os.environ['PATH']}",
        }
        done = None
        for step in self.steps():
            if "run" in step:
                done = subprocess.run(
                    ["sh", "-e", "-c", step["run"]],
                    cwd=self.place / step.get("working-directory", "."),
                    env=environment, capture_output=True, text=True, timeout=60, check=False,
                )  # fmt: skip
                if done.returncode != 0:
                    break
        return done.returncode, done.stdout + done.stderr

    @staticmethod
    def steps():
        return WORKFLOW["jobs"]["test"]["steps"]

    def test_its_commands_test_the_queues(self):
        code, output = self.run_steps()
        self.assertEqual(code, 0, output)
        self.assertIn("3 passed, 0 failed", output)
        self.assertIn("testsuite", (self.place / "results.xml").read_text())

    def test_the_proposed_change_fails(self):
        queues = self.place / "queues/queues.yaml"
        proposed = (EXAMPLE / "proposed-queues.yaml").read_text()
        queues.write_text(queues.read_text() + "---\n" + proposed)
        code, output = self.run_steps()
        self.assertEqual(code, 1, output)
        self.assertIn("FAIL  forecast/nightly", output)
        self.assertIn("<failure", (self.place / "results.xml").read_text())

    def test_each_step_is_one_that_github_knows(self):
        self.assertIn("pull_request", WORKFLOW[True])  # `on` is a boolean of YAML 1.1
        names = set()
        for step in self.steps():
            self.assertEqual(("uses" in step) + ("run" in step), 1, step)
            known = {"uses", "run", "with", "id", "if", "name", "working-directory"}
            self.assertLessEqual(set(step), known)
            if "uses" in step:
                self.assertRegex(step["uses"], r"^actions/[a-z-]+@v\d+$")
            names.add(step.get("id"))
        text = (EXAMPLE / "github-workflow.yaml").read_text()
        for name in re.findall(r"steps\.(\w+)\.", text):
            self.assertIn(name, names)

    def test_it_builds_what_there_is(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())
        names = {each["name"]: each for each in presets["buildPresets"]}
        self.assertEqual(names["quickstart"]["targets"], ["sluice"])
        script = (ROOT / "test/install_dependencies.sh").read_text()
        self.assertIn("    build) ", script)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
