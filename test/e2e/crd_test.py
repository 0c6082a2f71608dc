"""The definitions in crds/ on a real API server: every default is filled in, every limit and every
rule refuses what it must and accepts what it must.

No controller runs. A kind whose versions differ can therefore not be stored as v1beta1; its schema
is still seen to work, since the API server validates before it converts.
"""

import copy
import json
import pathlib
import subprocess
import sys
import unittest

import yaml
from api_client import ApiError

import crd_cases as new
import crd_workload_cases as more
from cluster import ROOT, Cluster
from crd_cases import GONE
from history import KUEUE

GROUP = "/apis/kueue.x-k8s.io"
OBJECTS = pathlib.Path(__file__).with_name("crd_objects.yaml")

PLURALS = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "LocalQueue": "localqueues",
    "Workload": "workloads",
    "ResourceFlavor": "resourceflavors",
    "Topology": "topologies",
    "AdmissionCheck": "admissionchecks",
    "WorkloadPriorityClass": "workloadpriorityclasses",
    "MultiKueueConfig": "multikueueconfigs",
    "MultiKueueCluster": "multikueueclusters",
    "ProvisioningRequestConfig": "provisioningrequestconfigs",
}
NAMESPACED = {"LocalQueue", "Workload"}

CASES = {
    ("v1beta2", "ClusterQueue"): new.CLUSTER_QUEUE,
    ("v1beta2", "Cohort"): new.COHORT,
    ("v1beta2", "LocalQueue"): new.LOCAL_QUEUE,
    ("v1beta2", "Workload"): more.WORKLOAD,
    ("v1beta2", "ResourceFlavor"): new.RESOURCE_FLAVOR,
    ("v1beta2", "Topology"): new.TOPOLOGY,
    ("v1beta2", "AdmissionCheck"): new.ADMISSION_CHECK,
    ("v1beta2", "WorkloadPriorityClass"): new.PRIORITY_CLASS,
    ("v1beta2", "MultiKueueConfig"): new.MULTIKUEUE_CONFIG,
    ("v1beta2", "MultiKueueCluster"): new.MULTIKUEUE_CLUSTER,
    ("v1beta2", "ProvisioningRequestConfig"): new.PROVISIONING,
    ("v1beta1", "ClusterQueue"): more.OLD_CLUSTER_QUEUE,
    ("v1beta1", "Cohort"): more.OLD_COHORT,
    ("v1beta1", "LocalQueue"): more.OLD_LOCAL_QUEUE,
    ("v1beta1", "Workload"): more.OLD_WORKLOAD,
    ("v1beta1", "ResourceFlavor"): more.OLD_FLAVOR,
    ("v1beta1", "Topology"): more.OLD_TOPOLOGY,
    ("v1beta1", "AdmissionCheck"): more.OLD_ADMISSION_CHECK,
    ("v1beta1", "WorkloadPriorityClass"): more.OLD_PRIORITY_CLASS,
    ("v1beta1", "MultiKueueConfig"): more.OLD_MULTIKUEUE_CONFIG,
    ("v1beta1", "MultiKueueCluster"): more.OLD_MULTIKUEUE_CLUSTER,
    ("v1beta1", "ProvisioningRequestConfig"): more.OLD_PROVISIONING,
}


def steps_of(path):
    """`a.b[0].c` as ["a", "b", 0, "c"]."""
    for part in path.split("."):
        name, _, index = part.partition("[")
        yield name
        if index:
            yield int(index.rstrip("]"))


def changed(item, path, value):
    """A copy of the object with `value` at the path; GONE removes it."""
    result = copy.deepcopy(item)
    *way, last = steps_of(path)
    place = result
    for step in way:
        place = place[step]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return result


def values_of(probes):
    """(value, whether it is good) of all probes."""
    for probe in probes:
        yield from ((value, True) for value in probe.good)
        yield from ((value, False) for value in probe.bad)


def shown(value):
    text = "nothing" if value is GONE else repr(value)
    return text if len(text) < 60 else f"{text[:50]}… ({len(text)} characters)"


cluster = None


def setUpModule():
    global cluster
    cluster = Cluster(nodes=False)
    unittest.addModuleCleanup(cluster.stop)
    cluster.start()


class CrdCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster, cls.api = cluster, cluster.api
        documents = yaml.safe_load(OBJECTS.read_text())
        cls.full = {
            (item["apiVersion"].rpartition("/")[2], item["kind"]): cls.named(item, "full")
            for item in documents
        }

    @staticmethod
    def named(item, name):
        metadata = {"name": name}
        if item["kind"] in NAMESPACED:
            metadata["namespace"] = "default"
        return {"metadata": metadata} | item

    def collection(self, item):
        version = item["apiVersion"].rpartition("/")[2]
        scope = "/namespaces/default" if item["kind"] in NAMESPACED else ""
        return f"{GROUP}/{version}{scope}/{PLURALS[item['kind']]}"

    def path(self, item):
        return f"{self.collection(item)}/{item['metadata']['name']}"

    def refusal(self, item, stored=None, is_status=False):
        """Why the API server refuses the object, or None; nothing is stored.

        Without `stored` it is created. With it, that object or its status is replaced.
        """
        query = "?dryRun=All&fieldValidation=Strict"
        try:
            if stored is None:
                self.api.create(self.collection(item) + query, item)
            else:
                item["metadata"] = stored["metadata"]
                part = "/status" if is_status else ""
                self.api.replace(self.path(item) + part + query, item)
        except ApiError as error:
            if error.code in (400, 422):
                return error.message
            # Validation comes before conversion, and no controller runs that could convert.
            if error.code == 500 and "conversion webhook" in error.message:
                return None
            raise
        return None

    def store(self, item, name):
        """Stores a copy of the object and its status, and returns it as the API server has it."""
        item = copy.deepcopy(item)
        item["metadata"]["name"] = name
        stored = self.api.create(self.collection(item), item)
        self.addCleanup(self.api.delete, self.path(item))
        if "status" in item:
            stored["status"] = item["status"]
            stored = self.api.replace(self.path(item) + "/status", stored)
        return stored


class LimitTest(CrdCase):
    """Each field's type, limits, pattern, values, list type, and the rules about it."""

    def run_cases(self, version, kind):
        full = self.full[version, kind]
        self.assertIsNone(self.refusal(full), "the full object itself")
        has_status = version == "v1beta2" and "status" in full
        stored = self.store(full, "stored") if has_status else None
        count = 0
        for path, *probes in CASES[version, kind]:
            is_status = path.startswith("status")
            base = stored if is_status else full
            for value, is_good in values_of(probes):
                count += 1
                item = changed(base, path, value)
                reason = self.refusal(item, stored if is_status else None, is_status)
                with self.subTest(f"{path} = {shown(value)}"):
                    if is_good:
                        self.assertIsNone(reason, "refused, but must be accepted")
                    else:
                        self.assertIsNotNone(reason, "accepted, but must be refused")
        print(f"    {version} {kind}: {count} values", flush=True)


def add_limit_tests():
    for version, kind in CASES:

        def test(self, version=version, kind=kind):
            self.run_cases(version, kind)

        setattr(LimitTest, f"test_{version}_{PLURALS[kind]}", test)


add_limit_tests()


class DefaultTest(CrdCase):
    """What the API server fills in, and that it fills in nothing else."""

    def filled(self, kind, spec, version="v1beta2"):
        item = self.named({"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind}, "default")
        if spec is not None:
            item["spec"] = spec
        return self.api.create(self.collection(item) + "?dryRun=All", item).get("spec")

    def test_cluster_queue(self):
        self.assertEqual(
            self.filled("ClusterQueue", {}),
            {
                "queueingStrategy": "BestEffortFIFO",
                "stopPolicy": "None",
                "flavorFungibility": {
                    "whenCanBorrow": "MayStopSearch",
                    "whenCanPreempt": "TryNextFlavor",
                },
                "preemption": {
                    "reclaimWithinCohort": "Never",
                    "withinClusterQueue": "Never",
                    "borrowWithinCohort": {"policy": "Never"},
                },
            },
        )
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
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/admissionchecks."
        versions = self.api.get(path + "kueue.x-k8s.io")["spec"]["versions"]
        old = next(each for each in versions if each["name"] == "v1beta1")
        spec = old["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        self.assertEqual(spec["retryDelayMinutes"]["default"], 15)
        self.assertEqual(self.filled("ResourceFlavor", {}), {})


class ChangeTest(CrdCase):
    """Rules that compare an object with what it was."""

    def assert_change(self, stored, path, value, message=None):
        """Refused with the message, or accepted where there is none."""
        reason = self.refusal(changed(stored, path, value), stored, path.startswith("status"))
        if message is None:
            self.assertIsNone(reason, f"{path} = {value}")
        else:
            self.assertIn(message, reason or "accepted", f"{path} = {value}")

    def workload(self, name, reserved, **spec):
        item = copy.deepcopy(self.full["v1beta2", "Workload"])
        item["spec"] |= spec
        for field in [key for key, value in item["spec"].items() if value is None]:
            del item["spec"][field]
        state = str(reserved)
        item["status"] = {
            "admission": {"podSetAssignments": [{"name": "main"}]},
            "conditions": [
                new.condition_of(0) | {"type": kind, "status": state}
                for kind in ("QuotaReserved", "Admitted")
            ],
        }
        return self.store(item, name)

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
        kept = self.workload("kept", True)
        free = self.workload("free", False)
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
        bound = self.workload("bound", True, priorityClassRef=kube)
        message = "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass"
        self.assert_change(bound, "spec.priorityClassRef.name", "another", message)
        bare = self.workload("bare", True, priorityClassRef=None)
        message = "priorityClassRef is immutable while workload quota reserved"
        self.assert_change(bare, "spec.priorityClassRef", ref, message)

    def test_an_admission_covers_all_pod_sets(self):
        workload = self.workload("covered", True)
        message = "podSetAssignments must have the same number of podSets as the spec"
        two = [{"name": "main"}, {"name": "other"}]
        self.assert_change(workload, "status.admission.podSetAssignments", two, message)

    def test_the_cluster_of_a_workload_is_chosen_once(self):
        workload = self.workload("chosen", False)
        workload["status"]["clusterName"] = "worker-1"
        workload = self.api.replace(self.path(workload) + "/status", workload)
        message = "clusterName is immutable once set"
        self.assert_change(workload, "status.clusterName", "worker-2", message)
        self.assert_change(workload, "status.clusterName", GONE)


class SurfaceTest(CrdCase):
    """What kubectl users meet: names, columns, versions, subresources."""

    def definition(self, kind):
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        return self.api.get(f"{path}/{PLURALS[kind]}.kueue.x-k8s.io")["spec"]

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
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        return self.api.get(f"{path}/{PLURALS[kind]}.kueue.x-k8s.io")["metadata"]

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
        converted = {"ClusterQueue", "Cohort", "LocalQueue", "Workload", "MultiKueueCluster"}
        for kind in PLURALS:
            with self.subTest(kind):
                spec = self.definition(kind)
                versions = {each["name"]: each for each in spec["versions"]}
                self.assertEqual(sorted(versions), ["v1beta1", "v1beta2"])
                self.assertTrue(all(each["served"] for each in versions.values()))
                self.assertTrue(versions["v1beta2"]["storage"])
                strategy = "Webhook" if kind in converted else "None"
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
