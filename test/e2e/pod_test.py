"""Pods that are jobs, by themselves and in groups, on the real control plane: kube-scheduler binds
them once their gates are open."""

from api_client import ApiError

from case import GONE
from invariants import condition
from objects import QUEUE_LABEL
from pod_case import PodCase

MANAGED = "kueue.x-k8s.io/managed"
GROUP = "kueue.x-k8s.io/pod-group-name"
TOTAL = "kueue.x-k8s.io/pod-group-total-count"


def pod(name, space, queue, cpu=1, group=None, total=1, **annotations):
    """A pod as a user writes it."""
    said = {"fake-kubelet/run-seconds": "3600"} | annotations
    said |= {GROUP: group, TOTAL: str(total)} if group else {}
    container = {"name": "work", "image": "work", "resources": {"requests": {"cpu": str(cpu)}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": space,
            "labels": {QUEUE_LABEL: queue} if queue else {},
            "annotations": said,
        },
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


class PodTest(PodCase):
    def clean_up(self):
        # The end of a group's Workload ends the group.
        for item in self.history.all("workloads", self.space):
            self.cluster.api.delete(
                self.cluster.path_of("workloads", item["metadata"]["name"], self.space)
            )
        for item in self.history.all("pods", self.space):
            self.cluster.api.delete(self.pod_path(item["metadata"]["name"]))
        self.wait(lambda: not self.history.all("pods", self.space), "all pods are gone")
        super().clean_up()

    def create(self, name, queue, **options):
        return self.cluster.api.create(
            f"/api/v1/namespaces/{self.space}/pods", pod(name, self.space, queue, **options)
        )

    def end_pod(self, name, phase="Succeeded"):
        self.cluster.api.patch(f"{self.pod_path(name)}/status", {"status": {"phase": phase}})

    def workload_has(self, name, kind, status="True"):
        found = self.history.get("workloads", self.space, name)
        return condition(found or {}, kind).get("status") == status

    def workload_of_pod(self, name):
        uid = self.pod(name)["metadata"]["uid"]
        for item in self.history.all("workloads", self.space):
            if any(each["uid"] == uid for each in item["metadata"].get("ownerReferences", [])):
                return item["metadata"]["name"]
        return None

    def test_a_pod_waits_for_quota_runs_on_its_flavor_and_ends(self):
        queue = self.make_queue(2)
        made = self.create("first", queue, cpu=2)
        self.assertEqual(made["metadata"]["finalizers"], [MANAGED])
        self.assertEqual(made["metadata"]["labels"][MANAGED], "true")
        self.wait(lambda: self.runs("first"), "the pod runs")
        self.assertEqual(self.pod("first")["spec"]["nodeSelector"], {"tier": "on-demand"})
        self.create("second", queue, cpu=2)
        self.wait_gated("second")
        workload = self.workload_of_pod("first")
        self.end_pod("first")
        self.wait(lambda: self.workload_has(workload, "Finished"), "the Workload is finished")
        self.wait(lambda: self.runs("second"), "the second pod runs")
        self.wait(
            lambda: not self.pod("first")["metadata"].get("finalizers"), "the pod is let go"
        )

    def test_a_group_runs_together_and_a_failed_pod_is_replaced(self):
        queue = self.make_queue(3)
        self.create("a", queue, group="train", total=2)
        self.wait_gated("a")
        self.create("b", queue, group="train", total=2)
        self.wait(lambda: self.runs("a", "b"), "the group runs")
        self.end_pod("a", "Failed")
        self.wait(
            lambda: self.workload_has("train", "WaitingForReplacementPods"), "a pod is missing"
        )
        self.create("c", queue, group="train", total=2)
        self.wait(lambda: self.runs("b", "c"), "the replacement runs")
        self.wait(
            lambda: self.workload_has("train", "WaitingForReplacementPods", "False"),
            "no pod is missing",
        )
        self.create("late", queue, group="train", total=2)
        self.wait(lambda: self.pod("late") is None, "a pod that is too many is gone")
        self.end_pod("b")
        self.end_pod("c")
        self.wait(lambda: self.workload_has("train", "Finished"), "the group is finished")
        self.wait(
            lambda: not any(
                item["metadata"].get("finalizers") for item in self.history.all("pods", self.space)
            ),
            "all pods are let go",
        )

    def test_an_evicted_pod_is_deleted_with_its_reason(self):
        queue = self.make_queue(1)
        self.create("job", queue)
        self.wait(lambda: self.runs("job"), "the pod runs")
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        self.wait(lambda: self.pod("job") is None, "the pod is gone")

    def test_a_deleted_group_leaves_nothing(self):
        queue = self.make_queue(0)
        for name in ("a", "b"):
            self.create(name, queue, group="train", total=2)
        self.wait(
            lambda: self.history.get("workloads", self.space, "train"), "the group has a Workload"
        )
        for name in ("a", "b"):
            self.cluster.api.delete(self.pod_path(name))
        self.wait(lambda: not self.history.all("pods", self.space), "the pods are gone")
        self.wait(
            lambda: not self.history.all("workloads", self.space), "the Workload is gone", GONE
        )

    def test_pods_that_name_no_queue_start_whoever_answers(self):
        self.create("plain", None)
        self.wait(lambda: self.runs("plain"), "the pod runs")
        self.assertNotIn("finalizers", self.pod("plain")["metadata"])
        self.controller.kill()
        self.create("orphan", None)
        self.wait(lambda: self.runs("orphan"), "the pod runs although nobody answers")
        with self.assertRaises(ApiError):
            self.create("queued", "some")
