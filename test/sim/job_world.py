"""One Job on one cluster, and what its user and its kubelets do to it."""

import time

from api_client import STRATEGIC_PATCH
from control_plane import wait_until
from fake_kubelet import make_node, now, pod_path, register_node, set_pod_ended

INDEX = "batch.kubernetes.io/job-completion-index"


def is_active(pod):
    return (
        pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
        and "deletionTimestamp" not in pod["metadata"]
    )


class JobWorld:
    def __init__(self, api, namespace, case, is_real):
        self.api, self.namespace, self.case, self.is_real = api, namespace, case, is_real
        self.uid = None
        self.touched = 0.0  # when the last step was over

    @property
    def path(self):
        name = self.case.job["metadata"]["name"]
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs/{name}"

    def create(self):
        if self.case.node:
            # Tainted: the pods of other cases are not to be lost with it.
            taint = {"key": "case", "value": self.case.node, "effect": "NoSchedule"}
            labels = {"case": self.case.node}
            register_node(self.api, make_node(self.case.node, labels=labels, taints=[taint]))
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        account = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"
        if self.is_real:
            wait_until(lambda: self.api.find(account), 30, account)
        job = self.api.create(self.path.rpartition("/")[0], self.case.job)
        self.uid = job["metadata"]["uid"]

    def change(self, patch):
        self.api.patch(self.path, patch)

    def delete(self, **options):
        self.api.delete(self.path, **options)

    def pods(self, index=None):
        """In the order of their making, as far as whole seconds tell it."""
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/pods")["items"]
        found.sort(key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))
        if index is not None:
            found = [
                pod
                for pod in found
                if pod["metadata"].get("annotations", {}).get(INDEX) == str(index)
            ]
        return found

    def active(self, index=None, count=1):
        """So many pods that run."""

        def find():
            found = [
                pod
                for pod in self.pods(index)
                if is_active(pod) and pod["status"].get("phase") == "Running"
            ]
            return found[:count] if len(found) >= count else None

        where = "real" if self.is_real else "dev"
        return wait_until(find, 20, f"{where}: {count} pods run, index {index}")

    def end(self, index=None, code=0, count=1):
        for pod in self.active(index, count):
            set_pod_ended(self.api, pod, code)

    def delete_pod(self, index=None):
        self.api.delete(pod_path(self.active(index)[0]))

    def first_running(self):
        """Of the lowest index; None: no pod runs."""
        found = [
            pod
            for pod in self.pods()
            if is_active(pod) and pod["status"].get("phase") == "Running"
        ]
        found.sort(key=lambda pod: int(pod["metadata"].get("annotations", {}).get(INDEX, "0")))
        return found[0] if found else None

    def end_first(self, code):
        pod = self.first_running()
        if pod:
            set_pod_ended(self.api, pod, code)

    def delete_first(self):
        pod = self.first_running()
        if pod:
            self.api.delete(pod_path(pod))

    def disrupt_first(self):
        pod = self.first_running()
        if pod:
            self.disrupt_pod(pod)

    def delete_waiting_pod(self):
        self.api.delete(pod_path(self.pods()[0]))

    def delete_ended_pod(self):
        pod = next(each for each in self.pods() if not is_active(each))
        self.api.delete(pod_path(pod))

    def disrupt(self, index=None):
        self.disrupt_pod(self.active(index)[0])

    def disrupt_pod(self, pod):
        """It fails as one that was preempted."""
        condition = {
            "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
            "message": "preempted", "lastTransitionTime": now(),
        }  # fmt: skip
        self.api.patch(
            pod_path(pod) + "/status", {"status": {"conditions": [condition]}}, STRATEGIC_PATCH
        )
        set_pod_ended(self.api, pod, 143)

    def restart(self, count):
        """A container of a pod was started anew so many times."""
        pod = self.active()[0]
        statuses = pod["status"]["containerStatuses"]
        for status in statuses:
            status["restartCount"] = count
        self.api.patch(pod_path(pod) + "/status", {"status": {"containerStatuses": statuses}})

    def release(self, finalizer):
        """What held deleted pods lets them go."""
        for pod in self.pods():
            left = [each for each in pod["metadata"].get("finalizers", []) if each != finalizer]
            if "deletionTimestamp" in pod["metadata"]:
                self.api.patch(pod_path(pod), {"metadata": {"finalizers": left or None}})

    def lose_node(self):
        """Until the pods on it are gone, which takes a real cluster a minute."""
        on_it = {pod["metadata"]["uid"] for pod in self.pods() if pod["spec"].get("nodeName")}
        self.api.delete(f"/api/v1/nodes/{self.case.node}")
        wait_until(
            lambda: not on_it & {pod["metadata"]["uid"] for pod in self.pods()},
            120,
            f"the pods of {self.case.node} are gone",
            interval=1.0,
        )

    def wait(self, seconds):
        time.sleep(seconds)
