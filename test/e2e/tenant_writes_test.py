"""What the API server refuses to a tenant by the policies of examples/deploy/tenant-writes.yaml, as
no controller runs: to be a part of a job by one's own word, and to leave what one is a part of."""

import itertools
import json
import unittest

from cluster import Cluster, wait_until
from objects import job, namespace

SPACE = "team"
TENANT = "--as=tenant"
OPERATOR = "--as=system:serviceaccount:operators:jobset"

# Two policies refuse another controller of a Job; the API server names either of them.
REFUSED_OWNER = "the controller of a"


def owned(item, kind="JobSet", version="jobset.x-k8s.io/v1alpha2", controller=True):
    """The object, below one of the kind; nothing looks for that one in a dry run."""
    owner = {"apiVersion": version, "kind": kind, "name": "above", "uid": "0-1"}
    item["metadata"]["ownerReferences"] = [owner | {"controller": controller}]
    return item


def pod(name):
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": SPACE},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }  # fmt: skip


def deployment(name):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod(name)["spec"]}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }  # fmt: skip


class TenantWritesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(nodes=False)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.cluster.apply(namespace(SPACE))
        cls.cluster.plane.kubectl("create", "rolebinding", "editor", "-n", SPACE,
                                  "--clusterrole=edit", "--user=tenant")  # fmt: skip
        cls.cluster.plane.kubectl("create", "clusterrolebinding", "operator", "--clusterrole=edit",
                                  OPERATOR.replace("--as=system:serviceaccount:",
                                                   "--serviceaccount="))  # fmt: skip
        # A finalizer keeps the Job from the garbage collector, which finds no JobSet.
        part = owned(job("part", SPACE, "jobs"))
        part["metadata"]["finalizers"] = ["example.com/hold"]
        part["spec"]["suspend"] = True
        cls.cluster.apply(part, job("whole", SPACE, "jobs"))
        # An owner of an unknown kind leaves the garbage collector no choice but to wait.
        set_of_parts = owned(deployment("set"), "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1")
        set_of_parts["metadata"]["finalizers"] = ["example.com/hold"]
        cls.cluster.apply(
            set_of_parts,
            owned(deployment("stranger"), "Unknown", "example.com/v1"),
            deployment("own"),
        )
        wait_until(
            lambda: "makes objects" in cls.create(owned(pod("first")), TENANT), 90, "policies work"
        )

    @classmethod
    def ask(cls, *arguments, stdin=None):
        done = cls.cluster.plane.kubectl(*arguments, "--dry-run=server", stdin=stdin, check=False)
        return done.stdout + done.stderr

    @classmethod
    def create(cls, item, who):
        return cls.ask("create", "-f", "-", who, stdin=json.dumps(item))

    def patch(self, name, body, who=TENANT, resource="job"):
        return self.ask("patch", resource, name, "-n", SPACE, "--type=merge", "-p",
                        json.dumps(body), who)  # fmt: skip

    def test_no_object_of_a_tenant_is_controlled_by_a_job(self):
        owners = (
            ("Job", "batch/v1"), ("JobSet", "jobset.x-k8s.io/v1alpha2"), ("RayJob", "ray.io/v1"),
            ("PyTorchJob", "kubeflow.org/v1"), ("ReplicaSet", "apps/v1"),
            ("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1"),
        )  # fmt: skip
        makes = (pod, deployment, lambda name: job(name, SPACE, "jobs"))
        for (kind, version), make in itertools.product(owners, makes):
            with self.subTest(kind=kind, make=make):
                self.assertIn("makes objects", self.create(owned(make("x"), kind, version), TENANT))

    def test_other_owners_are_allowed(self):
        cron = owned(job("from-cron", SPACE, "jobs"), "CronJob", "batch/v1")
        driver = owned(pod("executor"), "Pod", "v1")
        collected = owned(pod("collected"), controller=False)
        for item in (cron, driver, collected):
            self.assertIn("created", self.create(item, TENANT))

    def test_operators_and_administrators_make_what_jobs_control(self):
        self.assertIn("created", self.create(owned(pod("x")), OPERATOR))
        done = self.ask("create", "-f", "-", stdin=json.dumps(owned(pod("x"))))
        self.assertIn("created", done)

    def test_a_job_of_a_tenant_gets_no_controller_later(self):
        owners = owned({"metadata": {}})
        self.assertIn("makes objects", self.patch("whole", owners))
        self.assertIn("patched", self.patch("whole", owners, OPERATOR))

    def test_a_part_stays_as_it_is(self):
        for body, words in (
            ({"metadata": {"ownerReferences": None}}, REFUSED_OWNER),
            ({"metadata": {"finalizers": ["orphan"]}}, "left behind"),
            ({"spec": {"parallelism": 2}}, "cannot grow"),
            ({"spec": {"suspend": False}}, "is resumed with that job"),
        ):
            self.assertIn(words, self.patch("part", body))
        self.assertIn("patched", self.patch("part", {"metadata": {"labels": {"own": "label"}}}))
        self.assertIn("patched", self.patch("whole", {"spec": {"parallelism": 2}}))

    def test_the_controller_of_a_part_keeps_its_kind_and_name(self):
        above = owned({"metadata": {}})["metadata"]["ownerReferences"][0]
        for change in ({"kind": "CronJob"}, {"apiVersion": "example.com/v1"}, {"name": "other"},
                       {"controller": False}):  # fmt: skip
            with self.subTest(change=change):
                body = {"metadata": {"ownerReferences": [above | change]}}
                self.assertIn(REFUSED_OWNER, self.patch("part", body))
        named = owned({"metadata": {}})
        self.assertIn("makes objects", self.patch("stranger", named, resource="deployment"))
        self.assertIn(
            "is a part of a job",
            self.patch("set", {"metadata": {"ownerReferences": None}}, resource="deployment"),
        )

    def test_the_pods_of_a_part_of_a_serving_object_stay_as_they_are(self):
        body = {"spec": {"template": {"metadata": {"annotations": {"own": "value"}}}}}
        self.assertIn("cannot change", self.patch("set", body, resource="deployment"))
        for name in ("own", "stranger"):
            self.assertIn("patched", self.patch(name, body, resource="deployment"))
        self.assertIn("patched", self.patch("set", {"spec": {"paused": True}},
                                            resource="deployment"))  # fmt: skip

    def test_a_workload_that_holds_quota_stays_that_of_its_job(self):
        kubectl = self.cluster.plane.kubectl
        kubectl("create", "role", "workloads", "-n", SPACE, "--verb=*",
                "--resource=workloads.kueue.x-k8s.io")  # fmt: skip
        kubectl("create", "rolebinding", "workloads", "-n", SPACE, "--role=workloads",
                "--user=tenant")  # fmt: skip
        finalizer = "kueue.x-k8s.io/resource-in-use"
        held = {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
            "metadata": {"name": "held", "namespace": SPACE, "finalizers": [finalizer],
                         "labels": {"kueue.x-k8s.io/job-uid": "uid-1"}},
            "spec": {"podSets": [{"name": "main", "count": 1, "template": {
                "spec": pod("x")["spec"] | {"restartPolicy": "Never"}}}]},
        }  # fmt: skip
        self.cluster.apply(held)

        def change(metadata):
            return self.patch("held", {"metadata": metadata}, resource="workload")

        annotation = {"annotations": {"kueue.x-k8s.io/workload-slice-name": "other"}}
        changes = (
            ({"finalizers": None}, "the finalizer of a Workload"),
            ({"labels": {"kueue.x-k8s.io/job-uid": None}}, "the job of a Workload"),
            (annotation, "the pods of a Workload"),
        )
        for metadata, _ in changes:
            self.assertIn("patched", change(metadata))
        condition = {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                     "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}  # fmt: skip
        kubectl("patch", "workload", "held", "-n", SPACE, "--subresource=status", "--type=merge",
                "-p", json.dumps({"status": {"conditions": [condition]}}))  # fmt: skip
        for metadata, words in changes:
            self.assertIn(words, change(metadata))
        self.assertIn("patched", change({"labels": {"own": "label"}}))

    def test_a_part_is_deleted_with_its_pods(self):
        def remove(name, cascade, who=TENANT):
            return self.ask("delete", "job", name, "-n", SPACE, f"--cascade={cascade}", who)

        self.assertIn("is deleted with its pods", remove("part", "orphan"))
        self.assertIn("deleted", remove("part", "orphan", OPERATOR))
        for cascade in ("background", "foreground"):
            self.assertNotIn("is deleted with its pods", remove("part", cascade))
        self.assertNotIn("is deleted with its pods", remove("whole", "orphan"))


if __name__ == "__main__":
    unittest.main()
