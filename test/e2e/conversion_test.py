"""Both API versions of the kinds whose shapes differ, through the conversion webhook."""

import copy
import json
import pathlib
import subprocess

import yaml
from api_client import ApiError
from control_plane import wait_until

from case import SOON, ClusterCase
from cluster import ROOT, find_binary
from history import DEFINITIONS
from objects import cluster_queue

IN_CLUSTER = ROOT / "examples/deploy/in-cluster/controller.yaml"
OBJECTS = pathlib.Path(__file__).with_name("crd_objects.yaml")
PLURALS = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "LocalQueue": "localqueues",
    "Workload": "workloads",
    "MultiKueueCluster": "multikueueclusters",
}
GROUP = "/apis/kueue.x-k8s.io"


class ConversionTest(ClusterCase):
    def setUp(self):
        super().setUp()
        self.made = []
        self.full = {
            (item["apiVersion"].rpartition("/")[2], item["kind"]): item
            for item in yaml.safe_load(OBJECTS.read_text())
        }

    def path(self, version, kind, name=None):
        is_namespaced = kind in ("LocalQueue", "Workload")
        scope = f"/namespaces/{self.space}" if is_namespaced else ""
        collection = f"{GROUP}/{version}{scope}/{PLURALS[kind]}"
        return f"{collection}/{name}" if name else collection

    def create(self, version, kind, change=None):
        """Stores the full object, `change`d, and returns the sent one."""
        item = copy.deepcopy(self.full[version, kind])
        item.pop("status", None)
        item["metadata"] = {"name": self.name}
        # A queue of the same name must not admit the Workload while it is read.
        if kind == "ClusterQueue":
            item["spec"]["stopPolicy"] = "Hold"
        if change:
            change(item)
        self.cluster.api.create(self.path(version, kind), item)
        self.made.append(kind)
        return item

    def clean_up(self):
        for kind in self.made:
            path = self.path("v1beta2", kind, self.name)
            self.cluster.api.delete(path)
            self.cluster.drop_finalizers(path)
        super().clean_up()

    def spec(self, version, kind):
        return self.cluster.api.get(self.path(version, kind, self.name))["spec"]

    def assert_round_trip(self, kind, sent, dropped=()):
        """What was sent as v1beta1 is read back as v1beta1, but for what the table says is lost."""
        expected = {key: value for key, value in sent["spec"].items() if key not in dropped}
        found = self.spec("v1beta1", kind)
        self.assertEqual({key: found.get(key) for key in expected}, expected)
        self.assertFalse(set(dropped) & set(found))

    def test_a_cluster_queue(self):
        sent = self.create("v1beta1", "ClusterQueue")
        new = self.spec("v1beta2", "ClusterQueue")
        self.assertEqual(new["cohortName"], "cohort")
        self.assertNotIn("cohort", new)
        # The list of names replaces the strategy, and these policies were only renamed.
        self.assertEqual(new["admissionChecksStrategy"], {"admissionChecks": [{"name": "check"}]})
        fungibility = {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"}
        self.assertEqual(new["flavorFungibility"], fungibility)
        changed = ("admissionChecks", "admissionChecksStrategy", "flavorFungibility")
        for field in changed:
            sent["spec"].pop(field)
        self.assert_round_trip("ClusterQueue", sent)
        self.assertEqual(new["resourceGroups"], sent["spec"]["resourceGroups"])

    def test_a_cohort(self):
        sent = self.create("v1beta1", "Cohort")
        self.assertEqual(self.spec("v1beta2", "Cohort"), sent["spec"])
        self.assert_round_trip("Cohort", sent)

    def test_a_local_queue(self):
        sent = self.create("v1beta1", "LocalQueue")
        self.assertEqual(self.spec("v1beta2", "LocalQueue"), sent["spec"])
        self.assert_round_trip("LocalQueue", sent)

    def test_a_workload(self):
        sent = self.create("v1beta1", "Workload")
        new = self.spec("v1beta2", "Workload")
        reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "class"}
        self.assertEqual(new["priorityClassRef"], reference)
        self.assertEqual(new["priority"], 5)
        self.assertFalse({"priorityClassName", "priorityClassSource"} & set(new))
        self.assertEqual(new["podSets"], sent["spec"]["podSets"])
        self.assert_round_trip("Workload", sent)

    def test_a_worker_cluster(self):
        sent = self.create("v1beta1", "MultiKueueCluster")
        source = {"kubeConfig": {"location": "secret", "locationType": "Path"}}
        self.assertEqual(self.spec("v1beta2", "MultiKueueCluster"), {"clusterSource": source})
        self.assert_round_trip("MultiKueueCluster", sent)

    def test_a_status_with_a_topology_in_both_encodings(self):
        def without_class(item):
            item["spec"].pop("priorityClassRef")

        self.create("v1beta2", "Workload", without_class)
        path = self.path("v1beta2", "Workload", self.name)
        status = copy.deepcopy(self.full["v1beta2", "Workload"]["status"])
        self.cluster.api.patch(path + "/status", {"status": status})
        old_path = self.path("v1beta1", "Workload", self.name)
        old = self.cluster.api.get(old_path)["status"]
        self.assertEqual(old["accumulatedPastExexcutionTimeSeconds"], 5)
        topology = old["admission"]["podSetAssignments"][0]["topologyAssignment"]
        self.assertEqual(
            topology,
            {
                "levels": ["block", "rack"],
                "domains": [
                    {"values": ["block-1", "rack-1-x"], "count": 1},
                    {"values": ["block-1", "rack-2-x"], "count": 2},
                ],
            },
        )

    def test_a_patch_in_the_old_version_keeps_the_rest(self):
        self.create("v1beta2", "ClusterQueue", lambda item: item["spec"].pop("admissionScope"))
        before = self.spec("v1beta2", "ClusterQueue")
        path = self.path("v1beta1", "ClusterQueue", self.name)
        self.cluster.api.patch(path, {"spec": {"cohort": "another"}})
        after = self.spec("v1beta2", "ClusterQueue")
        # The old version cannot carry this field, so a write in it drops the field.
        before.pop("concurrentAdmissionPolicy", None)
        after.pop("concurrentAdmissionPolicy", None)
        self.assertEqual(after, before | {"cohortName": "another"})

    def test_a_long_list(self):
        for number in range(200):
            item = cluster_queue(f"{self.name}-{number}", 1, stopPolicy="Hold")
            self.cluster.api.create(self.path("v1beta2", "ClusterQueue"), item)
            self.queues.append(f"{self.name}-{number}")
        listed = self.cluster.api.get(self.path("v1beta1", "ClusterQueue"))["items"]
        mine = [each for each in listed if each["metadata"]["name"].startswith(self.name + "-")]
        self.assertEqual(len(mine), 200)
        self.assertEqual({each["apiVersion"] for each in listed}, {"kueue.x-k8s.io/v1beta1"})

    def webhook_of(self, plural):
        definition = self.cluster.api.get(f"{DEFINITIONS}/{plural}.kueue.x-k8s.io")
        return definition["spec"]["conversion"]["webhook"]["clientConfig"]

    def last_applied(self, plural):
        definition = self.cluster.api.get(f"{DEFINITIONS}/{plural}.kueue.x-k8s.io")
        name = "kubectl.kubernetes.io/last-applied-configuration"
        return definition["metadata"]["annotations"][name]

    def is_converted(self, kind):
        try:
            return self.spec("v1beta1", kind)
        except ApiError as error:
            if error.code == 500:  # the webhook was not reached
                return None
            raise

    def test_the_definitions_are_applied_again_while_it_runs(self):
        sent = self.create("v1beta1", "Cohort")
        url = f"https://127.0.0.1:{self.controller.webhook_port}/convert"
        self.cluster.plane.kubectl("apply", "-f", ROOT / "crds")
        for plural in PLURALS.values():
            wait_until(
                lambda name=plural: self.webhook_of(name).get("url") == url,
                SOON,
                f"the definition of {plural} names the webhook again",
            )
            self.assertNotIn("service", self.webhook_of(plural))
            # kubectl would add its Service to a URL that it does not remember to have applied.
            self.assertIn(url, self.last_applied(plural))
        wait_until(lambda: self.is_converted("Cohort"), SOON, "objects are converted again")
        self.assert_round_trip("Cohort", sent)

    def test_outside_a_cluster_it_must_be_told_where_it_is_reached(self):
        # With the configuration that is meant for a cluster, of which nothing else is refused.
        manifests = list(yaml.safe_load_all(IN_CLUSTER.read_text()))
        path = self.cluster.directory / "in-cluster.yaml"
        path.write_text(manifests[0]["data"]["controller_manager_config.yaml"])
        command = [find_binary(), "controller", "--config", path]
        command += ["--kubeconfig", self.controller.kubeconfig]
        ended = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=SOON
        )
        self.assertEqual(ended.returncode, 2)
        self.assertIn("webhook.host is", ended.stdout + ended.stderr)

    def test_what_a_cluster_needs_is_taken_by_its_api_server(self):
        self.cluster.plane.kubectl(
            "apply", "--dry-run=server", "--recursive", "-f", ROOT / "examples/deploy"
        )

    def test_kubectl_reads_and_applies_the_old_version(self):
        queue = self.make_queue(1, cohortName="cohort")
        plane = self.cluster.plane
        old = f"clusterqueues.v1beta1.kueue.x-k8s.io/{queue}"
        item = json.loads(plane.kubectl("get", old, "-o", "json"))
        self.assertEqual(item["spec"]["cohort"], "cohort")
        changed = cluster_queue(queue, 1, cohort="another") | {"apiVersion": item["apiVersion"]}
        self.assertEqual(changed["apiVersion"], "kueue.x-k8s.io/v1beta1")
        plane.kubectl("apply", "-f", "-", stdin=json.dumps(changed))
        path = self.cluster.path_of("clusterqueues", queue)
        self.assertEqual(self.cluster.api.get(path)["spec"]["cohortName"], "another")
        explained = plane.kubectl(
            "explain", "clusterqueue.spec.cohort", "--api-version=kueue.x-k8s.io/v1beta1"
        )
        self.assertIn("cohort", explained)
