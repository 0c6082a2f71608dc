"""Deployments and StatefulSets, whose pods are jobs, with the real controllers of both."""

from api_client import ApiError

from invariants import condition, owner_of
from objects import QUEUE_LABEL, job
from pod_case import PodCase

APPS = "/apis/apps/v1/namespaces"
GROUP = "kueue.x-k8s.io/pod-group-name"


def container(image):
    return {"name": "work", "image": image, "resources": {"requests": {"cpu": "1"}}}


def serving(kind, name, space, queue, replicas=2):
    """A Deployment or StatefulSet as a user writes it."""
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {
                "labels": {"app": name},
                "annotations": {"fake-kubelet/run-seconds": "3600"},
            },
            "spec": {"containers": [container("work")], "terminationGracePeriodSeconds": 1},
        },
    }
    if kind == "StatefulSet":
        spec["serviceName"] = name
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": space,
            "labels": {QUEUE_LABEL: queue} if queue else {},
        },
        "spec": spec,
    }


class ServingTest(PodCase):
    # `pod` is not listed: these kinds turn it on for their own pods alone.
    frameworks = ("deployment", "statefulset")
    rights = ("deployment.yaml", "statefulset.yaml")

    def path(self, kind, name=None):
        plural = f"{kind.lower()}s"
        return f"{APPS}/{self.space}/{plural}" + (f"/{name}" if name else "")

    def create(self, kind, name, queue, **options):
        return self.cluster.api.create(
            self.path(kind), serving(kind, name, self.space, queue, **options)
        )

    def patch(self, kind, name, spec):
        return self.cluster.api.patch(self.path(kind, name), {"spec": spec})

    def pods(self, app, phase=None):
        return [
            item
            for item in self.history.all("pods", self.space)
            if item["metadata"].get("labels", {}).get("app") == app
            and phase in (None, item["status"].get("phase"))
        ]

    def wait_pods(self, app, running, gated):
        def counts():
            present = self.pods(app)
            held = [item for item in present if item["spec"].get("schedulingGates")]
            return (
                len(self.pods(app, "Running")) == running
                and len(held) == gated
                and len(present) == running + gated
            )

        self.wait(counts, f"{app} has {running} pods that run and {gated} that are held back")

    def workload_of_set(self, name):
        for item in self.history.all("workloads", self.space):
            annotations = item["metadata"].get("annotations", {})
            if annotations.get("kueue.x-k8s.io/job-owner-name") == name:
                return item
        return None

    def wait_set(self, name, kind, status, reason=None):
        def shows():
            found = condition(self.workload_of_set(name) or {}, kind)
            return found.get("status") == status and reason in (None, found.get("reason"))

        self.wait(shows, f"the Workload of {name} has {kind}={status} {reason or ''}")

    def clean_up(self):
        for kind in ("Deployment", "StatefulSet"):
            for item in self.cluster.api.get(self.path(kind))["items"]:
                self.cluster.api.delete(
                    self.path(kind, item["metadata"]["name"]), propagationPolicy="Background"
                )
        for item in self.history.all("jobs", self.space):
            self.delete_job(item["metadata"]["name"])
        self.wait(lambda: not self.history.all("pods", self.space), "all pods are gone")
        super().clean_up()

    def test_each_pod_of_a_deployment_waits_by_itself(self):
        queue = self.make_queue(2)
        self.create("Deployment", "web", queue, replicas=3)
        self.wait_pods("web", running=2, gated=1)
        owners = {owner_of(item) for item in self.history.all("workloads", self.space)}
        self.assertEqual(owners, {item["metadata"]["uid"] for item in self.pods("web")})
        self.assertFalse(any(item["metadata"].get("finalizers") for item in self.pods("web")))
        self.patch("Deployment", "web", {"replicas": 1})
        self.wait_pods("web", running=1, gated=0)
        self.cluster.apply(job("batch", self.space, queue))
        self.wait_running("batch")

    def test_a_deployment_rolls_out_within_its_quota(self):
        queue = self.make_queue(3)
        self.create("Deployment", "web", queue, replicas=2)
        self.wait_pods("web", running=2, gated=0)
        before = {item["metadata"]["uid"] for item in self.pods("web")}
        self.patch(
            "Deployment", "web", {"template": {"spec": {"containers": [container("next")]}}}
        )

        def is_new():
            running = self.pods("web", "Running")
            return len(running) == 2 and not before & {each["metadata"]["uid"] for each in running}

        self.wait(is_new, "both pods are new")

    def test_a_stateful_set_is_one_workload_and_rests_at_zero(self):
        queue = self.make_queue(2)
        self.create("StatefulSet", "db", queue, replicas=2)
        self.wait_pods("db", running=2, gated=0)
        self.assertEqual(len(self.history.all("workloads", self.space)), 1)
        name = self.workload_of_set("db")["metadata"]["name"]
        self.assertEqual(
            {item["metadata"]["annotations"][GROUP] for item in self.pods("db")}, {name}
        )
        with self.assertRaisesRegex(ApiError, "field is immutable"):
            self.patch("StatefulSet", "db", {"replicas": 1})
        self.cluster.apply(job("batch", self.space, queue, parallelism=2))
        self.wait_pending("batch")
        self.patch("StatefulSet", "db", {"replicas": 0})
        self.wait_set("db", "QuotaReserved", "False", "OnHold")
        self.wait_running("batch", pods=2)

        def is_at_zero():
            status = self.cluster.api.get(self.path("StatefulSet", "db"))["status"]
            return status.get("replicas", 0) == 0

        self.wait(is_at_zero, "the StatefulSet says that it is at zero")
        self.patch("StatefulSet", "db", {"replicas": 1})
        self.wait_pods("db", running=0, gated=1)
        self.end("batch")
        self.wait_pods("db", running=1, gated=0)
        self.assertEqual(self.workload_of_set("db")["spec"]["podSets"][0]["count"], 1)

    def test_a_stateful_set_that_is_scaled_past_its_quota_is_held_there(self):
        queue = self.make_queue(2)
        self.create("StatefulSet", "db", queue, replicas=1)
        self.wait_pods("db", running=1, gated=0)
        # As kubectl scale and autoscalers do it, which no webhook sees.
        self.cluster.api.patch(
            self.path("StatefulSet", "db") + "/scale", {"spec": {"replicas": 2}}
        )
        self.wait_pods("db", running=1, gated=1)
        self.wait_quiet(lambda: len(self.pods("db", "Running")) == 1, "only one pod runs")

    def test_a_stateful_set_rolls_out(self):
        queue = self.make_queue(2)
        self.create("StatefulSet", "db", queue, replicas=2)
        self.wait_pods("db", running=2, gated=0)
        self.patch(
            "StatefulSet", "db", {"template": {"spec": {"containers": [container("next")]}}}
        )
        with self.assertRaisesRegex(ApiError, "field is immutable"):
            more = container("next") | {"resources": {"requests": {"cpu": "2"}}}
            self.patch("StatefulSet", "db", {"template": {"spec": {"containers": [more]}}})

        def is_new():
            running = self.pods("db", "Running")
            images = {each["spec"]["containers"][0]["image"] for each in running}
            return len(running) == 2 and images == {"next"}

        self.wait(is_new, "both pods are new")

    def test_an_evicted_stateful_set_waits_and_returns(self):
        queue = self.make_queue(2)
        self.create("StatefulSet", "db", queue, replicas=2)
        self.wait_pods("db", running=2, gated=0)
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        self.wait_set("db", "QuotaReserved", "False")
        self.wait_pods("db", running=0, gated=1)
        self.patch_queue(queue, stopPolicy="None")
        self.wait_pods("db", running=2, gated=0)

    def test_what_names_no_queue_is_not_asked_about(self):
        queue = self.make_queue(2)
        self.create("StatefulSet", "db", queue, replicas=1)
        self.wait_pods("db", running=1, gated=0)
        self.controller.kill()
        for kind in ("Deployment", "StatefulSet"):
            name = f"free-{kind.lower()}"
            self.create(kind, name, None, replicas=1)
            self.wait_pods(name, running=1, gated=0)
            with self.assertRaises(ApiError):
                self.create(kind, f"held-{kind.lower()}", queue)
        # A pod of a StatefulSet that is managed is not made while nobody would hold it back.
        self.cluster.api.delete(self.pod_path("db-0"))
        self.wait(lambda: not self.pods("db"), "the pod is gone")
        self.wait_quiet(lambda: not self.pods("db"), "none is made")
        self.ensure_controller()
        self.wait_pods("db", running=1, gated=0)
