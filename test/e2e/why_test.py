"""Why a workload waits, as users ask: sluice why, and kubectl over the aggregated API."""

import json
import subprocess

from aggregated import publish_apis
from case import ClusterCase
from control_plane import ControlPlaneError

from objects import job, local_queue, namespace, priority_class

GROUP = "insight.sluice.dev"


class WhyTest(ClusterCase):
    def setUp(self):
        super().setUp()
        publish_apis(self, ("v1alpha1", GROUP))

    def kubectl(self, *arguments):
        return self.cluster.plane.kubectl(*arguments)

    def explanation(self, name, *options, space=None):
        space = space or self.space
        workload = self.workload(name)["metadata"]["name"] if space == self.space else name
        path = f"/apis/{GROUP}/v1alpha1/namespaces/{space}/workloads/{workload}/explanation"
        return json.loads(self.kubectl("get", "--raw", path, *options))

    def why(self, *arguments):
        return subprocess.run(
            [self.controller.binary, "why", "--kubeconfig", self.cluster.plane.kubeconfig,
             *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def test_the_controller_and_the_command_alone_give_one_answer(self):
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        self.submit("waiting", queue)
        self.wait_pending("waiting")
        live = self.why("job/waiting", "-n", self.space)
        self.assertEqual((live.returncode, live.stderr), (0, ""))
        self.assertIn("Blocked   1 short in ClusterQueue", live.stdout)
        self.assertIn(f"nominalQuota of {queue} in on-demand + 1", live.stdout)
        offline = self.why("job/waiting", "-n", self.space, "--offline")
        self.assertEqual(offline.returncode, 0, offline.stderr)

        def without_ages(text):
            return [line for line in text.splitlines() if " for " not in line and "0s" not in line]

        self.assertEqual(without_ages(live.stdout)[2:7], without_ages(offline.stdout)[2:7])
        running = self.why("running", "-n", self.space)
        self.assertIn("was admitted to ClusterQueue", running.stdout)
        missing = self.why("job/wating", "-n", self.space)
        self.assertEqual(missing.returncode, 1)
        self.assertIn('did you mean "waiting"?', missing.stderr)

    def test_a_remedy_that_is_made_admits(self):
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        self.submit("waiting", queue, cpu="2")
        self.wait_pending("waiting")
        remedies = {each["kind"]: each for each in self.explanation("waiting")["remedies"]}
        self.assertEqual(remedies["nominalQuota"]["value"], "cpu=3")
        groups = self.history.get("clusterqueues", "", queue)["spec"]["resourceGroups"]
        groups[0]["flavors"][0]["resources"][0]["nominalQuota"] = "3"
        self.patch_queue(queue, resourceGroups=groups)
        self.wait_running("waiting")

    def test_forty_questions_of_a_tenant_name_nobody_else(self):
        other = f"{self.space}-secret"
        self.cluster.apply(namespace(other))
        queue = self.make_queue(2, preemption={"withinClusterQueue": "LowerPriority"})
        self.cluster.apply(
            local_queue("hidden", other, queue), priority_class(f"{queue}-high", 1000)
        )
        self.addCleanup(self.kubectl, "delete", "workloadpriorityclass", f"{queue}-high")
        self.cluster.apply(job("classified", other, "hidden", cpu="2"))
        self.wait(
            lambda: self.cluster.running_pods_of(other, "classified"), "the hidden job runs"
        )
        names = [self.submit(f"asks{i}", queue, cpu=str(1 + i % 2)) for i in range(4)]
        for name in names:
            self.wait_pending(name)
        role = f"{queue}-tenant"
        self.kubectl(
            "create", "role", role, "-n", self.space, "--verb=get",
            f"--resource=workloads.{GROUP}/explanation",
        )  # fmt: skip
        self.kubectl(
            "create", "rolebinding", role, "-n", self.space, f"--role={role}", "--user=tenant"
        )
        for question in range(40):
            answer = self.explanation(names[question % 4], "--as=tenant")
            text = json.dumps(answer)
            for foreign in (other, "classified", "hidden"):
                self.assertNotIn(foreign, text)
            self.assertIn("another namespace", text)
        hidden = self.history.all("workloads", other)[0]["metadata"]["name"]
        with self.assertRaisesRegex(ControlPlaneError, "Forbidden"):
            self.explanation(hidden, "--as=tenant", space=other)
        # An administrator sees the names.
        self.assertIn(f"{other}/{hidden}", json.dumps(self.explanation(names[0])))
        self.cluster.api.delete(f"/api/v1/namespaces/{other}")

    def test_a_tenant_lists_the_workloads_of_its_namespace(self):
        other = f"{self.space}-secret"
        self.cluster.apply(namespace(other))
        queue = self.make_queue(1)
        self.cluster.apply(local_queue("hidden", other, queue))
        self.cluster.apply(job("classified", other, "hidden"))
        self.wait(
            lambda: self.cluster.running_pods_of(other, "classified"), "the hidden job runs"
        )
        for name in ("first", "second"):
            self.submit(name, queue)
            self.wait_pending(name)
        role = f"{queue}-tenant"
        self.kubectl(
            "create", "role", role, "-n", self.space, "--verb=list",
            f"--resource=explanations.{GROUP}",
        )  # fmt: skip
        self.kubectl(
            "create", "rolebinding", role, "-n", self.space, f"--role={role}", "--user=tenant"
        )
        path = f"/apis/{GROUP}/v1alpha1/namespaces/{self.space}/explanations"
        listed = json.loads(self.kubectl("get", "--raw", path, "--as=tenant"))
        self.assertEqual([each["job"]["name"] for each in listed["items"]], ["first", "second"])
        self.assertNotIn("classified", json.dumps(listed))
        page = json.loads(self.kubectl("get", "--raw", f"{path}?limit=1", "--as=tenant"))
        rest = f"{path}?limit=1&continue={page['metadata']['continue']}"
        left = json.loads(self.kubectl("get", "--raw", rest, "--as=tenant"))["items"]
        self.assertEqual([each["job"]["name"] for each in left], ["second"])
        with self.assertRaisesRegex(ControlPlaneError, "Forbidden"):
            self.kubectl("get", "--raw", f"/apis/{GROUP}/v1alpha1/explanations", "--as=tenant")
        shown = subprocess.run(
            [self.controller.binary, "queue", "-n", self.space, "--kubeconfig",
             self.cluster.plane.kubeconfig], capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(shown.stderr, "")
        self.assertIn("job/second", shown.stdout)
        self.cluster.api.delete(f"/api/v1/namespaces/{other}")

    def whatif(self, *arguments, kubeconfig=None):
        return subprocess.run(
            [self.controller.binary, "whatif", *arguments, "--kubeconfig",
             kubeconfig or self.cluster.plane.kubeconfig],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def test_a_what_if_says_what_then_happens_and_stores_nothing(self):
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        self.submit("waiting", queue, cpu="2")
        self.wait_pending("waiting")
        edit = ("quota", f"clusterqueue/{queue}", "on-demand:cpu=+2")
        shown = self.whatif(*edit)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"At once  \S+/job-waiting-\w+ starts on on-demand")
        quota = self.history.get("clusterqueues", "", queue)["spec"]["resourceGroups"]
        self.assertEqual(quota[0]["flavors"][0]["resources"][0]["nominalQuota"], "1")
        self.wait_quiet(lambda: self.is_pending("waiting"), "the job still waits")
        quota[0]["flavors"][0]["resources"][0]["nominalQuota"] = "3"
        self.patch_queue(queue, resourceGroups=quota)
        self.wait_running("waiting")

    def test_a_submitted_job_passes_a_dry_run_of_the_api_server(self):
        queue = self.make_queue(2)
        file = self.cluster.directory / "job.json"
        file.write_text(json.dumps(job("new", self.space, queue)))
        shown = self.whatif("submit", "-f", str(file), "--count", "3")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("starts on on-demand", shown.stdout)
        self.assertRegex(shown.stdout, r"job-new-\w+-2 waits: 1 short in ClusterQueue")
        self.assertIsNone(self.job("new"))
        file.write_text(json.dumps(job("new", self.space, queue, parallelism=-1)))
        refused = self.whatif("submit", "-f", str(file))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("parallelism", refused.stderr)

    def test_a_tenant_asks_about_its_namespace_alone(self):
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        running = self.workload("running")["metadata"]["name"]
        role = f"{queue}-asker"
        self.kubectl(
            "create", "role", role, "-n", self.space, "--verb=create",
            f"--resource=whatifs.{GROUP}",
        )  # fmt: skip
        self.kubectl(
            "create", "rolebinding", role, "-n", self.space, f"--role={role}", "--user=asker"
        )

        def ask(edit, path=f"namespaces/{self.space}/whatifs"):
            body = json.dumps({
                "apiVersion": f"{GROUP}/v1alpha1", "kind": "WhatIf", "spec": {"edits": [edit]},
            })  # fmt: skip
            return json.loads(
                self.cluster.plane.kubectl(
                    "create", "--raw", f"/apis/{GROUP}/v1alpha1/{path}", "-f", "-", "--as=asker",
                    stdin=body,
                )
            )  # fmt: skip

        cancel = {"kind": "Cancel", "namespace": self.space, "workload": running}
        self.assertEqual(ask(cancel)["status"]["evicts"], [])
        quota = {
            "kind": "Quota", "node": f"clusterqueue/{queue}", "flavor": "on-demand",
            "resource": "cpu", "amount": "+1",
        }  # fmt: skip
        with self.assertRaisesRegex(ControlPlaneError, "ask at the cluster scope"):
            ask(quota)
        with self.assertRaisesRegex(ControlPlaneError, "orbidden"):
            ask(quota, path="whatifs")
        with self.assertRaisesRegex(ControlPlaneError, "not the namespace of the question"):
            ask({**cancel, "namespace": "default"})
        with self.assertRaisesRegex(ControlPlaneError, "ten what-ifs a minute|TooMany|429"):
            for _ in range(11):
                ask(cancel)

    def test_the_api_is_discovered(self):
        group = json.loads(self.kubectl("get", "--raw", f"/apis/{GROUP}"))
        self.assertEqual(group["preferredVersion"]["version"], "v1alpha1")
        shown = json.loads(self.kubectl("get", "--raw", f"/apis/{GROUP}/v1alpha1"))
        names = {each["name"]: each["verbs"] for each in shown["resources"]}
        self.assertEqual(names["workloads/explanation"], ["get"])
        self.assertEqual(names["explanations"], ["list"])
        self.assertEqual(names["whatifs"], ["create"])
        path = f"/apis/{GROUP}/v1alpha1/namespaces/{self.space}/workloads/none/explanation"
        with self.assertRaisesRegex(ControlPlaneError, '"none" not found'):
            self.kubectl("get", "--raw", path)
