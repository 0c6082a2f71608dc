"""Errors of the command line name where the fault is: error_sources_test.py SLUICE"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SLUICE = os.path.abspath(sys.argv.pop(1))
OWN_KIND = pathlib.Path(__file__).resolve().parents[3] / "examples/07_own_kind"
CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
KUBECONFIG = {
    "apiVersion": "v1", "kind": "Config", "current-context": "c",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
}  # fmt: skip
FILES = {
    "plain.yaml": CONFIGURATION + "webhook: {host: 127.0.0.1}\n",
    "gated.yaml": CONFIGURATION + "metrics: {}\nfeatureGates: {PartialAdmission: true}\n",
    "unknown.yaml": CONFIGURATION + "featureGates: {Nonsense: true}\n",
    "unsupported.yaml": CONFIGURATION + "multiKueue: {origin: here}\n",
    "cut.yaml": "a: 1\nb: [\n",
    "namespace.yaml": NAMESPACE,
    "kubeconfig.json": json.dumps(KUBECONFIG),
}
UNKNOWN = "--feature-gates=Nonsense=true"
UNBUILT = "--feature-gates=MultiKueue=true"
UNKNOWN_ERROR = "--feature-gates: unrecognized feature gate: Nonsense"
UNBUILT_ERROR = "--feature-gates: MultiKueue is not supported"
CUT_ERROR = "cut.yaml:3: invalid YAML: "
CONTROLLER = ("controller", "--kubeconfig", "kubeconfig.json", "--log-format", "json")


class ErrorSources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for name, text in FILES.items():
            pathlib.Path(cls.folder, name).write_text(text)

    def run_sluice(self, *arguments):
        return subprocess.run(
            [SLUICE, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def expect_error(self, error, *arguments):
        """The command ends with this error and no other one."""
        with self.subTest(arguments):
            run = self.run_sluice(*arguments)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            text = run.stderr
            if arguments[0] == "controller":
                text = "error: " + json.loads(run.stderr)["error"]
            self.assertTrue(text.startswith("error: " + error), run.stderr)
            self.assertEqual(text.count("--feature-gates"), error.count("--feature-gates"), text)

    def test_a_bad_gate_of_the_command_line_is_blamed_on_the_flag(self):
        files = ("-f", "namespace.yaml")
        for command in (("dev",), ("dev", "--step"), ("test", *files), CONTROLLER):
            for config in ((), ("--config", "plain.yaml")):
                self.expect_error(UNKNOWN_ERROR, *command, *config, UNKNOWN)
                self.expect_error(UNBUILT_ERROR, *command, *config, UNBUILT)

    def test_a_setting_that_is_not_supported_is_blamed_on_its_file(self):
        error = "unsupported.yaml: multiKueue: is not supported"
        config = ("--config", "unsupported.yaml")
        files = ("-f", "namespace.yaml")
        for command in (("dev",), ("test", *files), ("schedule", *files), CONTROLLER):
            self.expect_error(error, *command, *config)

    def test_gates_of_the_file_and_of_the_flag_are_blamed_on_both(self):
        error = "featureGates: feature gates for CLI and configuration cannot both specified"
        gates = ("--config", "gated.yaml", "--feature-gates=PartialAdmission=false")
        self.expect_error(f"gated.yaml: {error}", "dev", *gates)
        self.expect_error(f"gated.yaml with --feature-gates: {error}", *CONTROLLER, *gates)

    def test_an_input_without_a_workload_is_noted(self):
        run = self.run_sluice("schedule", "-f", "namespace.yaml", "-o", "table")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(
            run.stderr,
            "note: the input contains no Workload: there is nothing to decide (sluice test decides "
            "on Jobs)\n",
        )

    def test_spaces_between_gates_are_allowed(self):
        gates = "--feature-gates= PriorityBoost = t , ShortWorkloadNames=F"
        run = self.run_sluice("test", "-f", "namespace.yaml", gates)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_config_check_tells_the_flag_from_the_lines_of_the_file(self):
        own_kind = str(OWN_KIND / "config-map.yaml")
        for arguments, report in (
            (("plain.yaml", UNKNOWN), f"error: {UNKNOWN_ERROR}\n"),
            (("plain.yaml", UNBUILT), f"error: {UNBUILT_ERROR}\n"),
            (("plain.yaml", "--feature-gates=Nonsense"),
             "error: --feature-gates: missing bool value for Nonsense\n"),
            (("gated.yaml", UNKNOWN), "gated.yaml:4: error: featureGates: feature gates for CLI"),
            (("unknown.yaml",),
             "unknown.yaml:3: error: featureGates: unrecognized feature gate: Nonsense\n"),
            ((own_kind, UNKNOWN, "--object", str(OWN_KIND / "4-experiment.yaml")),
             f"error: {UNKNOWN_ERROR}\n"),
        ):  # fmt: skip
            with self.subTest(arguments):
                run = self.run_sluice("config", "check", *arguments)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertTrue(run.stdout.startswith(report), run.stdout)
        run = self.run_sluice("config", "check", "plain.yaml", "--feature-gates=LendingLimit=true")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn(
            "warning: --feature-gates: LendingLimit no longer has an effect\n", run.stdout
        )

    def test_a_text_that_is_not_yaml_is_named_by_file_and_line(self):
        files = ("-f", "namespace.yaml")
        self.expect_error(CUT_ERROR, "schedule", "-f", "cut.yaml")
        self.expect_error(CUT_ERROR, "schedule", *files, "--config", "cut.yaml")
        self.expect_error(CUT_ERROR, "test", *files, "--expect", "cut.yaml")
        self.expect_error(CUT_ERROR, "dev", "--config", "cut.yaml")
        self.expect_error(CUT_ERROR, *CONTROLLER, "--config", "cut.yaml")
        self.expect_error(
            f"--kubeconfig: {CUT_ERROR}", "controller", "--log-format", "json", "--kubeconfig",
            "cut.yaml",
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
