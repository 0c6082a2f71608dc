"""What the API server refuses while Sluice's webhooks answer: each rule of a ClusterQueue, a
Workload, a Job, other kinds of jobs and the others, with the field, the cause and the words of the
refusal, and the nearest object that is accepted. The rules are the files of refusals/;
`write_case` says how to read them.

The objects that a change begins with are stored before there are webhooks. All else is a dry run
(the webhooks have no side effects), so nothing of a case stays for the next one, and no reconciler
runs that could change what is stored.
"""

import collections
import copy
import json
import pathlib
import re
import unittest

import yaml
from api_client import ApiError

from cluster import ROOT, Cluster, wait_until
from history import KUEUE
from objects import PRIORITY_LABEL, QUEUE_LABEL, job, kueue, local_queue, namespace

FILES = sorted(pathlib.Path(__file__).with_name("refusals").glob("*.yaml"))
MANIFEST = ROOT / "examples/deploy/webhooks.yaml"
HOOKS = "/apis/admissionregistration.k8s.io/v1"
SPACE = "refusals"
WITH_DEFAULT = "refusals-with-default"  # has a LocalQueue `default`
DRY = "?dryRun=All&fieldValidation=Strict"
# Kinds of other projects, whose definitions check nothing here.
JOB_KINDS = {
    "AppWrapper": "workload.codeflare.dev/v1beta2",
    "JAXJob": "kubeflow.org/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "MPIJob": "kubeflow.org/v2beta1",
    "PaddleJob": "kubeflow.org/v1",
    "PyTorchJob": "kubeflow.org/v1",
    "RayCluster": "ray.io/v1",
    "RayJob": "ray.io/v1",
    "RayService": "ray.io/v1",
    "SparkApplication": "sparkoperator.k8s.io/v1beta2",
    "TFJob": "kubeflow.org/v1",
    "TrainJob": "trainer.kubeflow.org/v1alpha1",
    "XGBoostJob": "kubeflow.org/v1",
}
RUNTIMES = {
    "ClusterTrainingRuntime": "trainer.kubeflow.org/v1alpha1",
    "TrainingRuntime": "trainer.kubeflow.org/v1alpha1",
}
VERSIONS = JOB_KINDS | RUNTIMES | {"Job": "batch/v1"}
CLUSTER_SCOPED = {"AdmissionCheck", "ClusterQueue", "Cohort", "MultiKueueCluster",
                  "MultiKueueConfig", "ProvisioningRequestConfig", "ResourceFlavor", "Topology",
                  "WorkloadPriorityClass", "ClusterTrainingRuntime"}  # fmt: skip
FRAMEWORKS = ["batch/job"] + [
    f"{version.partition('/')[0]}/{kind.lower()}" for kind, version in JOB_KINDS.items()
]
GATES = "PriorityBoost=true,SparkApplicationIntegration=true"
GONE = "GONE"  # in a file: the field is removed
STEP = re.compile(r"\.?([^.\[\]]+)|\[([^\]]+)\]")

# What the API server adds where the schema refuses before its rules (CEL) are asked.
UNCHECKED = "some validation rules were not checked because the object was invalid"

# apimachinery's sentences, which the files name in angle brackets.
LABEL_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
SENTENCES = {
    "<NAME PART>": "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
    f"regex used for validation is '{LABEL_NAME}')",
    "<LABEL VALUE>": "a valid label must be an empty string or consist of alphanumeric characters, "
    "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
    f"'my_value',  or '12345', regex used for validation is '({LABEL_NAME})?')",
    "<SUBDOMAIN>": "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
    "'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
}


def steps_of(path):
    """`a.b[0].labels[x.io/y]` as ["a", "b", 0, "labels", "x.io/y"]."""
    for name, key in STEP.findall(path):
        yield int(key) if key.isdigit() else name or key


def changed(item, changes):
    """A copy of the object with other values at some paths; parts that are missing are made."""
    result = copy.deepcopy(item)
    for path, value in changes.items():
        *way, last = steps_of(path)
        place = result
        for step in way:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        if value == GONE:
            place.pop(last)
        elif isinstance(place, list) and last == len(place):
            place.append(copy.deepcopy(value))
        else:
            place[last] = copy.deepcopy(value)
    return result


def spoken(text):
    for name, sentence in SENTENCES.items():
        text = text.replace(name, sentence)
    return text


def pattern_of(text):
    """What matches the text; `…` in it stands for a value that is too long to be read."""
    return ".*".join(re.escape(part) for part in text.split("…"))


def collection(item):
    space = item["metadata"].get("namespace")
    group = f"/apis/{VERSIONS[item['kind']]}" if item["kind"] in VERSIONS else KUEUE
    plural = {"Topology": "topologies"}.get(item["kind"], item["kind"].lower() + "s")
    plural = plural.replace("classs", "classes")
    return f"{group}/namespaces/{space}/{plural}" if space else f"{group}/{plural}"


def definition(kind, version):
    """The definition of a kind of another project."""
    group, _, version = version.partition("/")
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"name": version, "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            # Groups of Kubernetes' own projects need it.
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Cluster" if kind in CLUSTER_SCOPED else "Namespaced",
            "versions": [served | {"schema": {"openAPIV3Schema": schema}}],
        },
    }


def training_runtime(kind, name, space=None):
    """A runtime of one replicated Job, `node`."""
    pod = {"spec": {"containers": [{"name": "node", "image": "work"}]}}
    job = {"name": "node", "replicas": 1, "template": {"spec": {"template": pod}}}
    metadata = {"name": name} | ({"namespace": space} if space else {})
    return {
        "apiVersion": VERSIONS[kind],
        "kind": kind,
        "metadata": metadata,
        "spec": {"template": {"spec": {"replicatedJobs": [job]}}},
    }


def read_cases():
    """(kind, case) of all files; a case knows its base."""
    for file in FILES:
        for section in yaml.safe_load_all(file.read_text()):
            section = json.loads(json.dumps(section))  # so that aliases share nothing
            for case in section["cases"]:
                yield section["kind"], case | {"base": section["base"]}


def first_object(api, kind, case, name):
    """What a case begins with: an object that is to be created, or a stored one."""
    item = {
        "apiVersion": VERSIONS.get(kind, "kueue.x-k8s.io/v1beta2"),
        "kind": kind,
        "metadata": {"name": name},
    }
    if kind not in CLUSTER_SCOPED:
        item["metadata"]["namespace"] = case.get("namespace", SPACE)
    for key, value in copy.deepcopy(case["base"]).items():
        item[key] = item[key] | value if key == "metadata" else value
    if "stored" not in case:
        return item
    item = changed(item, case["stored"])
    stored = api.create(collection(item), item)
    if kind not in VERSIONS and "status" in item:
        path = f"{collection(item)}/{name}/status"
        stored = api.replace(path, stored | {"status": item["status"]})
    return stored


def write_case(api, case, *steps):
    """Creates the object, or replaces the stored one, so changed; or only tries to."""
    item = case["object"]
    for changes in steps:
        item = changed(item, changes)
    if "stored" not in case:
        return api.create(collection(item) + DRY, item)
    is_status = any(path.startswith("status") for changes in steps for path in changes)
    if item["kind"] == "Job":
        # The Job controller writes too.
        del item["metadata"]["resourceVersion"]
    part = "/status" if is_status else ""
    return api.replace(f"{collection(item)}/{item['metadata']['name']}{part}{DRY}", item)


class RefusalsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(nodes=False)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.api = cls.cluster.api
        cls.cluster.apply(namespace(SPACE), namespace(WITH_DEFAULT))
        cls.add_job_kinds()
        cls.cluster.apply(local_queue("default", WITH_DEFAULT, "any"))
        cls.parent = job("parent", WITH_DEFAULT, "team")
        cls.parent = cls.api.create(collection(cls.parent), cls.parent)
        cls.cases = collections.defaultdict(list)
        for number, (kind, case) in enumerate(read_cases()):
            cls.cases[kind].append(case)
            case["object"] = first_object(cls.api, kind, case, f"case-{number}")
        # It publishes its address when it starts.
        cls.cluster.plane.kubectl("apply", "-f", MANIFEST)
        cls.controller = cls.cluster.add_controller()
        # None that would change the stored objects.
        cls.controller.arguments = ["--controllers=cohort", f"--feature-gates={GATES}"]
        cls.controller.configuration["integrations"] = {"frameworks": FRAMEWORKS}
        cls.controller.start()
        wait_until(cls.is_published, 30, "both configurations name the webhook")
        wait_until(cls.is_defaulted, 30, "the webhooks know the default queue")

    @classmethod
    def add_job_kinds(cls):
        cls.cluster.plane.kubectl("apply", "-f", ROOT / "examples/deploy/job-kinds")
        kinds = JOB_KINDS | RUNTIMES
        cls.cluster.apply(*(definition(kind, version) for kind, version in kinds.items()))
        for kind, version in kinds.items():
            path = f"/apis/{version}/{kind.lower()}s?limit=1"
            wait_until(lambda path=path: cls.is_served(path), 30, f"{path} is served")
        for item in (
            training_runtime("ClusterTrainingRuntime", "torch"),
            training_runtime("TrainingRuntime", "own", SPACE),
        ):
            cls.api.create(collection(item), item)

    @classmethod
    def is_served(cls, path):
        try:
            return cls.api.get(path)
        except ApiError as error:
            if error.code in (404, 429, 503):
                return None
            raise

    @classmethod
    def is_published(cls):
        hooks = [
            hook
            for kind in ("mutating", "validating")
            for hook in cls.api.get(
                f"{HOOKS}/{kind}webhookconfigurations/kueue-{kind}-webhook-configuration"
            )["webhooks"]
        ]
        start = f"https://127.0.0.1:{cls.controller.webhook_port}/"
        return all(hook["clientConfig"].get("url", "").startswith(start) for hook in hooks)

    @classmethod
    def is_defaulted(cls, label=QUEUE_LABEL):
        made = cls.made(cls.unsuspended(space=WITH_DEFAULT))
        return label in made["metadata"].get("labels", {})

    @staticmethod
    def unsuspended(queue=None, space=SPACE, annotations=None, owner=None, labels=None):
        """A Job that would run at once."""
        item = job("new", space, queue)
        item["spec"]["suspend"] = False
        item["metadata"]["labels"] = ({QUEUE_LABEL: queue} if queue else {}) | (labels or {})
        item["metadata"]["annotations"] = annotations or {}
        if owner:
            item["metadata"]["ownerReferences"] = [owner | {"controller": True}]
        return item

    @classmethod
    def made(cls, item):
        """The object as the API server would store it."""
        return cls.api.create(collection(item) + DRY, item)

    def check_webhook(self, case, error):
        expected = case["webhook"]
        if isinstance(expected, list):
            expected = f"[{', '.join(expected)}]"
        name = f"v{case['object']['kind'].lower()}.kb.io"
        name = case.get("hook", name)
        text = f'admission webhook "{name}" denied the request: {spoken(expected)}'
        self.assertEqual((error.code, error.reason), (403, "Forbidden"), error.message)
        self.assertRegex(error.message, f"^{pattern_of(text)}$")
        self.assertNotIn("causes", error.status.get("details", {}))

    def check_schema(self, case, error):
        expected = case["schema"]
        expected = expected if isinstance(expected, list) else [expected]
        self.assertEqual((error.code, error.reason), (422, "Invalid"), error.message)
        causes = error.status["details"]["causes"]
        told = [
            (each["field"], each["reason"], each["message"])
            for each in causes
            if UNCHECKED not in each["message"]
        ]
        wanted = [(each["field"], each["reason"], spoken(each["message"])) for each in expected]
        self.assertEqual(told, wanted)

    def check_case(self, case):
        neighbour = case.get("with") or {}
        try:
            write_case(self.api, case, neighbour)
        except ApiError as error:
            self.fail(f"the neighbour is refused: {error.message}")
        if "but" not in case:
            return
        with self.assertRaises(ApiError) as caught:
            write_case(self.api, case, neighbour, case["but"])
        if "webhook" in case:
            self.check_webhook(case, caught.exception)
        else:
            self.check_schema(case, caught.exception)

    def check_sizes(self, good, bad, refusal):
        """Groups of so many resources and flavors."""

        def queue(sizes):
            groups = []
            for resources, flavors in sizes:
                start = 100 * len(groups)
                names = [f"r{start + n}" for n in range(resources)]
                quotas = [{"name": name, "nominalQuota": 1} for name in names]
                each = [{"name": f"f{start + n}", "resources": quotas} for n in range(flavors)]
                groups.append({"coveredResources": names, "flavors": each})
            return kueue("ClusterQueue", "large", {"resourceGroups": groups})

        self.made(queue(good))
        with self.assertRaises(ApiError) as caught:
            self.made(queue(bad))
        self.assertEqual(
            caught.exception.message,
            f'admission webhook "vclusterqueue.kb.io" denied the request: {refusal}',
        )

    def test_a_queue_is_not_too_large(self):
        path = "spec.resourceGroups"
        across = "across all resourceGroups must be ≤ 256, got 257"
        self.check_sizes(
            [(1, 64)] * 4,
            [(1, 64)] * 4 + [(1, 1)],
            f"{path}: Invalid value: 257: total number of flavors {across}",
        )
        self.check_sizes(
            [(64, 1)] * 4,
            [(64, 1)] * 4 + [(1, 1)],
            f"{path}: Invalid value: 257: total number of covered resources {across}",
        )
        self.check_sizes(
            [(8, 64)],
            [(9, 57)],
            f"{path}[0]: Invalid value: 513: number of flavor-resource combinations in a "
            "resourceGroup must be ≤ 512, got 513",
        )

    def test_a_managed_job_is_made_suspended(self):
        for what, item, is_suspended in (
            ("with a queue", self.unsuspended("team"), True),
            ("without", self.unsuspended(), False),
            ("of a namespace that is not managed", self.unsuspended("team", "kube-system"), False),
            ("with a default queue", self.unsuspended(space=WITH_DEFAULT), True),
        ):
            with self.subTest(what):
                self.assertEqual(self.made(item)["spec"]["suspend"], is_suspended)

    def test_a_default_queue_is_of_those_that_name_none(self):
        parent = {"apiVersion": "batch/v1", "kind": "Job", "name": "parent"}
        parent["uid"] = self.parent["metadata"]["uid"]
        other = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "uid": "set"}
        for what, given, owner, queue, is_suspended in (
            ("none", None, None, "default", True),
            ("its own", "team", None, "team", True),
            ("below a managed job", None, parent, None, False),
            ("its own below a managed job", "team", parent, "team", False),
            ("below another object", None, other, "default", True),
        ):
            with self.subTest(what):
                made = self.made(self.unsuspended(given, WITH_DEFAULT, owner=owner))
                labels = made["metadata"].get("labels", {})
                self.assertEqual(labels.get(QUEUE_LABEL), queue)
                self.assertEqual(made["spec"]["suspend"], is_suspended)
        path = f"{KUEUE}/namespaces/{WITH_DEFAULT}/localqueues/default"
        self.api.patch(path, {"spec": {"stopPolicy": "Hold"}})
        try:
            wait_until(lambda: not self.is_defaulted(), 30, "a stopped queue is no default")
        finally:
            self.api.patch(path, {"spec": {"stopPolicy": "None"}})
            wait_until(self.is_defaulted, 30, "a resumed queue is the default")

    def test_a_default_class_is_of_those_that_name_none(self):
        self.cluster.apply(kueue("WorkloadPriorityClass", "default") | {"value": 1})
        try:
            wait_until(lambda: self.is_defaulted(PRIORITY_LABEL), 30, "the class is known")
            named = self.unsuspended("team", labels={PRIORITY_LABEL: "high"})
            self.assertEqual(self.made(named)["metadata"]["labels"][PRIORITY_LABEL], "high")
        finally:
            self.api.delete(f"{KUEUE}/workloadpriorityclasses/default")
        wait_until(lambda: not self.is_defaulted(PRIORITY_LABEL), 30, "the class is gone")

    def test_pods_of_an_elastic_job_are_gated(self):
        elastic = {"kueue.x-k8s.io/elastic-job": "true"}
        gate = {"name": "kueue.x-k8s.io/elastic-job"}
        for queue, annotations, gates in (
            ("team", elastic, [gate]),
            ("team", {}, None),
            (None, elastic, None),
        ):
            made = self.made(self.unsuspended(queue, annotations=annotations))
            self.assertEqual(made["spec"]["template"]["spec"].get("schedulingGates"), gates)

    def test_queues_and_flavors_are_held_from_the_start(self):
        finalizer = "kueue.x-k8s.io/resource-in-use"
        for kind in ("ClusterQueue", "ResourceFlavor"):
            for others in ([], ["example.com/x"], [finalizer]):
                item = kueue(kind, "new", {})
                item["metadata"]["finalizers"] = others
                made = self.made(item)["metadata"]["finalizers"]
                self.assertEqual(sorted(made), sorted({*others, finalizer}))

    def test_a_least_count_is_dropped_where_partial_admission_is_off(self):
        template = {"spec": {"containers": [{"name": "work"}]}}
        spec = {"podSets": [{"count": 2, "minCount": 1, "template": template}]}
        item = kueue("Workload", "new", spec, SPACE)
        self.assertEqual(self.made(item)["spec"]["podSets"][0]["minCount"], 1)
        arguments = self.controller.arguments
        self.controller.stop()
        gates = f"--feature-gates={GATES},PartialAdmission=false"
        self.controller.arguments = [arguments[0], gates]
        try:
            self.controller.start()
            self.assertNotIn("minCount", self.made(item)["spec"]["podSets"][0])
        finally:
            self.controller.stop()
            self.controller.arguments = arguments
            self.controller.start()
            wait_until(self.is_defaulted, 30, "the webhooks know the default queue")

    def test_a_rule_stands_for_one_value(self):
        """The neighbour differs in nothing else, unless the case says why."""
        for kind, cases in self.cases.items():
            for case in cases:
                if len(case.get("but", "x")) != 1:
                    self.assertIn("because", case, f"{kind}: {case['rule']}")


def add_tests():
    for kind in sorted({kind for kind, _ in read_cases()}):

        def test(self, kind=kind):
            for case in self.cases[kind]:
                with self.subTest(case["rule"]):
                    self.check_case(case)

        setattr(RefusalsTest, f"test_{kind}", test)


add_tests()
