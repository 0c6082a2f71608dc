"""Every kind of jobs that Sluice describes, with the definition that its project publishes: the
samples of test/controller/job_kinds go through their lives on the real API server. The test writes
the statuses that the kind's own controller would write."""

import copy
import gzip
import json
import pathlib
import re
import unittest

import yaml
from api_client import ApiError

from case import GONE, SOON
from cluster import ROOT, Cluster, wait_until
from history import KUEUE
from invariants import condition
from objects import flavor, kueue, local_queue, namespace

DEFINITIONS = pathlib.Path(__file__).with_name("definitions")
SAMPLES = {
    file.stem: yaml.safe_load(file.read_text())
    for file in sorted((ROOT / "test/controller/job_kinds").glob("*.yaml"))
    # Its definition is published nowhere; own_kind_test.py has it.
    if file.stem != "user_defined"
}
SPACE = "team"
QUEUE = f"{KUEUE}/clusterqueues/cq"
RESOURCES = ["cpu", "memory"]
ROOM = {
    "coveredResources": RESOURCES,
    "flavors": [
        {
            "name": "on-demand",
            "resources": [{"name": name, "nominalQuota": "1Ti"} for name in RESOURCES],
        }
    ],
}
WORKLOADS = f"{KUEUE}/namespaces/{SPACE}/workloads"
CONFIGURATIONS = [
    f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/"
    f"kueue-{kind}-webhook-configuration"
    for kind in ("mutating", "validating")
]
# What definitions want of every condition.
CONDITION = {"lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "Played", "message": ""}
CLUSTER_SCOPED = {"ClusterTrainingRuntime"}
# A name, a name in brackets and quotes, or an index.
STEP = re.compile(r"\['([^']+)'\]|\[(\d+)\]|([^.\[\]]+)")


def find(item, path):
    """The value at a path such as `spec.groups[0].pod`, or None."""
    for key, index, name in STEP.findall(path):
        step = int(index) if index else key or name
        if isinstance(item, list):
            item = item[step] if step < len(item) else None
        else:
            item = (item or {}).get(step)
    return item


def collection(item):
    plural = f"{item['kind'].lower()}s"
    where = "" if item["kind"] in CLUSTER_SCOPED else f"/namespaces/{SPACE}"
    return f"/apis/{item['apiVersion']}{where}/{plural}"


def name_of(file):
    """Names of some pod sets begin with that of the object; of some kinds there are two files."""
    return "sample" + file.partition("_")[2].replace("_", "-")


class Story:
    """The life of one object of a sample."""

    def __init__(self, api, sample, name):
        self.api, self.sample = api, sample
        self.object = copy.deepcopy(sample["object"])
        self.object["metadata"]["name"] = name
        self.path = f"{collection(self.object)}/{name}"

    def create(self):
        self.uid = self.api.create(collection(self.object), self.object)["metadata"]["uid"]

    def now(self):
        return self.api.get(self.path)

    def workload(self):
        items = self.api.get(WORKLOADS)["items"]
        owned = [
            each
            for each in items
            for owner in each["metadata"].get("ownerReferences", [])
            if owner["uid"] == self.uid
        ]
        assert len(owned) < 2, f"{len(owned)} Workloads of {self.path}"
        return owned[0] if owned else None

    def condition(self, kind):
        return condition(self.workload() or {}, kind)

    def is_suspension(self, wanted):
        return find(self.now(), self.sample["suspend"]) in wanted

    def is_held(self):
        return self.is_suspension([self.sample.get("suspended", True)])

    def is_started(self):
        return self.is_suspension([self.sample.get("running", False), None])

    def play(self, status):
        status = copy.deepcopy(status)
        if "conditions" in status:
            status["conditions"] = [CONDITION | each for each in status["conditions"]]
        self.api.patch(f"{self.path}/status", {"status": status})

    def set_active(self, value):
        name = self.workload()["metadata"]["name"]
        self.api.patch(f"{WORKLOADS}/{name}", {"spec": {"active": value}})

    def selectors(self):
        """The node selector of each pod set as the kind's controller reads it."""
        now = self.now()
        found = []
        for pod_set in self.sample["podSets"]:
            place = find(now, pod_set.get("injected", pod_set["template"])) or {}
            place = place.get("spec", place) if "injected" not in pod_set else place
            found.append(place.get("nodeSelector", {}))
        return found


class JobKindsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(nodes=False)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.api = cls.cluster.api
        cls.define_kinds()
        cls.cluster.apply(
            namespace(SPACE),
            flavor("on-demand", {"tier": "on-demand"}),
            kueue("ClusterQueue", "cq", {"namespaceSelector": {}, "resourceGroups": [ROOM]}),
            local_queue("main", SPACE, "cq"),
        )
        for sample in SAMPLES.values():
            for other in sample.get("others", []):
                cls.api.create(collection(other), other)
        cls.cluster.plane.kubectl("apply", "-f", ROOT / "examples/deploy/webhooks.yaml")
        cls.controller = cls.cluster.add_controller()
        cls.controller.arguments = ["--feature-gates=SparkApplicationIntegration=true"]
        cls.controller.configuration["integrations"] = {"frameworks": cls.frameworks()}
        cls.controller.start()
        wait_until(cls.is_published, SOON, "both configurations name the webhook")

    @classmethod
    def define_kinds(cls):
        cls.cluster.plane.kubectl("apply", "-f", ROOT / "examples/deploy/job-kinds")
        paths = []
        for file in sorted(DEFINITIONS.glob("*.json.gz")):
            definition = json.loads(gzip.decompress(file.read_bytes()))
            cls.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
            spec = definition["spec"]
            version = spec["versions"][0]["name"]
            paths.append(f"/apis/{spec['group']}/{version}/{spec['names']['plural']}?limit=1")
        for path in paths:
            wait_until(lambda path=path: cls.is_served(path), SOON, f"{path} is served")

    @classmethod
    def is_served(cls, path):
        try:
            return cls.api.get(path)
        except ApiError as error:
            if error.code in (404, 429, 503):
                return None
            raise

    @staticmethod
    def frameworks():
        kinds = {(s["object"]["apiVersion"], s["object"]["kind"]) for s in SAMPLES.values()}
        names = {f"{version.partition('/')[0]}/{kind.lower()}" for version, kind in kinds}
        return ["batch/job", *sorted(names)]

    @classmethod
    def is_published(cls):
        start = f"https://127.0.0.1:{cls.controller.webhook_port}/"
        hooks = [hook for path in CONFIGURATIONS for hook in cls.api.get(path)["webhooks"]]
        return all(hook["clientConfig"].get("url", "").startswith(start) for hook in hooks)

    def wait(self, holds, what, seconds=SOON):
        wait_until(holds, seconds, what)

    def hold_queue(self, held):
        self.api.patch(QUEUE, {"spec": {"stopPolicy": "Hold" if held else "None"}})

    def wait_started(self, story):
        self.wait(story.is_started, f"{story.path} is started")
        for pod_set, selector in zip(story.sample["podSets"], story.selectors()):
            self.assertEqual(selector.get("tier"), "on-demand", pod_set["name"])

    def check_workload(self, story):
        self.wait(story.workload, f"{story.path} has a Workload")
        made = story.workload()
        pod_sets = [(each["name"], each["count"]) for each in made["spec"]["podSets"]]
        wanted = [(each["name"], each["count"]) for each in story.sample["podSets"]]
        self.assertEqual(pod_sets, wanted)
        self.assertEqual(made["metadata"]["labels"]["kueue.x-k8s.io/job-uid"], story.uid)

    def check_end(self, story, end, reason):
        story.play(story.sample[end]["status"])
        self.wait(lambda: story.condition("Finished").get("status") == "True", f"{end} is told")
        finished = story.condition("Finished")
        self.assertEqual(finished["reason"], reason)
        self.assertEqual(finished["message"], story.sample[end]["message"])

    def is_queue_empty(self):
        reserved = self.api.get(QUEUE)["status"]["flavorsReservation"]
        return {r["total"] for f in reserved for r in f["resources"]} == {"0"}

    def live(self, name, sample):
        """Held, started, evicted and restored, started again, done."""
        self.hold_queue(True)
        story = Story(self.api, sample, name)
        story.create()
        self.assertTrue(story.is_held(), "the webhook suspends it")
        self.check_workload(story)
        before = story.selectors()
        self.hold_queue(False)
        self.wait_started(story)
        story.play(sample["active"])
        story.set_active(False)
        self.wait(story.is_held, f"{story.path} is stopped")
        story.play(sample["stopped"])
        self.wait(lambda: story.selectors() == before, f"{story.path} is as its user wrote it")
        self.wait(
            lambda: story.condition("QuotaReserved").get("status") == "False", "quota is free"
        )
        story.set_active(True)
        self.wait_started(story)
        story.play(sample["ready"])
        if "succeeded" in sample:
            self.check_end(story, "succeeded", "Succeeded")

    def fail_one(self, name, sample):
        story = Story(self.api, sample, f"{name}-fails")
        story.create()
        self.wait(story.workload, f"{story.path} has a Workload")
        self.wait_started(story)
        story.play(sample["active"])
        self.check_end(story, "failed", "Failed")

    def test_every_kind_lives_with_its_published_definition(self):
        for file, sample in SAMPLES.items():
            name = name_of(file)
            with self.subTest(file):
                self.live(name, sample)
            if "failed" in sample:
                with self.subTest(file, ends="in failure"):
                    self.fail_one(name, sample)
        with self.subTest("afterwards nothing is left"):
            for sample in SAMPLES.values():
                for item in self.api.get(collection(sample["object"]))["items"]:
                    path = f"{collection(sample['object'])}/{item['metadata']['name']}"
                    self.api.delete(path, propagationPolicy="Background")
            self.wait(lambda: not self.api.get(WORKLOADS)["items"], "all Workloads are gone", GONE)
            self.wait(self.is_queue_empty, "nothing is reserved")
        self.controller.check()

    def kill_and_start(self, change=lambda: None):
        """The change is made while no controller runs, so that only the next one can find it."""
        self.controller.kill()
        change()
        self.controller.start()

    def test_every_kind_lives_while_the_controller_is_killed_at_each_stage(self):
        stories = [
            Story(self.api, sample, name_of(file)) for file, sample in SAMPLES.items()
        ]
        ends = [story for story in stories if "succeeded" in story.sample]

        def wait_all(holds, what):
            for story in stories:
                self.wait(lambda story=story: holds(story), f"{story.path} {what}")

        def play_all(name):
            for story in stories:
                story.play(story.sample[name])

        # Where a webhook has to answer, the kill follows the change at once; a status needs none.
        self.hold_queue(True)
        for story in stories:
            story.create()
        self.kill_and_start()
        for story in stories:
            self.check_workload(story)
        before = [story.selectors() for story in stories]
        self.kill_and_start()
        wait_all(Story.is_held, "is held")
        self.hold_queue(False)
        self.kill_and_start()
        for story in stories:
            self.wait_started(story)
        self.kill_and_start(lambda: play_all("ready"))
        wait_all(lambda story: story.condition("PodsReady").get("status") == "True", "is ready")
        for story in stories:
            story.set_active(False)
        self.kill_and_start()
        wait_all(Story.is_held, "is stopped")
        self.kill_and_start(lambda: play_all("stopped"))
        for story, selectors in zip(stories, before):
            self.wait(
                lambda story=story, selectors=selectors: story.selectors() == selectors,
                f"{story.path} is as its user wrote it",
            )
        wait_all(lambda story: story.condition("QuotaReserved").get("status") == "False", "waits")
        for story in stories:
            story.set_active(True)
        self.kill_and_start()
        for story in stories:
            self.wait_started(story)
            story.play(story.sample["ready"])
        self.kill_and_start(
            lambda: [story.play(story.sample["succeeded"]["status"]) for story in ends]
        )
        for story in ends:
            self.check_end(story, "succeeded", "Succeeded")
        self.kill_and_start(lambda: self.delete_all(stories))
        self.wait(lambda: not self.api.get(WORKLOADS)["items"], "all Workloads are gone", GONE)
        self.wait(self.is_queue_empty, "nothing is reserved")
        self.controller.check()

    def delete_all(self, stories):
        for story in stories:
            self.api.delete(story.path, propagationPolicy="Background")
