"""The rights that the chart grants: those of people, as Kueue's chart grants them, and those of the
controller, which are no more than its configuration needs."""

import unittest

from chart import KUEUE_NAMES, rendered

READ = ["get", "list", "watch"]
EDIT = ["create", "delete", "get", "list", "patch", "update", "watch"]
# Kind: group, resource, whether there is a right to its status.
ADMINISTERED = {
    "clusterqueue": ("kueue.x-k8s.io", "clusterqueues", True),
    "cohort": ("kueue.x-k8s.io", "cohorts", False),
    "resourceflavor": ("kueue.x-k8s.io", "resourceflavors", False),
    "topology": ("kueue.x-k8s.io", "topologies", False),
}
SEEN = {
    "localqueue": ("kueue.x-k8s.io", "localqueues", True),
    "workload": ("kueue.x-k8s.io", "workloads", True),
}
JOBS = {
    "job": ("batch", "jobs", True),
    "jobset": ("jobset.x-k8s.io", "jobsets", True),
    "leaderworkerset": ("leaderworkerset.x-k8s.io", "leaderworkersets", True),
    "sparkapplication": ("sparkoperator.k8s.io", "sparkapplications", True),
    "trainjob": ("trainer.kubeflow.org", "trainjobs", True),
} | {
    kind: (group, f"{kind}s", True)
    for group, kinds in {
        "kubeflow.org": ("jaxjob", "mpijob", "paddlejob", "pytorchjob", "tfjob", "xgboostjob"),
        "ray.io": ("raycluster", "rayjob", "rayservice"),
    }.items()
    for kind in kinds
}
BATCH = "rbac.kueue.x-k8s.io/"
AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"


def rules_of(group, resource, has_status, verbs):
    rules = [{"apiGroups": [group], "resources": [resource], "verbs": verbs}]
    if has_status:
        status = {"apiGroups": [group], "resources": [f"{resource}/status"], "verbs": ["get"]}
        rules.append(status)
    return rules


def labels_of(name, batch, aggregated=()):
    labels = {f"{BATCH}role": name}
    labels |= {f"{BATCH}batch-{who}": "true" for who in batch}
    return labels | {f"{AGGREGATE}{role}": "true" for role in aggregated}


def expected_roles():
    """Labels and rules by name, as a release `kueue` of Kueue's chart has them."""
    roles = {}
    tables = (
        (ADMINISTERED, ["admin"], ["admin"], ["admin"]),
        (SEEN, ["admin"], ["admin", "user"], ["view", "edit", "admin"]),
        (JOBS, ["admin", "user"], ["admin", "user"], ["view", "edit", "admin"]),
    )
    for kinds, editors, viewers, aggregated in tables:
        for kind, facts in kinds.items():
            seers = ["admin"] if kind in ("raycluster", "rayservice") else viewers
            roles[f"{kind}-editor"] = labels_of(f"{kind}-editor", editors), rules_of(*facts, EDIT)
            roles[f"{kind}-viewer"] = (
                labels_of(f"{kind}-viewer", seers, aggregated),
                rules_of(*facts, READ),
            )
    for name, queue, batch in (("cq", "cluster", ["admin"]), ("lq", "local", ["admin", "user"])):
        role = f"pending-workloads-{name}-viewer"
        facts = ("visibility.kueue.x-k8s.io", f"{queue}queues/pendingworkloads", False)
        roles[role] = labels_of(role, batch, ["view", "edit", "admin"]), rules_of(*facts, READ)
    return {f"kueue-{name}-role": role for name, role in roles.items()}


class UserRolesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        objects = rendered("-f", KUEUE_NAMES, release="kueue")
        cls.roles = {
            name: role
            for (kind, name), role in objects.items()
            if kind == "ClusterRole" and name.endswith("-role")
        }

    def test_there_are_the_44_of_kueues_chart(self):
        gathering = {"kueue-batch-admin-role", "kueue-batch-user-role"}
        self.assertEqual(set(self.roles), set(expected_roles()) | gathering)
        self.assertEqual(len(self.roles), 44)

    def test_each_has_the_labels_and_rules_of_kueues(self):
        for name, (labels, rules) in expected_roles().items():
            with self.subTest(name):
                role = self.roles[name]
                kept = role["metadata"]["labels"].items()
                self.assertEqual({k: v for k, v in kept if k.startswith("rbac.")}, labels)
                self.assertEqual(role["rules"], rules)

    def test_roles_of_batch_users_and_administrators_gather_the_others(self):
        for who in ("batch-admin", "batch-user"):
            selector = {"matchLabels": {f"{BATCH}{who}": "true"}}
            role = self.roles[f"kueue-{who}-role"]
            self.assertEqual(role["aggregationRule"], {"clusterRoleSelectors": [selector]})
            self.assertNotIn("rules", role)

    def test_no_role_of_people_is_bound(self):
        for made in rendered().values():
            if made["kind"].endswith("Binding") and "roleRef" in made:
                self.assertFalse(made["roleRef"]["name"].endswith("-role"), made)
