"""Queues of a team, tested with the Python client: python3 -m unittest test_queues

Needs python3-kubernetes (Debian) or kubernetes (PyPI).
"""

import pathlib
import time
import unittest

from kubernetes import client, config

from sluice_dev import SluiceDev

QUEUES = pathlib.Path(__file__).resolve().parents[2] / "01_single_queue/1-queues.yaml"
KUEUE = ("kueue.x-k8s.io", "v1beta2")


def make_job(name, pods):
    container = client.V1Container(
        name="work",
        image="busybox:1.37",
        resources=client.V1ResourceRequirements(requests={"cpu": "1", "memory": "200Mi"}),
    )
    template = client.V1PodTemplateSpec(
        spec=client.V1PodSpec(restart_policy="Never", containers=[container])
    )
    labels = {"kueue.x-k8s.io/queue-name": "jobs"}
    return client.V1Job(
        metadata=client.V1ObjectMeta(name=name, labels=labels),
        spec=client.V1JobSpec(parallelism=pods, completions=pods, template=template),
    )


class QueuesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster = SluiceDev("--run-seconds", "3600", "--filename", str(QUEUES))
        cls.enterClassContext(cluster)
        cls.api = config.new_client_from_config(str(cluster.kubeconfig))
        cls.addClassCleanup(cls.api.close)
        cls.jobs = client.BatchV1Api(cls.api)
        cls.objects = client.CustomObjectsApi(cls.api)

    def wait(self, holds, what):
        deadline = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def condition(self, job, kind):
        """(status, message) of a condition of the Workload of a Job."""
        found = self.objects.list_namespaced_custom_object(*KUEUE, "single", "workloads")
        for workload in found["items"]:
            if workload["metadata"]["ownerReferences"][0]["name"] == job:
                for each in workload.get("status", {}).get("conditions", []):
                    if each["type"] == kind:
                        return each["status"], each["message"]
        return "", ""

    def test_a_job_that_fits_is_admitted_and_one_that_does_not_waits(self):
        self.jobs.create_namespaced_job("single", make_job("fits", 3))
        self.wait(lambda: self.condition("fits", "Admitted")[0] == "True", "it is admitted")
        self.wait(
            lambda: self.jobs.read_namespaced_job("fits", "single").status.active == 3,
            "its pods are there",
        )
        self.jobs.create_namespaced_job("single", make_job("waits", 2))
        lacking = "insufficient unused quota for cpu"
        self.wait(
            lambda: lacking in self.condition("waits", "QuotaReserved")[1],
            "it says what is lacking",
        )
        self.assertTrue(self.jobs.read_namespaced_job("waits", "single").spec.suspend)


if __name__ == "__main__":
    unittest.main()
