"""The harness itself, with the controller's part played by hand: that the record is whole, that the
fake kubelets and the real Job controller do theirs, and that a broken promise is found in it."""

import unittest

from api_client import JSON_PATCH, ApiError
from control_plane import wait_until

from case import FLAVORS, SOON
from cluster import SERVICE_ACCOUNT, Cluster
from history import DEFINITIONS, KUEUE, NotSeen
from invariants import find_violations, is_true
from objects import cluster_queue, job, kueue, local_queue, namespace

NOW = "2026-01-01T00:00:00Z"

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
SEEN = ("list", "watch")
# What is written is read again where the watch is late or the answer to the write was lost.
WRITTEN = ("get", *SEEN)
# What the controller does, and with it all that its account may do. Every other verb is refused.
RIGHTS = {
    "namespaces": SEEN,
    "limitranges": SEEN,
    "nodes": SEEN,
    "runtimeclasses.node.k8s.io": SEEN,
    "priorityclasses.scheduling.k8s.io": SEEN,
    "jobs.batch": (*WRITTEN, "delete", "patch"),
    "jobs.batch/status": ("patch",),
    "jobs.batch/finalizers": ("update",),
    "workloads.kueue.x-k8s.io": (*WRITTEN, "create", "patch", "delete"),
    "workloads.kueue.x-k8s.io/status": ("patch",),
    "clusterqueues.kueue.x-k8s.io": (*WRITTEN, "patch"),
    "clusterqueues.kueue.x-k8s.io/status": ("patch",),
    "admissionchecks.kueue.x-k8s.io": (*WRITTEN, "patch"),
    "admissionchecks.kueue.x-k8s.io/status": ("patch",),
    "resourceflavors.kueue.x-k8s.io": (*WRITTEN, "patch"),
    "cohorts.kueue.x-k8s.io": WRITTEN,
    "cohorts.kueue.x-k8s.io/status": ("patch",),
    "localqueues.kueue.x-k8s.io": WRITTEN,
    "localqueues.kueue.x-k8s.io/status": ("patch",),
    "topologies.kueue.x-k8s.io": (*WRITTEN, "patch"),
    "workloadpriorityclasses.kueue.x-k8s.io": SEEN,
    "events.events.k8s.io": ("create", "patch"),
    "tokenreviews.authentication.k8s.io": ("create",),
    "subjectaccessreviews.authorization.k8s.io": ("create",),
    "pods": (*WRITTEN, "patch"),
    "pods/status": ("patch",),
    # Nothing at all of what follows.
    "workloads.kueue.x-k8s.io/finalizers": (),
    "clusterqueues.kueue.x-k8s.io/finalizers": (),
    "admissionchecks.kueue.x-k8s.io/finalizers": (),
    "multikueueclusters.kueue.x-k8s.io": (),
    "multikueueclusters.kueue.x-k8s.io/status": (),
    "multikueueconfigs.kueue.x-k8s.io": (),
    "provisioningrequestconfigs.kueue.x-k8s.io": (),
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": (),
    "validatingwebhookconfigurations.admissionregistration.k8s.io": (),
    "customresourcedefinitions.apiextensions.k8s.io": (),
    "leases.coordination.k8s.io": (),
    "secrets": (),
    "configmaps": (),
    "serviceaccounts": (),
    "clusterrolebindings.rbac.authorization.k8s.io": (),
    "rolebindings.rbac.authorization.k8s.io": (),
}
# Read and patched under this one name; the rest is allowed whatever the name.
NAMED_RIGHTS = (
    ("leases.coordination.k8s.io", "c1f6bfd2.kueue.x-k8s.io", ("create",)),
    ("secrets", "kueue-webhook-server-cert", ("create",)),
    (
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "kueue-mutating-webhook-configuration",
        (),
    ),
    (
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
        "kueue-validating-webhook-configuration",
        (),
    ),
    ("customresourcedefinitions.apiextensions.k8s.io", "workloads.kueue.x-k8s.io", ()),
    ("customresourcedefinitions.apiextensions.k8s.io", "multikueueclusters.kueue.x-k8s.io", ()),
)


def conditions(**states):
    return [
        {
            "type": kind,
            "status": str(state),
            "reason": "ByHand",
            "message": "",
            "lastTransitionTime": NOW,
        }
        for kind, state in states.items()
    ]


class ByHand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.cluster.apply(namespace("hand"), *FLAVORS)

    def setUp(self):
        self.api, self.history = self.cluster.api, self.cluster.history
        self.queue = self.id().rpartition(".")[2].replace("_", "-")
        self.cluster.apply(
            cluster_queue(self.queue, 2), local_queue(self.queue, "hand", self.queue)
        )

    def submit(self, name):
        """A Job and its Workload, as the controller would make it."""
        self.cluster.apply(job(name, "hand", self.queue, parallelism=2))
        found = self.wait(lambda: self.history.get("jobs", "hand", name), f"Job {name}")
        pod_set = {"name": "main", "count": 2, "template": found["spec"]["template"]}
        pod_set["template"]["metadata"].pop("creationTimestamp", None)
        workload = kueue("Workload", name, {"queueName": self.queue, "podSets": [pod_set]}, "hand")
        workload["metadata"]["ownerReferences"] = [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": name,
                "uid": found["metadata"]["uid"],
                "controller": True,
            }
        ]
        self.api.create(f"{KUEUE}/namespaces/hand/workloads", workload)

    def set_status(self, name, status):
        path = self.cluster.path_of("workloads", name, "hand") + "/status"
        self.api.patch(path, {"status": status})

    def admit(self, name):
        assigned = {"name": "main", "count": 2, "flavors": {"cpu": "on-demand"}}
        assigned["resourceUsage"] = {"cpu": "2"}
        admission = {"clusterQueue": self.queue, "podSetAssignments": [assigned]}
        states = conditions(QuotaReserved=True, Admitted=True)
        self.set_status(name, {"admission": admission, "conditions": states})

    def job_path(self, name):
        return f"/apis/batch/v1/namespaces/hand/jobs/{name}"

    def start(self, name):
        self.api.patch(self.job_path(name), {"spec": {"suspend": False}})
        self.wait(lambda: len(self.cluster.running_pods_of("hand", name)) == 2, f"{name} runs")

    def wait(self, condition, what):
        return self.history.wait_until(condition, SOON, what)

    def new_violations(self, since):
        known = set(find_violations(since))
        return [each for each in find_violations(self.history.in_order()) if each not in known]

    def test_an_honest_life_is_recorded_whole_and_breaks_nothing(self):
        before = self.history.in_order()
        self.submit("honest")
        self.admit("honest")
        self.start("honest")
        self.cluster.end_job("hand", "honest")
        self.wait(
            lambda: is_true(self.history.get("jobs", "hand", "honest"), "Complete"), "complete"
        )
        states = conditions(QuotaReserved=True, Admitted=True, Finished=True)
        self.set_status("honest", {"conditions": states})
        self.wait(
            lambda: is_true(self.history.get("workloads", "hand", "honest"), "Finished"), "finished"
        )
        self.assertEqual(self.new_violations(before), [])

        # The last version recorded of each object is the one that the API server has.
        changes = [each for each in self.history.in_order() if each.key == ("hand", "honest")]
        self.assertEqual(
            [each.collection for each in changes if each.kind == "ADDED"], ["jobs", "workloads"]
        )
        current = self.api.get(self.job_path("honest"))["metadata"]["resourceVersion"]
        last = [each for each in changes if each.collection == "jobs"][-1]
        self.assertEqual(str(last.version), current)

    def test_nothing_is_missing_when_a_definition_changes(self):
        self.submit("watched")
        path = self.cluster.path_of("workloads", "watched", "hand")
        definition = f"{DEFINITIONS}/workloads.kueue.x-k8s.io"

        def change(number):
            try:
                return self.api.patch(path, {"metadata": {"labels": {"number": str(number)}}})
            except ApiError as error:
                if error.code in (404, 429, 503):  # its storage is being set up anew
                    return None
                raise

        made = []
        for number in range(40):
            if number % 10 == 0:
                column = "/spec/versions/0/additionalPrinterColumns/0/description"
                new = {"op": "add", "path": column, "value": f"changed {number}"}
                self.api.patch(definition, [new], JSON_PATCH)
            item = wait_until(lambda n=number: change(n), SOON, f"change {number} is taken")
            made.append(int(item["metadata"]["resourceVersion"]))
        self.history.catch_up()
        seen = [
            each.version
            for each in self.history.in_order()
            if each.collection == "workloads" and each.key == ("hand", "watched")
        ]
        self.assertEqual(seen[1:], made)  # the first is when it was created

    def test_a_lie_is_found_in_the_record(self):
        before = self.history.in_order()
        self.submit("early")
        self.start("early")
        self.admit("early")
        self.submit("greedy")
        self.admit("greedy")
        self.wait(
            lambda: is_true(self.history.get("workloads", "hand", "greedy"), "Admitted"), "admitted"
        )
        found = self.new_violations(before)
        self.assertEqual(len(found), 2, found)
        self.assertIn("jobs hand/early: started while no Workload of it was admitted", found[0])
        self.assertRegex(found[1], "hand/greedy: quota exceeded: ClusterQueue .* uses 4 cpu")

    def test_a_stopped_job_loses_its_pods(self):
        self.submit("stopped")
        self.admit("stopped")
        self.start("stopped")
        self.api.patch(self.job_path("stopped"), {"spec": {"suspend": True}})

        def is_stopped():
            status = self.history.get("jobs", "hand", "stopped").get("status", {})
            return not status.get("active") and not self.cluster.pods_of("hand", "stopped")

        self.wait(is_stopped, "no pod is active")

    def test_what_does_not_come_is_reported_with_its_name(self):
        with self.assertRaisesRegex(NotSeen, "not within 0.1 s: the moon"):
            self.history.wait_until(lambda: False, 0.1, "the moon")

    def test_the_controllers_account_has_its_rights_and_no_more(self):
        namespace, account = SERVICE_ACCOUNT
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
        groups.append("system:authenticated")

        def may(verb, resource, **attributes):
            full, _, subresource = resource.partition("/")
            plural, _, group = full.partition(".")
            asked = {"verb": verb, "resource": plural, "group": group} | attributes
            if subresource:
                asked["subresource"] = subresource
            user = f"system:serviceaccount:{namespace}:{account}"
            spec = {"user": user, "groups": groups, "resourceAttributes": asked}
            path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
            return self.api.create(path, {"spec": spec})["status"]["allowed"]

        for resource, granted in RIGHTS.items():
            for verb in VERBS:
                with self.subTest(f"{verb} {resource}"):
                    self.assertEqual(may(verb, resource, namespace="hand"), verb in granted)
        for verb in VERBS:
            with self.subTest(f"{verb} configmaps of its own namespace"):
                self.assertEqual(may(verb, "configmaps", namespace=namespace), verb in SEEN)
        for resource, name, others in NAMED_RIGHTS:
            is_global = resource.endswith(
                (".apiextensions.k8s.io", ".admissionregistration.k8s.io")
            )
            own = {} if is_global else {"namespace": namespace}
            for verb in VERBS:
                with self.subTest(f"{verb} {resource}", name=name):
                    is_granted = may(verb, resource, name=name, **own)
                    self.assertEqual(is_granted, verb in ("get", "patch", *others))
                    is_granted = may(verb, resource, name="another", **own)
                    self.assertEqual(is_granted, verb in others)
                    if not is_global:
                        self.assertFalse(may(verb, resource, name=name, namespace="hand"))
