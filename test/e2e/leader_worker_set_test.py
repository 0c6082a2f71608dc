"""LeaderWorkerSets. Their own controller is played: the test makes the pods as it would."""

import gzip
import json
import pathlib

from api_client import ApiError

from case import shared_cluster
from cluster import wait_until
from invariants import condition
from objects import QUEUE_LABEL
from pod_case import PodCase

GROUP = "leaderworkerset.x-k8s.io"
LABELS = "leaderworkerset.sigs.k8s.io"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION = pathlib.Path(__file__).with_name("definitions") / f"leaderworkersets.{GROUP}.json.gz"


def pod_template():
    container = {"name": "work", "image": "work", "resources": {"requests": {"cpu": "1"}}}
    return {
        "metadata": {"annotations": {"fake-kubelet/run-seconds": "3600"}},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
    }


class LeaderWorkerSetTest(PodCase):
    frameworks = ("leaderworkerset.x-k8s.io/leaderworkerset",)
    rights = ("leaderworkerset.yaml",)

    @classmethod
    def setUpClass(cls):
        cluster, _ = shared_cluster()
        definition = json.loads(gzip.decompress(DEFINITION.read_bytes()))
        cluster.api.create(DEFINITIONS, definition)
        cls.addClassCleanup(cluster.api.delete, f"{DEFINITIONS}/leaderworkersets.{GROUP}")

        def is_served():
            try:
                return cluster.api.get(f"/apis/{GROUP}/v1/leaderworkersets")
            except ApiError:
                return None

        wait_until(is_served, 30, "LeaderWorkerSets are served")
        super().setUpClass()

    def path(self, name=None):
        place = f"/apis/{GROUP}/v1/namespaces/{self.space}/leaderworkersets"
        return place + (f"/{name}" if name else "")

    def create(self, name, queue, replicas):
        return self.cluster.api.create(
            self.path(),
            {
                "apiVersion": f"{GROUP}/v1",
                "kind": "LeaderWorkerSet",
                "metadata": {
                    "name": name,
                    "namespace": self.space,
                    "labels": {QUEUE_LABEL: queue},
                },
                "spec": {
                    "replicas": replicas,
                    "leaderWorkerTemplate": {
                        "size": 2,
                        "leaderTemplate": pod_template(),
                        "workerTemplate": pod_template(),
                    },
                },
            },
        )

    def make_pods(self, made, replica):
        """A leader and its worker, as the controller of LeaderWorkerSets makes them."""
        name = made["metadata"]["name"]
        for role, suffix in (("leader", ""), ("worker", "-1")):
            item = dict(made["spec"]["leaderWorkerTemplate"][f"{role}Template"])
            metadata = item["metadata"]
            labels = metadata.get("labels", {}) | {
                f"{LABELS}/name": name,
                f"{LABELS}/group-index": str(replica),
            }
            annotations = dict(metadata["annotations"])
            if role == "worker":
                annotations[f"{LABELS}/leader-name"] = f"{name}-{replica}"
            item["metadata"] = {
                "name": f"{name}-{replica}{suffix}",
                "namespace": self.space,
                "labels": labels,
                "annotations": annotations,
            }
            self.cluster.api.create(
                f"/api/v1/namespaces/{self.space}/pods",
                {"apiVersion": "v1", "kind": "Pod"} | item,
            )

    def workloads(self, admitted):
        return [
            item
            for item in self.history.all("workloads", self.space)
            if (condition(item, "Admitted").get("status") == "True") == admitted
        ]

    def clean_up(self):
        for item in self.cluster.api.get(self.path())["items"]:
            self.cluster.api.delete(self.path(item["metadata"]["name"]))
        for item in self.history.all("workloads", self.space):
            self.cluster.api.delete(
                self.cluster.path_of("workloads", item["metadata"]["name"], self.space)
            )
        for item in self.history.all("pods", self.space):
            self.cluster.api.delete(self.pod_path(item["metadata"]["name"]))
        self.wait(lambda: not self.history.all("pods", self.space), "all pods are gone")
        super().clean_up()

    def test_each_replica_is_a_group_that_comes_and_goes_by_itself(self):
        queue = self.make_queue(4)
        made = self.create("llm", queue, replicas=3)
        for replica in range(3):
            self.make_pods(made, replica)
        self.wait(lambda: len(self.workloads(True)) == 2, "two replicas are admitted")
        # Of workloads of one second the uid decides which one waits.
        (held,) = self.workloads(False)
        waiting = held["metadata"]["name"].rpartition("-")[0].removeprefix("leaderworkerset-")
        running = [f"llm-{replica}" for replica in range(3) if f"llm-{replica}" != waiting]
        self.wait(
            lambda: self.runs(*running, *(f"{name}-1" for name in running)), "two replicas run"
        )
        self.wait_gated(waiting)
        self.assertTrue(self.is_gated(f"{waiting}-1"))
        self.cluster.api.patch(self.path("llm"), {"spec": {"replicas": 1}})
        self.wait(lambda: len(self.history.all("workloads", self.space)) == 1, "one is left")
        self.wait(lambda: self.pod("llm-1-1") is None, "the pods of the other one are stopped")
        self.wait(lambda: self.runs("llm-0", "llm-0-1"), "the first one runs")

    def test_the_size_of_a_replica_stays(self):
        queue = self.make_queue(2)
        self.create("llm", queue, replicas=1)
        with self.assertRaisesRegex(ApiError, "spec.leaderWorkerTemplate.size.*immutable"):
            self.cluster.api.patch(
                self.path("llm"), {"spec": {"leaderWorkerTemplate": {"size": 3}}}
            )
