"""Kinds of jobs that users describe, of the configuration and of a ConfigMap, on the real API
server: the files of examples/07_own_kind, and a second kind like it."""

import json

from api_client import ApiError

from case import SOON, ClusterCase, shared_cluster
from cluster import ROOT, wait_until
from invariants import condition
from objects import QUEUE_LABEL
from webhook_test import CONFIGURATIONS, MANIFEST

EXAMPLE = ROOT / "examples/07_own_kind"
GROUP = "/apis/science.example/v1alpha1"
CONFIG_MAPS = "/api/v1/namespaces/kueue-system/configmaps"
PODS = {"spec": {"containers": [{"name": "main", "image": "main",
                                 "resources": {"requests": {"cpu": "1"}}}]}}  # fmt: skip
TRIAL = {
    "apiVersion": "science.example/v1alpha1",
    "kind": "Trial",
    "suspend": {"path": "spec.suspend"},
    "podSets": [{"at": "spec", "name": "main", "replicas": "size", "template": "pod"}],
    "active": {"path": "status.phase", "in": ["Running"]},
    "finished": {
        "succeeded": {"path": "status.phase", "in": ["Done"]},
        "failed": {"path": "status.phase", "in": ["Broken"]},
    },
}


def as_trial(name):
    """The text of one of the example's files, for the other kind."""
    text = (EXAMPLE / name).read_text()
    for old, new in (("experiment", "trial"), ("Experiment", "Trial")):
        text = text.replace(old, new)
    return text


class OwnKindTest(ClusterCase):
    @classmethod
    def setUpClass(cls):
        cluster, controller = shared_cluster()
        for name in ("1-definition.yaml", "2-rights.yaml"):
            cluster.apply_file(EXAMPLE / name)
            cluster.plane.kubectl("apply", "-f", "-", stdin=as_trial(name))
        for plural in ("experiments", "trials"):
            wait_until(lambda: cls.is_served(cluster, plural), SOON, f"{plural} are served")
        cluster.plane.kubectl("apply", "-f", MANIFEST)
        for path in CONFIGURATIONS:
            cls.addClassCleanup(cluster.api.delete, path)
        for kind in ("mutating", "validating"):
            name = f"kueue-{kind}-webhook-configuration"
            for text in ((EXAMPLE / f"webhook-{kind}.yaml").read_text(),
                         as_trial(f"webhook-{kind}.yaml")):  # fmt: skip
                cluster.plane.kubectl(
                    "patch", f"{kind}webhookconfiguration", name, "--type", "strategic", "-p", text
                )
        controller.stop()
        integrations = {"frameworks": ["batch/job"], "jobKinds": [TRIAL]}
        controller.configuration = {"integrations": integrations}
        controller.start()
        cls.addClassCleanup(cls.put_back, controller)

    @staticmethod
    def is_served(cluster, plural):
        try:
            return cluster.api.get(f"{GROUP}/{plural}?limit=1")
        except ApiError as error:
            if error.code in (404, 429, 503):
                return None
            raise

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

    def clean_up(self):
        self.cluster.api.delete(f"{CONFIG_MAPS}/science-job-kinds")
        for plural in ("experiments", "trials"):
            for item in self.cluster.api.get(self.path(plural))["items"]:
                self.cluster.api.delete(self.path(plural, item["metadata"]["name"]))
        # The garbage collector may not know the kinds yet.
        for item in self.history.all("workloads", self.space):
            self.cluster.api.delete(
                self.cluster.path_of("workloads", item["metadata"]["name"], self.space)
            )
        super().clean_up()

    def path(self, plural, name=None):
        path = f"{GROUP}/namespaces/{self.space}/{plural}"
        return f"{path}/{name}" if name else path

    def create(self, kind, name, queue, **spec):
        return self.cluster.api.create(
            self.path(f"{kind.lower()}s"),
            {
                "apiVersion": "science.example/v1alpha1",
                "kind": kind,
                "metadata": {
                    "name": name,
                    "namespace": self.space,
                    "labels": {QUEUE_LABEL: queue},
                },
                "spec": spec,
            },
        )

    def experiment(self, name, queue, size=1):
        groups = [{"id": "left", "size": size, "podsEach": 1, "pod": PODS}]
        return self.create("Experiment", name, queue, driver={"pod": PODS}, groups=groups)

    def trial(self, name, queue, size=1):
        return self.create("Trial", name, queue, size=size, pod=PODS)

    def spec(self, plural, name):
        return self.cluster.api.get(self.path(plural, name))["spec"]

    def is_held(self, name):
        return self.spec("experiments", name).get("state") == "Held"

    def wait_go(self, name):
        self.wait_api(lambda: self.spec("experiments", name).get("state") == "Go", f"{name} runs")

    def wait_api(self, condition, what):
        wait_until(condition, SOON, what)

    def set_phase(self, plural, name, phase):
        self.cluster.api.patch(f"{self.path(plural, name)}/status", {"status": {"phase": phase}})

    def workload_of(self, kind, name):
        for item in self.history.all("workloads", self.space):
            for owner in item["metadata"].get("ownerReferences", []):
                if owner["kind"] == kind and owner["name"] == name:
                    return item
        return None

    def wait_condition(self, kind, name, what, status, reason):
        def shows():
            found = condition(self.workload_of(kind, name) or {}, what)
            return (found.get("status"), found.get("reason")) == (status, reason)

        self.wait(shows, f"{what} of {name} is {status}, {reason}")

    def describe(self, text=None):
        """The ConfigMap of the example, or with another text of its key."""
        self.cluster.apply_file(EXAMPLE / "config-map.yaml")
        if text is not None:
            self.cluster.api.patch(f"{CONFIG_MAPS}/science-job-kinds", {"data": text})

    def wait_told(self, reason, part):
        def is_told():
            events = self.cluster.api.get("/apis/events.k8s.io/v1/namespaces/kueue-system/events")
            return any(
                event["regarding"].get("kind") == "ConfigMap"
                and event.get("reason") == reason
                and part in event.get("note", "")
                for event in events["items"]
            )

        self.wait_api(is_told, f"an event {reason} says {part!r}")

    def test_kinds_of_the_configuration_and_of_a_config_map_are_queued(self):
        queue = self.make_queue(4)
        # Nothing describes it yet: its webhook lets it be.
        early = self.experiment("early", queue)
        self.assertNotIn("state", early["spec"])
        self.describe()
        self.wait_told("JobKindDescribed", "experiment: jobs of science.example/v1alpha1")
        self.wait_go("early")
        trial = self.trial("trial", queue, size=2)
        self.assertIs(trial["spec"]["suspend"], True)
        self.wait_api(
            lambda: self.spec("trials", "trial")["suspend"] is False, "the trial is started"
        )
        tier = {"tier": "on-demand"}
        self.assertEqual(self.spec("trials", "trial")["pod"]["spec"]["nodeSelector"], tier)
        driver = self.spec("experiments", "early")["driver"]["pod"]
        self.assertEqual(driver["spec"]["nodeSelector"], tier)
        self.assertEqual(driver["metadata"]["labels"]["kueue.x-k8s.io/podset"], "driver")
        self.wait_usage(queue, 4)

        late = self.experiment("late", queue)
        self.assertEqual(late["spec"]["state"], "Held")
        self.wait(lambda: self.workload_of("Experiment", "late"), "it has a Workload")
        self.wait_quiet(lambda: self.is_held("late"), "there is no quota for it")
        self.set_phase("trials", "trial", "Running")
        self.set_phase("trials", "trial", "Done")
        self.wait_condition("Trial", "trial", "Finished", "True", "Succeeded")
        self.wait_go("late")
        self.set_phase("experiments", "early", "Broken")
        self.wait_condition("Experiment", "early", "Finished", "True", "Failed")
        self.set_phase("experiments", "late", "Done")
        self.wait_condition("Experiment", "late", "Finished", "True", "Succeeded")
        self.wait_usage(queue, 0)

    def test_a_description_is_changed_broken_and_taken_back(self):
        queue = self.make_queue(2)
        self.describe()
        self.wait_told("JobKindDescribed", "experiment: jobs of science.example/v1alpha1")
        self.experiment("first", queue)
        self.wait_go("first")
        self.set_phase("experiments", "first", "Running")
        text = json.dumps(TRIAL)
        self.describe({"experiment": "kind: Experiment", "trial": text})
        self.wait_told("InvalidJobKind", "experiment: apiVersion:")
        self.wait_told("DuplicateJobKind", "trial: kind: Trial of science.example is described")
        waiting = self.experiment("second", queue)
        self.assertEqual(waiting["spec"]["state"], "Held")
        self.wait(lambda: self.workload_of("Experiment", "second"), "the last good one is in force")

        self.cluster.api.delete(f"{CONFIG_MAPS}/science-job-kinds")
        self.wait_condition(
            "Experiment", "second", "QuotaReserved", "False", "JobKindNotDescribed"
        )
        alone = self.experiment("third", queue)
        self.assertNotIn("state", alone["spec"])
        self.assertEqual(self.spec("experiments", "first")["state"], "Go")
        self.wait_usage(queue, 2)
        self.set_phase("experiments", "first", "Done")
        self.wait_condition("Experiment", "first", "Finished", "True", "Succeeded")
        self.wait_usage(queue, 0)
        self.wait_quiet(lambda: self.is_held("second"), "nobody starts it")

        self.describe()
        self.wait_go("second")
