"""`sluice test` as a CI system calls it: test_command_test.py SLUICE"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEAMS = ROOT / "examples/02_two_teams"
EXPECTED = ROOT / "examples/09_test_in_ci/expect.yaml"
SLUICE = sys.argv.pop(1)


class TestCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_test(self, *arguments):
        command = [SLUICE, "test", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def expect(self, text, *files):
        path = self.folder / "expect.yaml"
        path.write_text(text)
        arguments = [word for file in files or [TEAMS] for word in ("-f", file)]
        return self.run_test(*arguments, "--expect", path)

    def test_what_the_example_expects_holds(self):
        results = self.folder / "results.xml"
        run = self.run_test("-f", TEAMS, "--expect", EXPECTED, "--junit", results)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 passed, 0 failed", run.stdout)
        suite = xml.etree.ElementTree.parse(results).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "0"))

    def test_an_expectation_that_is_not_met_says_what_is(self):
        run = self.expect("jobs: [{job: team-a/a-big, state: Finished, preempted: false}]")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("not so: Finished, not preempted; it is Pending, was preempted", run.stdout)
        self.assertIn("0 passed, 1 failed", run.stdout)

    def test_nothing_is_true_of_what_is_not_there(self):
        for text in (
            "jobs: [{job: team-a/tpyo, preempted: false}]",
            "clusterQueues: [{name: team-a, usage: {shraed: {cpu: 0}}}]",
            "clusterQueues: [{name: team-a, usage: {shared: {gpu: 0}}}]",
        ):
            with self.subTest(text):
                run = self.expect(text)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_jobs_end_after_the_time_that_is_said(self):
        path = self.folder / "expect.yaml"
        path.write_text("jobs: [{job: team-a/a-big, state: Finished}]")
        run = self.run_test("-f", TEAMS, "--expect", path, "--run-seconds", 60)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_two_runs_are_the_same(self):
        runs = [self.run_test("-f", TEAMS).stdout.rpartition(" of virtual")[0] for _ in range(2)]
        self.assertIn("Job team-b/b-urgent", runs[0])
        self.assertEqual(*runs)

    def test_a_refused_object_fails_unless_it_is_expected(self):
        bad = self.folder / "queue.yaml"
        bad.write_text(
            "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, "
            "spec: {queueingStrategy: Random}}"
        )
        run = self.expect("jobs: [{job: a/b, state: Missing}]", bad)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("FAIL  ClusterQueue q: applied", run.stdout)
        run = self.expect("refused: [{kind: ClusterQueue, name: q, message: Unsupported}]", bad)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_expectations_that_cannot_be_read_are_told(self):
        for text, told in (
            ("jobs: [{job: a-big, state: Admitted}]", "jobs[0].job: must be namespace/name"),
            ("jobs: [{job: a/b, state: Running}]", "jobs[0].state: must be Missing"),
            ("jobs: [{job: a/b}]", "nothing is expected of it"),
            ("job: []", "job: "),
            ("{", "expect.yaml"),
            ("# nothing", "nothing is expected"),
        ):
            with self.subTest(text):
                run = self.expect(text)
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertIn(told, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
