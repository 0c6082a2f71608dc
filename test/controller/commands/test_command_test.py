"""`sluice test` as a CI system calls it: test_command_test.py SLUICE"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEAMS = ROOT / "examples/02_two_teams"
REVIEWED = ROOT / "examples/09_test_in_ci"
QUEUES, PROPOSED, JOBS, EXPECTED = (
    REVIEWED / f"{name}.yaml" for name in ("queues", "proposed-queues", "jobs", "expect")
)
SLUICE = sys.argv.pop(1)
QUEUE = "kueue.x-k8s.io/queue-name"


def kueue(kind, name, spec, **metadata):
    made = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind}
    made["metadata"] = {"name": name} | metadata
    return made | ({} if spec is None else {"spec": spec})


def job(name, labels, annotations=None, cpu="1"):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    template = {
        "metadata": {"annotations": annotations or {}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {QUEUE: "jobs"} | labels},
        "spec": {"template": template},
    }


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
        run = self.run_test(
            "-f", QUEUES, "-f", JOBS, "--expect", EXPECTED, "--junit", results
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 passed, 0 failed", run.stdout)
        suite = xml.etree.ElementTree.parse(results).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "0"))

    def test_the_change_that_the_example_proposes_is_refused(self):
        files = ("-f", QUEUES, "-f", PROPOSED, "-f", JOBS)
        run = self.run_test(*files, "--expect", EXPECTED)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("FAIL  forecast/nightly: Admitted", run.stdout)
        self.assertIn("current podset request (8) > maximum capacity (6)", run.stdout)
        self.assertIn("1 passed, 2 failed", run.stdout)

    def test_an_expectation_that_is_not_met_says_what_is(self):
        run = self.expect("jobs: [{job: team-a/a-big, state: Finished, preempted: false}]")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("expected Finished, not preempted; found Admitted in team-a", run.stdout)
        self.assertIn("0 passed, 1 failed", run.stdout)

    def test_nothing_is_true_of_what_is_not_there(self):
        for text in (
            "jobs: [{job: team-a/tpyo, preempted: false}]",
            "jobs: [{job: team-a/tpyo, state: Missing}]",
            "clusterQueues: [{name: team-a, usage: {shraed: {cpu: 0}}}]",
            "clusterQueues: [{name: team-a, usage: {shared: {gpu: 0}}}]",
        ):
            with self.subTest(text):
                run = self.expect(text)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_a_job_without_a_queue_is_missing(self):
        plain = self.make_file("plain.json", job("plain", {}))
        text = json.loads(plain.read_text())
        text["metadata"].pop("labels")
        plain.write_text(json.dumps(text))
        run = self.expect("jobs: [{job: default/plain, state: Missing}]", plain)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_cron_jobs_may_go_on(self):
        template = job("tick", {})["spec"] | {}
        cron = {
            "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
            "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": template}},
        }  # fmt: skip
        path = self.folder / "expect.yaml"
        path.write_text("jobs: [{job: default/tick, state: Missing}]")
        file = self.make_file("cron.json", cron)
        run = self.run_test(
            "-f", file, "--expect", path, "--hours", 1, "--run-seconds", 5
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("not idle after 1 hour (--hours): CronJobs are active", run.stdout)

    def test_files_without_an_object_are_told(self):
        empty = self.folder / "empty.yaml"
        empty.write_text("# nothing yet\n")
        run = self.run_test("-f", empty)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("empty.yaml: contains no objects", run.stderr)

    def test_jobs_end_after_the_time_that_is_said(self):
        path = self.folder / "expect.yaml"
        path.write_text("jobs: [{job: forecast/nightly, state: Finished}]")
        run = self.run_test("-f", QUEUES, "-f", JOBS, "--expect", path, "--run-seconds", 60)
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
        self.assertIn(
            "FAIL  ClusterQueue q: can be applied\n"
            f"      expected to be applied; refused: {bad}:1: ",
            run.stdout,
        )
        run = self.expect("refused: [{kind: ClusterQueue, name: q, message: Unsupported}]", bad)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_failure_says_what_was_expected_and_what_was_found(self):
        for text, failure in (
            ("refused: [{kind: ClusterQueue, name: team-a}]",
             "ClusterQueue team-a: refused\n      expected to be refused; no object of this kind and name was refused"),
            ("refused: [{kind: ClusterQueue, name: tpyo}]",
             "expected to be refused; no object of this name was applied"),
            ("clusterQueues: [{name: team-a, pending: 7, admitted: 9}]",
             "expected pending 7, admitted 9; found pending "),
            ("clusterQueues: [{name: tpyo, pending: 0}]",
             "expected pending 0; the ClusterQueue is not found"),
        ):  # fmt: skip
            with self.subTest(text):
                run = self.expect(text)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertIn(failure, run.stdout)

    def test_expectations_of_several_files_and_of_a_folder_are_all_checked(self):
        folder = self.folder / "expected"
        folder.mkdir()
        files = [folder / "a.yaml", folder / "b.yaml"]
        files[0].write_text("jobs: [{job: team-a/a-big, state: Admitted}]")
        files[1].write_text("jobs: [{job: team-b/b-urgent, state: Finished}]")
        for names in (files, [files[0], "--expect", files[1]], [folder]):
            with self.subTest(names):
                run = self.run_test("-f", TEAMS, "--expect", *names)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertIn("2 passed, 0 failed", run.stdout)

    def make_file(self, name, *objects):
        path = self.folder / name
        path.write_text("\n---\n".join(json.dumps(each) for each in objects))
        return path

    def queue_file(self, flavor_labels, **spec):
        """A queue of 4 CPUs, `jobs` in the namespace `default`."""
        quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": "4"}]}
        groups = [{"coveredResources": ["cpu"], "flavors": [quota]}]
        return self.make_file(
            "queue.json",
            kueue("ResourceFlavor", "default", {"nodeLabels": flavor_labels}),
            kueue("ClusterQueue", "all",
                  {"namespaceSelector": {}, "resourceGroups": groups} | spec),
            kueue("LocalQueue", "jobs", {"clusterQueue": "all"}, namespace="default"),
        )  # fmt: skip

    def test_a_job_that_may_run_for_two_hours_is_stopped_then(self):
        limited = job("limited", {"kueue.x-k8s.io/max-exec-time-seconds": "7200"})
        run = self.expect(
            "jobs: [{job: default/limited, state: Pending, message: deactivated}]",
            self.queue_file({}),
            self.make_file("job.json", limited),
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"[23]:\d\d:\d\d of virtual time")

    def make_config(self, **settings):
        document = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "leaderElection": {"leaderElect": False}, "integrations": {"frameworks": ["batch/job"]},
        }  # fmt: skip
        return self.make_file("config.json", document | settings)

    def wait_for_pods(self, timeout, **settings):
        """A job whose pods do not become ready: no node has room."""
        path = self.folder / "expect.yaml"
        path.write_text("jobs: [{job: default/big, state: Pending, message: deactivated}]")
        waiting = {"timeout": timeout, "requeuingStrategy": {"backoffLimitCount": 0}}
        return self.run_test(
            "-f", self.queue_file({}), "-f", self.make_file("job.json", job("big", {}, cpu="4")),
            "--config", self.make_config(waitForPodsReady=waiting), "--nodes", "n: 1x cpu=1",
            "--expect", path, *[f"--{key}={value}" for key, value in settings.items()],
        )  # fmt: skip

    def test_pods_that_do_not_become_ready_are_waited_for_however_long(self):
        for timeout, hours in (("5m", 24), ("11m", 24), ("20h", 24), ("72h", 73)):
            with self.subTest(timeout):
                run = self.wait_for_pods(timeout, hours=hours)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_what_is_due_after_the_last_hour_is_told(self):
        run = self.wait_for_pods("30h")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertRegex(
            run.stdout,
            r"not idle after 24 hours \(--hours\): the next change is due at "
            r"2030-01-02T06:00:\d\dZ of virtual time",
        )
        self.assertIn("pods without a node: 1, such as default/big-", run.stdout)
        self.assertIn("0/1 nodes are available: 1 Insufficient cpu.", run.stdout)

    def test_nodes_may_be_those_of_a_file(self):
        small = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "small"},
                 "status": {"allocatable": {"cpu": "1"}}}
        nodes = self.make_file("nodes.json", {"apiVersion": "v1", "kind": "List", "items": [small]})
        queues = self.queue_file({})
        jobs = self.make_file("job.json", job("big", {}, cpu="4"))
        run = self.run_test("-f", queues, "-f", jobs, "--nodes", nodes, "--hours=1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("0/1 nodes are available: 1 Insufficient cpu.", run.stdout)
        self.assertIn("not idle after 1 hour (--hours)", run.stdout)
        for text, problem in (("{}", "kind"), ("[", "nodes.json"),
                              (json.dumps({**small, "kind": "Pod"}), "a Node of apiVersion v1"),
                              (json.dumps({**small, "status": {"capacity": {"cpu": "-1"}}}),
                               "cpu=-1: the amount cannot be read or is negative")):
            with self.subTest(text):
                nodes.write_text(text)
                run = self.run_test("-f", queues, "-f", jobs, "--nodes", nodes)
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertIn(problem, run.stderr)

    def test_a_kind_that_a_gate_beside_the_file_turns_on_may_be_configured(self):
        frameworks = ["batch/job", "sparkoperator.k8s.io/sparkapplication"]
        run = self.run_test(
            "-f", TEAMS, "--config", self.make_config(integrations={"frameworks": frameworks})
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_lists_in_lists_are_read_and_nothing_in_them_is_skipped(self):
        inner = {"apiVersion": "v1", "kind": "List", "items": [kueue("ResourceFlavor", "in", {})]}
        outer = {"apiVersion": "v1", "kind": "List", "items": [None, inner]}
        run = self.expect(
            "refused: [{kind: ResourceFlavor, name: UP, message: Invalid}]",
            self.make_file("list.json", outer, kueue("ResourceFlavor", "UP", {})),
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_what_cannot_be_read_is_told_with_its_place(self):
        queue = kueue("ClusterQueue", "q", {})
        kindless = self.make_file("kindless.json", queue, {"metadata": {}})
        cut = self.folder / "cut.yaml"
        cut.write_text("apiVersion: v1\nkind: Namespace\n---\nb: [\n")
        wrong = self.make_config(manageJobsWithoutQueueName=7)
        for arguments, message in (
            (["-f", kindless], f"{kindless}:3: not an object: apiVersion and kind are missing"),
            (["-f", cut], f"{cut}:5: "),
            (["-f", TEAMS, "--config", wrong],
             f"{wrong}:1: manageJobsWithoutQueueName: must be true or false"),
        ):  # fmt: skip
            with self.subTest(message):
                run = self.run_test(*arguments)
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertTrue(run.stderr.startswith("error: " + message), run.stderr)

    def test_results_that_cannot_be_written_are_told_once(self):
        run = self.run_test("-f", TEAMS, "--junit", "/nowhere/results.xml")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(run.stderr, "error: cannot write /nowhere/results.xml\n")

    def test_a_finished_workload_is_kept_for_as_long_as_it_says(self):
        for retention, is_there in (("20h", False), ("30h", True)):
            with self.subTest(retention):
                policies = {"workloads": {"afterFinished": retention}}
                short = job("short", {}, annotations={"sluice.dev/run-seconds": "60"})
                run = self.run_test(
                    "-f", self.queue_file({}), "-f", self.make_file("job.json", short),
                    "--config", self.make_config(objectRetentionPolicies=policies),
                )  # fmt: skip
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertEqual("default/short" in run.stdout, is_there, run.stdout)

    def test_jobs_of_one_file_run_while_the_next_one_is_applied(self):
        first = job("first", {}, annotations={"sluice.dev/run-seconds": "120"}, cpu="3")
        urgent = job("urgent", {"kueue.x-k8s.io/priority-class": "high"}, cpu="3")
        high = kueue("WorkloadPriorityClass", "high", None) | {"value": 100}
        run = self.expect(
            "jobs: [{job: default/first, preempted: true}]",
            self.queue_file({}, preemption={"withinClusterQueue": "LowerPriority"}),
            self.make_file("1.json", high, first),
            self.make_file("2.json", urgent),
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_flavor_that_fits_no_node_is_refused_by_its_name(self):
        run = self.expect(
            "refused: [{kind: ResourceFlavor, name: default, message: nodeLabels}]",
            self.queue_file({"a label": "of no form"}),
        )
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_the_controller_acts_as_the_account_of_the_deployment(self):
        account = "system:serviceaccount:kueue-system:sluice-controller-manager"
        policy = {"apiVersion": "admissionregistration.k8s.io/v1"}
        rule = {
            "apiGroups": ["kueue.x-k8s.io"], "apiVersions": ["*"], "operations": ["CREATE"],
            "resources": ["workloads"],
        }  # fmt: skip
        for user, state in ((account, "Admitted"), ("kubernetes-admin", "Missing")):
            named = policy | {"kind": "ValidatingAdmissionPolicy", "metadata": {"name": "who"}}
            named["spec"] = {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [rule]},
                "validations": [{"expression": f"request.userInfo.username == '{user}'"}],
            }
            bound = policy | {"kind": "ValidatingAdmissionPolicyBinding"}
            bound["metadata"] = {"name": "who"}
            bound["spec"] = {"policyName": "who", "validationActions": ["Deny"]}
            files = [
                self.make_file("policy.json", named, bound), self.queue_file({}),
                self.make_file("jobs.json", job("a", {})),
            ]  # fmt: skip
            run = self.expect(f"jobs: [{{job: default/a, state: {state}}}]", *files)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_unknown_fields_are_refused_whatever_the_way(self):
        def odd(**metadata):
            made = job("x", {})
            made["metadata"] = {"labels": {QUEUE: "jobs"}} | metadata
            made["spec"] |= {"paralelism": 3}
            return made

        generated, named = odd(generateName="night-"), odd(name="day")
        listed = {"apiVersion": "v1", "kind": "List", "items": [odd(generateName="listed-")]}
        service = odd(generateName="account-") | {"apiVersion": "v1", "kind": "ServiceAccount"}
        good = job("good", {})
        files = [
            self.make_file("jobs.json", good, generated, named),
            self.make_file("listed.json", listed),
            self.make_file("account.json", service),
        ]
        run = self.run_test("-f", self.queue_file({}), *(w for file in files for w in ("-f", file)))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        for name in ("default/night-", "default/day", "default/listed-", "default/account-"):
            self.assertRegex(
                run.stdout, f"FAIL  [A-Za-z]+ {name}: can be applied\n .*(paralelism|spec)"
            )
        self.assertNotIn("FAIL  Job default/good", run.stdout)
        for key in ("name: a, generateName: b-", "generateName: b-"):
            path = self.folder / "twice.yaml"
            path.write_text(
                "{apiVersion: batch/v1, kind: Job, metadata: {%s}, spec: {parallelism: 1, "
                "parallelism: 2}}" % key
            )
            run = self.run_test("-f", path)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("duplicate key 'parallelism'", run.stdout + run.stderr)

    def test_an_object_has_a_generated_name_and_the_namespace_default(self):
        generated = job("x", {})
        generated["metadata"] = {"generateName": "night-", "labels": {QUEUE: "jobs"}}
        refused = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "odd"}}
        run = self.run_test(
            "-f", self.queue_file({}), "-f", self.make_file("jobs.json", generated, refused)
        )
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Job default/night-", run.stdout)
        self.assertIn("FAIL  Job default/odd: can be applied", run.stdout)

    def test_a_cluster_that_never_rests_is_a_failure(self):
        sampling = {"usageHalfLifeTime": "1h", "usageSamplingInterval": "1m"}
        config = self.make_file(
            "config.json",
            {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
             "leaderElection": {"leaderElect": False}, "admissionFairSharing": sampling,
             "integrations": {"frameworks": ["batch/job"]}},
        )  # fmt: skip
        scope = {"admissionMode": "UsageBasedAdmissionFairSharing"}
        results = self.folder / "results.xml"
        run = self.run_test(
            "-f", self.queue_file({}, admissionScope=scope),
            "-f", self.make_file("job.json", job("endless", {})),
            "--config", config, "--hours", 2, "--junit", results,
        )  # fmt: skip
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("FAIL  the cluster becomes idle", run.stdout)
        suite = xml.etree.ElementTree.parse(results).getroot()[0]
        self.assertEqual(suite.get("failures"), "1")

    def test_a_run_that_cannot_be_made_is_a_failure_in_the_results(self):
        results = self.folder / "results.xml"
        run = self.run_test("-f", "no-such-file.yaml", "--junit", results)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        suite = xml.etree.ElementTree.parse(results).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "1"))

    def test_expectations_that_cannot_be_read_are_told(self):
        for text, told in (
            ("jobs: [{job: a-big, state: Admitted}]", "jobs[0].job: must be namespace/name"),
            ("jobs: [{job: a/b, state: Running}]", "jobs[0].state: must be Missing"),
            ("jobs: [{job: a/b}]", "at least one expectation must be set"),
            ("job: []", "job: "),
            ("{", "expect.yaml"),
            ("# nothing", "contains no expectations"),
        ):
            with self.subTest(text):
                run = self.expect(text)
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertIn(told, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
