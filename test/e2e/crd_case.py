"""The base of the tests of the definitions: which cases belong to which kind, and how the API
server is asked."""

import copy
import pathlib
import unittest

import yaml
from api_client import ApiError

import crd_cases as new
import crd_old_cases as old
import crd_workload_cases as more
from crd_cases import GONE

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
    ("v1beta1", "ClusterQueue"): old.CLUSTER_QUEUE,
    ("v1beta1", "Cohort"): old.COHORT,
    ("v1beta1", "LocalQueue"): old.LOCAL_QUEUE,
    ("v1beta1", "Workload"): old.WORKLOAD,
    ("v1beta1", "ResourceFlavor"): old.FLAVOR,
    ("v1beta1", "Topology"): old.TOPOLOGY,
    ("v1beta1", "AdmissionCheck"): old.ADMISSION_CHECK,
    ("v1beta1", "WorkloadPriorityClass"): old.PRIORITY_CLASS,
    ("v1beta1", "MultiKueueConfig"): old.MULTIKUEUE_CONFIG,
    ("v1beta1", "MultiKueueCluster"): old.MULTIKUEUE_CLUSTER,
    ("v1beta1", "ProvisioningRequestConfig"): old.PROVISIONING,
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


class CrdCase(unittest.TestCase):
    """Offers the full objects and what the API server says to changed ones."""

    cluster = None  # set by the module before its tests run
    version = "v1beta2"

    @classmethod
    def setUpClass(cls):
        cls.api = cls.cluster.api
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

    @staticmethod
    def collection(item):
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

    def store_workload(self, name, reserved, **spec):
        """Stores a Workload with or without quota; a field of `spec` that is None is left out."""
        item = copy.deepcopy(self.full[self.version, "Workload"])
        item["spec"] |= spec
        for field in [key for key, value in item["spec"].items() if value is None]:
            del item["spec"][field]
        state = str(reserved)
        item["status"] = {
            "admission": {"clusterQueue": "queue", "podSetAssignments": [{"name": "main"}]},
            "conditions": [
                new.condition_of(0) | {"type": kind, "status": state}
                for kind in ("QuotaReserved", "Admitted")
            ],
        }
        return self.store(item, name)

    def filled(self, kind, spec, version=None):
        """The spec with what the API server adds to it."""
        version = version or self.version
        item = self.named({"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind}, "default")
        if spec is not None:
            item["spec"] = spec
        return self.api.create(self.collection(item) + "?dryRun=All", item).get("spec")

    def assert_change(self, stored, path, value, message=None):
        """A change of the stored object is refused with the message, or accepted without one."""
        reason = self.refusal(changed(stored, path, value), stored, path.startswith("status"))
        if message is None:
            self.assertIsNone(reason, f"{path} = {value}")
        else:
            self.assertIn(message, reason or "accepted", f"{path} = {value}")

    def run_cases(self, version, kind):
        """Asks for every case of the kind."""
        full = self.full[version, kind]
        self.assertIsNone(self.refusal(full), "the full object itself")
        stored = self.store(full, "stored") if "status" in full else None
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
