"""The base of the tests of pods that are jobs: webhooks that answer, and a controller that is told
which frameworks to manage."""

from case import SOON, ClusterCase, shared_cluster
from cluster import ROOT, wait_until
from webhook_test import CONFIGURATIONS, MANIFEST

JOB_KINDS = ROOT / "examples/deploy/job-kinds"


class PodCase(ClusterCase):
    """The frameworks beside `batch/job`, and the manifests of their rights."""

    frameworks = ("pod",)
    rights = ("pod.yaml",)

    @classmethod
    def setUpClass(cls):
        cluster, controller = shared_cluster()
        for name in cls.rights:
            cluster.apply_file(JOB_KINDS / name)
        cluster.plane.kubectl("apply", "-f", MANIFEST)
        for path in CONFIGURATIONS:
            cls.addClassCleanup(cluster.api.delete, path)
        controller.stop()
        frameworks = ["batch/job", *cls.frameworks]
        controller.configuration = {"integrations": {"frameworks": frameworks}}
        controller.start()
        cls.addClassCleanup(cls.put_back, controller)

    @staticmethod
    def put_back(controller):
        controller.stop()
        controller.configuration = {}
        controller.start()

    def setUp(self):
        super().setUp()
        start = f"https://127.0.0.1:{self.controller.webhook_port}/"
        wait_until(
            lambda: all(url and url.startswith(start) for url in self.urls()),
            SOON,
            "both configurations name the webhook",
        )

    def urls(self):
        hooks = [self.cluster.api.get(path)["webhooks"] for path in CONFIGURATIONS]
        return [each["clientConfig"].get("url") for group in hooks for each in group]

    def pod_path(self, name):
        return f"/api/v1/namespaces/{self.space}/pods/{name}"

    def pod(self, name):
        return self.history.get("pods", self.space, name)

    def is_gated(self, name):
        found = self.pod(name)
        return found is not None and bool(found["spec"].get("schedulingGates"))

    def wait_gated(self, name):
        self.wait(lambda: self.is_gated(name), f"{name} is held back")
        self.wait_quiet(lambda: self.is_gated(name), f"{name} stays held back")

    def runs(self, *names):
        return all(
            (self.pod(name) or {"status": {}})["status"].get("phase") == "Running"
            for name in names
        )
