"""The definitions in crds/ on a real API server: every default is filled in, every limit and every
rule refuses what it must and accepts what it must.

No controller runs that could convert. What needs the old version of a kind whose versions differ is
therefore tested while that version is the stored one.
"""

import copy
import json
import subprocess
import sys
import unittest

from api_client import JSON_PATCH, ApiError
from control_plane import wait_until

import crd_cases as new
import crd_workload_cases as more
from cluster import ROOT, Cluster
from crd_case import CASES, GROUP, NAMESPACED, PLURALS, CrdCase, changed
from crd_cases import GONE
from history import KUEUE


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
QUEUE_DEFAULTS = {
    "queueingStrategy": "BestEffortFIFO",
    "stopPolicy": "None",
    "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
    "preemption": {
        "reclaimWithinCohort": "Never",
        "withinClusterQueue": "Never",
        "borrowWithinCohort": {"policy": "Never"},
    },
}
# The kinds whose versions differ.
CONVERTED = ("ClusterQueue", "Cohort", "LocalQueue", "Workload", "MultiKueueCluster")


def setUpModule():
    cluster = Cluster(nodes=False)
    unittest.addModuleCleanup(cluster.stop)
    CrdCase.cluster = cluster.start()


class LimitTest(CrdCase):
    """Each field's type, limits, pattern, values, list type, and the rules about it."""


def add_limit_tests(owner, version):
    for _, kind in (each for each in CASES if each[0] == version):

        def test(self, kind=kind):
            self.run_cases(version, kind)

        setattr(owner, f"test_{version}_{PLURALS[kind]}", test)


add_limit_tests(LimitTest, "v1beta2")


class DefaultTest(CrdCase):
    """What the API server fills in, and that it fills in nothing else."""

    def test_cluster_queue(self):
        self.assertEqual(self.filled("ClusterQueue", {}), QUEUE_DEFAULTS)
        fair = self.filled("ClusterQueue", {"fairSharing": {}})["fairSharing"]
        self.assertEqual(fair, {"weight": 1})
        self.assertIsNone(self.filled("ClusterQueue", None), "an absent spec stays absent")

    def test_cohort(self):
        self.assertEqual(self.filled("Cohort", {}), {})
        self.assertEqual(self.filled("Cohort", {"fairSharing": {}}), {"fairSharing": {"weight": 1}})

    def test_local_queue(self):
        self.assertEqual(self.filled("LocalQueue", {}), {"stopPolicy": "None"})
        fair = self.filled("LocalQueue", {"fairSharing": {}})["fairSharing"]
        self.assertEqual(fair, {"weight": 1})

    def test_workload(self):
        self.assertEqual(self.filled("Workload", {}), {"active": True})
        spec = self.filled("Workload", {"podSets": [{"template": more.TEMPLATE}]})
        self.assertEqual(
            spec,
            {
                "active": True,
                "podSets": [{"name": "main", "count": 1, "template": more.TEMPLATE}],
            },
        )

    def test_pod_set_assignment(self):
        workload = self.store(self.full["v1beta2", "Workload"], "assigned")
        workload["status"]["admission"] = {"podSetAssignments": [{}]}
        stored = self.api.replace(self.path(workload) + "/status?dryRun=All", workload)
        self.assertEqual(stored["status"]["admission"]["podSetAssignments"], [{"name": "main"}])

    def test_pod_template(self):
        sources = {
            "configMap": {},
            "secret": {},
            "azureDisk": {"diskName": "d", "diskURI": "u"},
            "iscsi": {"targetPortal": "p", "iqn": "i", "lun": 0},
            "rbd": {"image": "i", "monitors": ["m"]},
            "scaleIO": {"gateway": "g", "system": "s", "secretRef": {}},
        }
        variable = {"name": "a", "valueFrom": {"secretKeyRef": {"key": "k"}}}
        container = {
            "name": "c",
            "ports": [{"containerPort": 1}],
            "livenessProbe": {"grpc": {"port": 1}},
            "env": [variable],
        }
        pod = {
            "containers": [container],
            "imagePullSecrets": [{}],
            "volumes": [{"name": name.lower(), name: each} for name, each in sources.items()],
        }
        spec = self.filled("Workload", {"podSets": [{"template": {"spec": pod}}]})
        pod = spec["podSets"][0]["template"]["spec"]
        container = pod["containers"][0]
        self.assertEqual(container["ports"], [{"containerPort": 1, "protocol": "TCP"}])
        self.assertEqual(container["livenessProbe"]["grpc"], {"port": 1, "service": ""})
        self.assertEqual(container["env"][0]["valueFrom"]["secretKeyRef"], {"key": "k", "name": ""})
        self.assertEqual(pod["imagePullSecrets"], [{"name": ""}])
        volumes = {each["name"]: each for each in pod["volumes"]}
        self.assertEqual(volumes["configmap"]["configMap"], {"name": ""})
        self.assertEqual(volumes["secret"]["secret"], {})
        added = {
            "azureDisk": {"fsType": "ext4", "readOnly": False},
            "iscsi": {"iscsiInterface": "default"},
            "rbd": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
            "scaleIO": {
                "fsType": "xfs",
                "storageMode": "ThinProvisioned",
                "secretRef": {"name": ""},
            },
        }
        for name, fields in added.items():
            self.assertEqual(volumes[name.lower()][name], sources[name] | fields)

    def test_the_others(self):
        spec = {"provisioningClassName": "c"}
        retry = {"backoffLimitCount": 3, "backoffBaseSeconds": 60, "backoffMaxSeconds": 1800}
        for version in ("v1beta1", "v1beta2"):
            filled = self.filled("ProvisioningRequestConfig", dict(spec), version)
            self.assertEqual(filled, spec | {"retryStrategy": retry})
        filled = self.filled("ProvisioningRequestConfig", spec | {"retryStrategy": {}})
        self.assertEqual(filled["retryStrategy"], retry)
        config = {"clusterSource": {"kubeConfig": {"location": "s"}}}
        filled = self.filled("MultiKueueCluster", config)
        self.assertEqual(filled["clusterSource"]["kubeConfig"]["locationType"], "Secret")
        check = {"controllerName": "c"}
        self.assertEqual(self.filled("AdmissionCheck", check), check)
        filled = self.filled("AdmissionCheck", check, "v1beta1")
        # This default of v1beta1 never shows: the stored version has no such field.
        self.assertEqual(filled, check)
        path = f"{DEFINITIONS}/admissionchecks.kueue.x-k8s.io"
        versions = self.api.get(path)["spec"]["versions"]
        old = next(each for each in versions if each["name"] == "v1beta1")
        spec = old["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        self.assertEqual(spec["retryDelayMinutes"]["default"], 15)
        self.assertEqual(self.filled("ResourceFlavor", {}), {})


class ChangeTest(CrdCase):
    """Rules that compare an object with what it was."""

    def test_names_that_never_change(self):
        immutable = "field is immutable"
        queue = self.store(self.full["v1beta2", "LocalQueue"], "fixed")
        self.assert_change(queue, "spec.clusterQueue", "another", immutable)
        self.assert_change(queue, "spec.stopPolicy", "None")
        check = self.store(self.full["v1beta2", "AdmissionCheck"], "fixed")
        self.assert_change(check, "spec.controllerName", "example.com/another", immutable)
        flavor = self.store(self.full["v1beta2", "ResourceFlavor"], "fixed")
        message = "topologyName is immutable when topologyName is set"
        self.assert_change(flavor, "spec.topologyName", "another", message)
        self.assert_change(flavor, "spec.topologyName", GONE, message)
        self.assert_change(flavor, "spec.nodeLabels", {"tier": "b"})

    def test_topology_levels(self):
        message = "levels are mutable only when kubernetes.io/hostname is the lowest level"
        with_host = self.store(self.full["v1beta2", "Topology"], "with-host")
        self.assert_change(with_host, "spec.levels", [new.level(1), new.level(2), new.HOSTNAME])
        self.assert_change(with_host, "spec.levels", [new.level(1)], message)
        item = changed(self.full["v1beta2", "Topology"], "spec.levels", [new.level(0)])
        without = self.store(item, "without-host")
        self.assert_change(without, "spec.levels", [new.level(0), new.HOSTNAME], message)

    def test_a_workload_with_quota_keeps_its_queue_and_its_class(self):
        kept = self.store_workload("kept", True)
        free = self.store_workload("free", False)
        ref = self.full["v1beta2", "Workload"]["spec"]["priorityClassRef"]
        kube = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "class"}
        cases = (
            ("spec.queueName", "another", "queueName is immutable while workload quota reserved"),
            ("spec.queueName", GONE, "queueName is immutable while workload quota reserved"),
            ("spec.priorityClassRef", GONE, "priorityClassRef is immutable while workload quota"),
            ("spec.priorityClassRef", kube, "priorityClassRef.group is immutable while"),
            (
                "spec.maximumExecutionTimeSeconds",
                61,
                "maximumExecutionTimeSeconds is immutable while workload quota reserved",
            ),
        )
        for path, value, message in cases:
            with self.subTest(path, value=value):
                self.assert_change(kept, path, value, message)
                self.assert_change(free, path, value)
        # A Kueue class may be exchanged for another, a Kubernetes class may not.
        self.assert_change(kept, "spec.priorityClassRef", ref | {"name": "another"})
        bound = self.store_workload("bound", True, priorityClassRef=kube)
        message = "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass"
        self.assert_change(bound, "spec.priorityClassRef.name", "another", message)
        bare = self.store_workload("bare", True, priorityClassRef=None)
        message = "priorityClassRef is immutable while workload quota reserved"
        self.assert_change(bare, "spec.priorityClassRef", ref, message)

    def test_an_admission_covers_all_pod_sets(self):
        workload = self.store_workload("covered", True)
        message = "podSetAssignments must have the same number of podSets as the spec"
        two = [{"name": "main"}, {"name": "other"}]
        self.assert_change(workload, "status.admission.podSetAssignments", two, message)

    def test_the_cluster_of_a_workload_is_chosen_once(self):
        workload = self.store_workload("chosen", False)
        workload["status"]["clusterName"] = "worker-1"
        workload = self.api.replace(self.path(workload) + "/status", workload)
        message = "clusterName is immutable once set"
        self.assert_change(workload, "status.clusterName", "worker-2", message)
        self.assert_change(workload, "status.clusterName", GONE)


class OldVersionTest(CrdCase):
    """The same of v1beta1. It is stored meanwhile, so that nothing must be converted."""

    version = "v1beta1"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.store_all_as, "v1beta2")
        cls.store_all_as("v1beta1")

    @classmethod
    def store_all_as(cls, version):
        for kind in CONVERTED:
            path = f"{DEFINITIONS}/{PLURALS[kind]}.kueue.x-k8s.io"
            versions = cls.api.get(path)["spec"]["versions"]
            changes = [
                {
                    "op": "replace",
                    "path": f"/spec/versions/{index}/storage",
                    "value": each["name"] == version,
                }
                for index, each in enumerate(versions)
            ]
            cls.api.patch(path, changes, JSON_PATCH)
        for kind in CONVERTED:
            full = cls.full[version, kind]
            wait_until(lambda full=full: cls.is_stored(full), 30, f"{kind} is stored as {version}")

    @classmethod
    def is_stored(cls, full):
        try:
            return cls.api.create(cls.collection(full) + "?dryRun=All", full)
        except ApiError as error:
            # The storage is set up anew, or is still that of the other version.
            if error.code in (404, 429, 503) or "conversion webhook" in error.message:
                return None
            raise

    def test_defaults(self):
        queue = self.filled("ClusterQueue", {"fairSharing": {}})
        self.assertEqual(queue, QUEUE_DEFAULTS | {"fairSharing": {"weight": 1}})
        self.assertIsNone(self.filled("ClusterQueue", None), "an absent spec stays absent")
        self.assertEqual(self.filled("Cohort", {}), {})
        self.assertEqual(self.filled("Cohort", {"fairSharing": {}}), {"fairSharing": {"weight": 1}})
        fair = {"stopPolicy": "None", "fairSharing": {"weight": 1}}
        self.assertEqual(self.filled("LocalQueue", {}), {"stopPolicy": "None"})
        self.assertEqual(self.filled("LocalQueue", {"fairSharing": {}}), fair)
        pod_set = {"name": "main", "count": 1, "template": more.TEMPLATE}
        self.assertEqual(
            self.filled("Workload", {"podSets": [{"template": more.TEMPLATE}]}),
            {"active": True, "priorityClassSource": "", "podSets": [pod_set]},
        )
        config = self.filled("MultiKueueCluster", {"kubeConfig": {"location": "s"}})
        self.assertEqual(config, {"kubeConfig": {"location": "s", "locationType": "Secret"}})

    def test_the_name_of_a_pod_set_assignment_has_a_default(self):
        workload = self.store(self.full["v1beta1", "Workload"], "assigned")
        workload["status"]["admission"]["podSetAssignments"] = [{}]
        stored = self.api.replace(self.path(workload) + "/status?dryRun=All", workload)
        self.assertEqual(stored["status"]["admission"]["podSetAssignments"], [{"name": "main"}])

    def test_names_that_never_change(self):
        immutable = "field is immutable"
        queue = self.store(self.full["v1beta1", "LocalQueue"], "fixed")
        self.assert_change(queue, "spec.clusterQueue", "another", immutable)
        self.assert_change(queue, "spec.stopPolicy", "None")
        check = self.store(self.full["v1beta1", "AdmissionCheck"], "fixed")
        self.assert_change(check, "spec.controllerName", "example.com/another", immutable)
        # Here the host name below them makes no difference.
        topology = self.store(self.full["v1beta1", "Topology"], "fixed")
        self.assert_change(topology, "spec.levels", [new.level(1), new.HOSTNAME], immutable)
        self.assert_change(topology, "spec.levels", [new.level(1)], immutable)
        flavor = self.store(self.full["v1beta1", "ResourceFlavor"], "fixed")
        message = "topologyName is immutable when topologyName is set"
        self.assert_change(flavor, "spec.topologyName", "another", message)

    def test_a_workload_with_quota_keeps_its_queue_and_its_class(self):
        kept = self.store_workload("kept", True)
        free = self.store_workload("free", False)
        kube = "scheduling.k8s.io/priorityclass"
        source = "priorityClassSource is immutable while workload quota reserved"
        cases = (
            ("spec.queueName", "another", "queueName is immutable while workload quota reserved"),
            ("spec.queueName", GONE, "queueName is immutable while workload quota reserved"),
            ("spec.priorityClassSource", kube, source),
            ("spec.priorityClassSource", "", source),
            ("spec.priorityClassSource", GONE, source),  # the default stands in its place
            (
                "spec.maximumExecutionTimeSeconds",
                61,
                "maximumExecutionTimeSeconds is immutable while workload quota reserved",
            ),
        )
        for path, value, message in cases:
            with self.subTest(path, value=value):
                self.assert_change(kept, path, value, message)
                self.assert_change(free, path, value)
        # A Kueue class may be exchanged for another, any other class may not.
        self.assert_change(kept, "spec.priorityClassName", "another")
        message = "priorityClassName is immutable while workload quota reserved and"
        for name, other in (("bound", kube), ("vague", "")):
            with self.subTest(source=other):
                bound = self.store_workload(name, True, priorityClassSource=other)
                self.assert_change(bound, "spec.priorityClassName", "another", message)
                self.assert_change(bound, "spec.priorityClassName", GONE)
                loose = self.store_workload(f"{name}-free", False, priorityClassSource=other)
                self.assert_change(loose, "spec.priorityClassName", "another")

    def test_the_status_of_a_workload(self):
        workload = self.store_workload("covered", True)
        message = "podSetAssignments must have the same number of podSets as the spec"
        two = [{"name": "main"}, {"name": "other"}]
        self.assert_change(workload, "status.admission.podSetAssignments", two, message)
        workload["status"]["clusterName"] = "worker-1"
        workload = self.api.replace(self.path(workload) + "/status", workload)
        message = "clusterName is immutable once set"
        self.assert_change(workload, "status.clusterName", "worker-2", message)
        self.assert_change(workload, "status.clusterName", GONE)


add_limit_tests(OldVersionTest, "v1beta1")


class SurfaceTest(CrdCase):
    """What kubectl users meet: names, columns, versions, subresources."""

    def definition(self, kind):
        return self.api.get(f"{DEFINITIONS}/{PLURALS[kind]}.kueue.x-k8s.io")["spec"]

    def test_client_side_apply_has_room(self):
        # kubectl keeps what was applied in an annotation, and 256 KiB is all that annotations get.
        for kind in PLURALS:
            with self.subTest(kind):
                annotations = self.metadata(kind)["annotations"]
                size = sum(len(key) + len(value) for key, value in annotations.items())
                self.assertIn("kubectl.kubernetes.io/last-applied-configuration", annotations)
                self.assertLess(size, 256 * 1024)
        # A second time changes nothing and is refused by nothing.
        output = self.cluster.plane.kubectl("apply", "-f", ROOT / "crds")
        self.assertEqual({line.split()[-1] for line in output.splitlines()}, {"unchanged"})

    def metadata(self, kind):
        return self.api.get(f"{DEFINITIONS}/{PLURALS[kind]}.kueue.x-k8s.io")["metadata"]

    def test_the_pod_template_is_what_this_api_server_knows(self):
        script = ROOT / "crds/generate_pod_template_schema.py"
        command = [sys.executable, script, "--check", "--kubeconfig", self.cluster.plane.kubeconfig]
        command += ["--kubectl", self.cluster.plane.binaries / "kubectl"]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

        expected = json.loads((ROOT / "crds/parts/pod_template_schema.json").read_text())
        for version in self.definition("Workload")["versions"]:
            schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            template = schema["podSets"]["items"]["properties"]["template"]
            template.pop("description", None)
            self.assertEqual(template, expected, version["name"])

    def test_without_a_controller_the_old_version_is_refused_and_nothing_is_lost(self):
        queue = self.store(self.full["v1beta2", "ClusterQueue"], "kept")
        old = copy.deepcopy(self.full["v1beta1", "ClusterQueue"])
        for call in (
            lambda: self.api.get(f"{GROUP}/v1beta1/clusterqueues/kept"),
            lambda: self.api.get(f"{GROUP}/v1beta1/clusterqueues"),
            lambda: self.api.create(f"{GROUP}/v1beta1/clusterqueues", old),
            lambda: self.api.patch(f"{GROUP}/v1beta1/clusterqueues/kept", {"spec": {"cohort": ""}}),
        ):
            with self.assertRaisesRegex(ApiError, "conversion webhook"):
                call()
        self.assertEqual(self.api.get(self.path(queue)), queue)
        self.assertEqual(len(self.api.get(self.collection(queue))["items"]), 1)

    def test_short_names(self):
        expected = {
            "ClusterQueue": ["cq"],
            "Cohort": ["co"],
            "LocalQueue": ["lq", "queue", "queues"],
            "Workload": ["kueueworkload", "kueueworkloads", "kwl"],
            "ResourceFlavor": ["flavor", "flavors", "rf"],
            "Topology": ["topo"],
            "AdmissionCheck": ["ac"],
            "WorkloadPriorityClass": ["wpc"],
            "MultiKueueConfig": ["mkconf"],
            "MultiKueueCluster": ["mkc"],
            "ProvisioningRequestConfig": ["prc"],
        }
        for kind, names in expected.items():
            with self.subTest(kind):
                self.assertEqual(sorted(self.definition(kind)["names"]["shortNames"]), names)

    def test_versions_and_conversion(self):
        for kind in PLURALS:
            with self.subTest(kind):
                spec = self.definition(kind)
                versions = {each["name"]: each for each in spec["versions"]}
                self.assertEqual(sorted(versions), ["v1beta1", "v1beta2"])
                self.assertTrue(all(each["served"] for each in versions.values()))
                self.assertTrue(versions["v1beta2"]["storage"])
                strategy = "Webhook" if kind in CONVERTED else "None"
                self.assertEqual(spec["conversion"]["strategy"], strategy)
                self.assertEqual(spec["scope"] == "Namespaced", kind in NAMESPACED)
                has_warning = versions["v1beta1"].get("deprecated", False)
                self.assertEqual(has_warning, kind != "MultiKueueConfig")

    def test_status_subresources(self):
        without = {"ResourceFlavor", "Topology", "WorkloadPriorityClass", "MultiKueueConfig"}
        without.add("ProvisioningRequestConfig")
        for kind in PLURALS:
            with self.subTest(kind):
                for version in self.definition(kind)["versions"]:
                    has_status = "status" in version.get("subresources", {})
                    self.assertEqual(has_status, kind not in without)
                    self.assertNotIn("scale", version.get("subresources", {}))

    def test_kubectl_shows_the_columns(self):
        queue = self.store(self.full["v1beta2", "ClusterQueue"], "shown")
        lines = self.cluster.plane.kubectl("get", "cq", "shown").splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "COHORT", "PENDING", "WORKLOADS"])
        self.assertEqual(lines[1].split(), ["shown", "cohort", "1"])
        wide = self.cluster.plane.kubectl("get", "cq", "shown", "-o", "wide").splitlines()[1]
        self.assertEqual(wide.split(), ["shown", "cohort", "StrictFIFO", "1", "1"])
        self.assertEqual(queue["spec"]["cohortName"], "cohort")
        self.store(self.full["v1beta2", "Workload"], "shown")
        lines = self.cluster.plane.kubectl("get", "kwl", "shown").splitlines()
        header = ["NAME", "QUEUE", "RESERVED", "IN", "ADMITTED", "FINISHED", "AGE"]
        self.assertEqual(lines[0].split(), header)

    def test_workloads_are_selected_by_their_cluster_queue(self):
        self.store(self.full["v1beta2", "Workload"], "mine")
        selector = "?fieldSelector=status.admission.clusterQueue%3D"
        path = f"{KUEUE}/workloads{selector}"
        self.assertEqual(len(self.api.get(path + "cluster-queue")["items"]), 1)
        self.assertEqual(len(self.api.get(path + "another")["items"]), 0)

    def test_kubectl_explains_a_field(self):
        text = self.cluster.plane.kubectl("explain", "clusterqueue.spec.cohortName")
        self.assertIn("cohort", text.lower().partition("description:")[2])
