"""Kueue's published manifests in API version v1beta1, and the examples, applied as they are."""

from api_client import JSON_PATCH, ApiError
from case import SOON, ClusterCase
from cluster import ROOT
from control_plane import wait_until
from invariants import is_true
from objects import cluster_queue, local_queue

EXAMPLES = ROOT / "examples"
BETA1 = "/apis/kueue.x-k8s.io/v1beta1"


class ExampleCase(ClusterCase):
    """A test whose namespaces and queues are those of an example."""

    def use(self, space, *queues):
        self.space = space
        self.queues += queues

    def clean_up(self):
        for space in ("single", "team-a", "team-b", "research", "ml-research"):
            if space != self.space and self.history.all("jobs", space):
                for item in self.history.all("jobs", space):
                    path = f"/apis/batch/v1/namespaces/{space}/jobs/{item['metadata']['name']}"
                    self.cluster.api.delete(path, propagationPolicy="Background")
        super().clean_up()


class PublishedManifestsTest(ExampleCase):
    def test_apply_unchanged_and_run(self):
        self.use("ml-research", "ml-research")
        self.cluster.apply_file(EXAMPLES / "04_published_gpu_manifests/manifests.yaml")
        self.wait_running("train-llm", pods=2)

        template = self.job("train-llm")["spec"]["template"]["spec"]
        self.assertEqual(template["nodeSelector"], {"gpu.example.com/model": "a100-80gb"})
        nodes = {
            pod["spec"]["nodeName"] for pod in self.cluster.pods_of("ml-research", "train-llm")
        }
        self.assertEqual(nodes, {"gpu-a100-80gb-1", "gpu-a100-80gb-2"})
        assigned = self.workload("train-llm")["status"]["admission"]["podSetAssignments"][0]
        self.assertEqual(assigned["resourceUsage"]["nvidia.com/gpu"], "16")
        self.assertEqual(assigned["flavors"]["nvidia.com/gpu"], "a100-80gb")

        # Either version of the API answers, and neither has lost a field.
        old = self.cluster.api.get(f"{BETA1}/clusterqueues/ml-research")
        new = self.cluster.api.get(self.cluster.path_of("clusterqueues", "ml-research"))
        self.assertEqual(old["apiVersion"], "kueue.x-k8s.io/v1beta1")
        self.assertEqual(old["spec"]["cohort"], "ml-org")
        self.assertEqual(new["spec"]["cohortName"], "ml-org")
        self.assertEqual(old["spec"]["resourceGroups"], new["spec"]["resourceGroups"])
        gpu = new["spec"]["resourceGroups"][0]["flavors"][0]["resources"][2]
        self.assertEqual(
            gpu,
            {
                "name": "nvidia.com/gpu",
                "nominalQuota": 16,
                "borrowingLimit": 8,
                "lendingLimit": 8,
            },
        )
        self.assertEqual(
            new["spec"]["preemption"]["borrowWithinCohort"]["maxPriorityThreshold"], 100
        )
        self.assertEqual(new["spec"]["fairSharing"], {"weight": "2"})

        self.end("train-llm")
        self.wait_for("train-llm", "Finished", reason="Succeeded")

    def test_a_list_in_the_old_version_holds_workloads_too(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        listed = self.cluster.api.get(f"{BETA1}/namespaces/{self.space}/workloads")
        self.assertEqual(len(listed["items"]), 1)
        workload = listed["items"][0]
        self.assertEqual(workload["status"]["admission"]["clusterQueue"], queue)
        self.assertEqual(workload["spec"]["queueName"], queue)


class StoredVersionTest(ExampleCase):
    """Clusters that began with an older Kueue hold objects that were stored as v1beta1."""

    DEFINITION = (
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterqueues.kueue.x-k8s.io"
    )

    def store_as(self, version):
        versions = self.cluster.api.get(self.DEFINITION)["spec"]["versions"]
        changes = [
            {
                "op": "replace",
                "path": f"/spec/versions/{index}/storage",
                "value": each["name"] == version,
            }
            for index, each in enumerate(versions)
        ]
        self.cluster.api.patch(self.DEFINITION, changes, JSON_PATCH)

    def test_an_object_stored_as_v1beta1_is_read_and_admits(self):
        self.store_as("v1beta1")
        self.addCleanup(self.store_as, "v1beta2")
        old = cluster_queue(self.name, 1) | {"apiVersion": "kueue.x-k8s.io/v1beta1"}
        old["spec"]["cohort"] = "old-cohort"

        def is_created():
            try:
                return self.cluster.api.create(f"{BETA1}/clusterqueues", old)
            except ApiError as error:
                if error.code in (404, 429, 503):  # the storage is being set up anew
                    return None
                raise

        wait_until(is_created, SOON, "the ClusterQueue is stored")
        self.queues.append(self.name)
        self.store_as("v1beta2")
        self.cluster.wait_served("clusterqueues")

        stored = self.cluster.api.get(self.cluster.path_of("clusterqueues", self.name))
        self.assertEqual(stored["apiVersion"], "kueue.x-k8s.io/v1beta2")
        self.assertEqual(stored["spec"]["cohortName"], "old-cohort")
        self.cluster.apply(local_queue(self.name, self.space, self.name))
        self.submit("job", self.name)
        self.wait_running("job")


class ExamplesTest(ExampleCase):
    def apply(self, *files):
        for file in files:
            self.cluster.apply_file(EXAMPLES / file)

    def test_01_single_queue(self):
        self.use("single", "single", "jobs")
        self.apply("01_single_queue/1-queues.yaml", "01_single_queue/2-jobs.yaml")
        self.wait_running("first", pods=2)
        self.wait_running("second", pods=2)
        self.apply("01_single_queue/3-one-too-many.yaml")
        self.wait_for("third", "QuotaReserved", "False")
        self.end("first")
        self.wait_running("third", pods=2)
        for name in ("second", "third"):
            self.end(name)
        for name in ("first", "second", "third"):
            self.wait_for(name, "Finished", reason="Succeeded")

    def test_02_two_teams(self):
        self.use("team-a", "team-a", "team-b", "jobs")
        self.apply("02_two_teams/1-queues.yaml", "02_two_teams/2-team-a.yaml")
        self.wait_running("a-big", pods=3)
        self.apply("02_two_teams/3-team-b.yaml")
        self.wait_for("a-big", "Preempted", reason="InCohortReclamation")
        self.wait(
            lambda: len(self.cluster.running_pods_of("team-b", "b-urgent")) == 2, "b-urgent runs"
        )
        self.cluster.end_job("team-b", "b-urgent")
        self.wait(
            lambda: is_true(self.history.get("jobs", "team-b", "b-urgent") or {}, "Complete"),
            "b-urgent is complete",
        )
        self.wait_running("a-big", pods=3)

    def test_03_priority_preemption(self):
        self.use("research", "research", "jobs")
        self.apply(
            "03_priority_preemption/1-queues.yaml", "03_priority_preemption/2-background.yaml"
        )
        self.wait_running("background", pods=4)
        self.apply("03_priority_preemption/3-deadline.yaml")
        self.wait_for("background", "Preempted", reason="InClusterQueue")
        self.wait_running("deadline", pods=3)
        self.end("deadline")
        self.wait_for("deadline", "Finished", reason="Succeeded")
        self.wait_running("background", pods=4)
