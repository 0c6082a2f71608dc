"""The admission webhooks, live: what they fill in and refuse at the moment of the write, and what
the cluster can still do while nothing answers them."""

import contextlib
import socket
import tempfile
import threading

import yaml
from api_client import ApiError

from case import SOON, ClusterCase, shared_cluster
from chart import CHART, helm
from cluster import ROOT, SERVICE_ACCOUNT, wait_until
from objects import QUEUE_LABEL, cluster_queue, job, kueue

MANIFEST = ROOT / "examples/deploy/webhooks.yaml"
HOOKS = "/apis/admissionregistration.k8s.io/v1"
CONFIGURATIONS = (
    f"{HOOKS}/mutatingwebhookconfigurations/kueue-mutating-webhook-configuration",
    f"{HOOKS}/validatingwebhookconfigurations/kueue-validating-webhook-configuration",
)

# What Kueue's chart turns on. Sluice knows some of them.
FRAMEWORKS = (
    "batch/job",
    "kubeflow.org/mpijob",
    "ray.io/rayjob",
    "ray.io/rayservice",
    "ray.io/raycluster",
    "jobset.x-k8s.io/jobset",
    "workload.codeflare.dev/appwrapper",
    "trainer.kubeflow.org/trainjob",
    "pod",
    "deployment",
    "statefulset",
    "leaderworkerset.x-k8s.io/leaderworkerset",
)


def chart_webhooks(configuration):
    """The webhooks that the chart renders for the configuration, as a text."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
        text = yaml.safe_dump(configuration)
        yaml.safe_dump({"managerConfig": {"controllerManagerConfigYaml": text}}, values)
        values.flush()
        return helm(
            "template", "sluice", CHART, "-n", SERVICE_ACCOUNT[0], "--kube-version=1.33.0",
            "--show-only=templates/webhooks.yaml", "-f", values.name,
        ).stdout  # fmt: skip


def deployment(name, space):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": space},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "work", "image": "work"}]},
            },
        },
    }


def plain_pod(name, space):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": space},
        "spec": {"containers": [{"name": "work", "image": "work"}]},
    }


@contextlib.contextmanager
def deaf_server(port):
    """Takes connections and never answers."""
    server = socket.create_server(("127.0.0.1", port))
    taken = []

    def take():
        with contextlib.suppress(OSError):
            while True:
                taken.append(server.accept()[0])

    threading.Thread(target=take, daemon=True).start()
    try:
        yield
    finally:
        # The thread in accept() keeps the port until it is woken.
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for connection in taken:
            connection.close()


class Webhooks:
    """Of a ClusterCase with webhooks: what is asked of all of them."""

    def setUp(self):
        super().setUp()
        self.wait_published()

    def hooks(self):
        configurations = [self.cluster.api.get(path)["webhooks"] for path in CONFIGURATIONS]
        return [hook for hooks in configurations for hook in hooks]

    def urls(self):
        return [hook["clientConfig"].get("url") for hook in self.hooks()]

    def wait_published(self):
        start = f"https://127.0.0.1:{self.controller.webhook_port}/"
        wait_until(
            lambda: all(url and url.startswith(start) for url in self.urls()),
            SOON,
            "both configurations name the webhook",
        )

    def create(self, plural, item, group="apis/kueue.x-k8s.io/v1beta2"):
        space = item["metadata"].get("namespace")
        place = f"/{group}/" + (f"namespaces/{space}/" if space else "") + plural
        return self.cluster.api.create(place, item)

    def create_all_that_is_not_ours(self, suffix):
        for space in (self.space, "default", "kube-system", "kueue-system"):
            item = job(f"plain-{suffix}", space, "")
            del item["metadata"]["labels"]
            item["spec"]["suspend"] = True
            for plural, group, each in (
                ("jobs", "apis/batch/v1", item),
                ("pods", "api/v1", plain_pod(f"plain-{suffix}", space)),
                ("deployments", "apis/apps/v1", deployment(f"plain-{suffix}", space)),
            ):
                made = self.create(plural, each, group)
                place = f"/{group}/namespaces/{space}/{plural}/{made['metadata']['name']}"
                self.addCleanup(self.cluster.api.delete, place)

    def test_a_dead_controller_stops_nobody_else(self):
        queue = self.make_queue(1)
        self.controller.stop()
        try:
            self.create_all_that_is_not_ours("dead")
            with self.assertRaises(ApiError) as caught:
                self.create("jobs", job("held", self.space, queue), "apis/batch/v1")
            self.assertIn("mjob.kb.io", caught.exception.message)
        finally:
            self.controller.start()

    def test_a_deaf_controller_stops_nobody_else(self):
        self.controller.stop()
        try:
            with deaf_server(self.controller.webhook_port):
                self.create_all_that_is_not_ours("deaf")
        finally:
            self.controller.start()


class WebhookTest(Webhooks, ClusterCase):
    @classmethod
    def setUpClass(cls):
        cluster, _ = shared_cluster()
        cluster.plane.kubectl("apply", "-f", MANIFEST)
        for path in CONFIGURATIONS:
            cls.addClassCleanup(cluster.api.delete, path)

    def refusal(self, plural, item, group="apis/kueue.x-k8s.io/v1beta2"):
        with self.assertRaises(ApiError) as caught:
            self.create(plural, item, group)
        self.assertEqual(caught.exception.code, 403, caught.exception.message)
        return caught.exception.message

    def test_the_manifest_may_be_applied_again_while_it_runs(self):
        self.cluster.plane.kubectl("apply", "-f", MANIFEST)
        self.wait_published()
        self.cluster.plane.kubectl("apply", "-f", MANIFEST)
        self.wait_published()

    def test_a_new_job_with_a_queue_is_suspended_at_once(self):
        queue = self.make_queue(0)
        item = job("eager", self.space, queue)
        item["spec"]["suspend"] = False
        made = self.create("jobs", item, "apis/batch/v1")
        self.assertTrue(made["spec"]["suspend"])
        self.wait_pending("eager")

    def test_a_job_without_a_queue_gets_the_default_one(self):
        self.make_queue(1)
        queue = kueue(
            "LocalQueue", "default", {"clusterQueue": self.space}, namespace=self.space
        )
        self.cluster.apply(queue)
        item = job("plain", self.space, "")
        del item["metadata"]["labels"]
        item["spec"]["suspend"] = False
        self.wait(
            lambda: (self.history.get("localqueues", self.space, "default") or {}).get("status"),
            "the LocalQueue is seen",
        )
        made = self.create("jobs", item, "apis/batch/v1")
        self.assertEqual(made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "default")
        self.assertTrue(made["spec"]["suspend"])
        # The end of the test deletes what the record has.
        self.wait(lambda: self.history.get("jobs", self.space, "plain"), "the Job is recorded")

    def test_what_breaks_a_rule_is_refused_with_its_field(self):
        bad = cluster_queue(f"{self.space}-bad", 1)
        bad["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["lendingLimit"] = "1"
        self.assertEqual(
            self.refusal("clusterqueues", bad),
            'admission webhook "vclusterqueue.kb.io" denied the request: '
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "
            '"1": must be nil when cohort is empty',
        )
        good = cluster_queue(f"{self.space}-good", 1, cohortName=self.space)
        good["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["lendingLimit"] = "1"
        made = self.create("clusterqueues", good)
        path = f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{self.space}-good"
        self.addCleanup(self.cluster.api.delete, path)
        self.assertIn("kueue.x-k8s.io/resource-in-use", made["metadata"]["finalizers"])
        item = job("bad", self.space, "Not_a_name")
        self.assertIn(
            'denied the request: metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: '
            '"Not_a_name": a lowercase RFC 1123 subdomain must consist of',
            self.refusal("jobs", item, "apis/batch/v1"),
        )

    def test_a_running_job_keeps_its_queue(self):
        queue = self.make_queue(1)
        self.submit("steady", queue)
        self.wait_running("steady")
        with self.assertRaises(ApiError) as caught:
            self.cluster.api.patch(
                self.job_path("steady"),
                {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "other"}}},
            )
        self.assertIn("field is immutable", caught.exception.message)
        self.end("steady")
        self.wait_for("steady", "Finished")


class ChartListTest(Webhooks, ClusterCase):
    """With the frameworks of Kueue's chart, and the webhooks that Sluice's renders for them."""

    @classmethod
    def setUpClass(cls):
        cluster, controller = shared_cluster()
        cls.addClassCleanup(controller.start)
        cls.addClassCleanup(controller.configuration.clear)
        cls.addClassCleanup(controller.stop)
        controller.stop()
        controller.configuration["integrations"] = {"frameworks": list(FRAMEWORKS)}
        kinds = ROOT / "examples/deploy/job-kinds"
        cls.addClassCleanup(cluster.plane.kubectl, "delete", "--ignore-not-found", "-f", kinds)
        cluster.plane.kubectl("apply", "-f", kinds)
        for path in CONFIGURATIONS:
            cls.addClassCleanup(cluster.api.delete, path)
        cluster.plane.kubectl("apply", "-f", "-", stdin=chart_webhooks(controller.configuration))
        controller.start()

    def test_only_what_sluice_manages_is_asked_about(self):
        asked = {plural for hook in self.hooks() for rule in hook["rules"]
                 for plural in rule["resources"]}  # fmt: skip
        self.assertLessEqual(
            {"jobs", "jobsets", "mpijobs", "rayclusters", "rayjobs", "pods"}, asked
        )
        self.assertNotIn("*", asked)

    def test_writes_of_others_fail_only_when_they_name_a_queue(self):
        others = [
            hook
            for hook in self.hooks()
            for rule in hook["rules"]
            if "kueue.x-k8s.io" not in rule["apiGroups"]
        ]
        self.assertTrue(others)
        named = {"key": QUEUE_LABEL, "operator": "Exists"}
        for hook in others:
            with self.subTest(hook["name"]):
                labels = hook["objectSelector"].get("matchExpressions", [])
                # Or belong to an object that names one, or were started by Sluice.
                conditions = {each["name"] for each in hook.get("matchConditions", [])}
                is_ours = bool(conditions & {"is-held", "is-marked"})
                self.assertTrue(hook["failurePolicy"] == "Ignore" or named in labels or is_ours)
                (spaces,) = hook["namespaceSelector"]["matchExpressions"]
                self.assertEqual(
                    ("kubernetes.io/metadata.name", "NotIn"), (spaces["key"], spaces["operator"])
                )
                self.assertLessEqual({"kube-system", "kueue-system"}, set(spaces["values"]))

    def test_what_serves_is_asked_about_only_with_a_queue(self):
        serving = {"deployments", "statefulsets", "leaderworkersets"}
        needed = {"key": QUEUE_LABEL, "operator": "Exists"}
        for hook in self.hooks():
            if serving & {plural for rule in hook["rules"] for plural in rule["resources"]}:
                self.assertIn(needed, hook["objectSelector"]["matchExpressions"], hook["name"])
