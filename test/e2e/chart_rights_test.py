"""The rights that the chart grants: those of people, as Kueue's chart grants them, and those of the
controller, which are no more than its configuration needs."""

import unittest

import yaml

from chart import KUEUE_NAMES, rendered, rendered_with, template

MANAGER = "sluice-controller-manager"
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


def rights(objects, verb=None):
    """What the account of the controller may do: (resource, verb, namespace or "" for all)."""
    granted = set()
    for made in objects.values():
        if made["kind"] not in ("ClusterRoleBinding", "RoleBinding"):
            continue
        if {"kind": "ServiceAccount", "name": MANAGER} not in [
            {key: subject[key] for key in ("kind", "name")} for subject in made["subjects"]
        ]:
            continue
        role = objects.get((made["roleRef"]["kind"], made["roleRef"]["name"]), {"rules": []})
        for rule in role["rules"]:
            for resource in rule["resources"]:
                for each in rule["verbs"]:
                    granted.add((resource, each, made["metadata"].get("namespace", "")))
    return {each for each in granted if verb in (None, each[1])}


WITHOUT_GATES = (
    "featureGates: {ElasticJobsViaWorkloadSlices: false, TopologyAwareScheduling: false}\n"
)
BATCH_ALONE = WITHOUT_GATES + "integrations: {frameworks: [batch/job]}"
POD_WRITES = ("ValidatingAdmissionPolicy", "sluice-pod-writes")


class ControllerRightsTest(unittest.TestCase):
    def test_pods_are_out_of_reach_where_neither_pods_nor_elastic_jobs_are_managed(self):
        objects = rendered_with(BATCH_ALONE)
        of_pods = [each for each in rights(objects) if each[0].startswith("pods")]
        self.assertEqual(of_pods, [])
        self.assertNotIn(POD_WRITES, objects)

    def test_gated_pods_need_patches_and_those_with_a_topology_their_status(self):
        jobs = "integrations: {frameworks: [batch/job]}\n"
        written = {("pods", verb) for verb in ("get", "list", "patch", "watch")}
        for gates, more in (
            ("", {("pods/status", "patch")}),
            ("featureGates: {TopologyAwareScheduling: false}", set()),
        ):
            objects = rendered_with(jobs + gates)
            of_pods = {each[:2] for each in rights(objects) if each[0].startswith("pods")}
            self.assertEqual(of_pods, written | more, gates)

    def test_pods_that_are_jobs_are_deleted_too(self):
        for framework in ("pod", "deployment", "statefulset"):
            objects = rendered_with(
                WITHOUT_GATES + "integrations: {frameworks: [%s]}" % framework
            )
            self.assertIn(("pods", "delete", ""), rights(objects), framework)
            self.assertIn(("pods/status", "patch", ""), rights(objects), framework)
            self.assertIn(POD_WRITES, objects)

    def test_pods_are_written_in_the_namespaces_that_are_named(self):
        flags = (
            "--set=podNamespaces={team-a,team-b}",
            "--set-string=managerConfig.controllerManagerConfigYaml=integrations: "
            "{frameworks: [batch/job\\, pod]}",
        )
        objects = rendered(*flags)
        for verb in ("patch", "delete"):
            places = {place for resource, _, place in rights(objects, verb) if resource == "pods"}
            self.assertLessEqual(places, {"team-a", "team-b"})
        self.assertIn(("pods", "list", ""), rights(objects))
        bound = [
            (made["metadata"]["name"], made["metadata"]["namespace"])
            for made in yaml.safe_load_all(template(*flags).stdout)
            if made and made["kind"] == "RoleBinding" and "pod" in made["metadata"]["name"]
        ]
        roles = (f"{MANAGER}-gated-pods", f"{MANAGER}-pod-writer")
        self.assertEqual(
            sorted(bound), [(role, space) for role in roles for space in ("team-a", "team-b")]
        )

    def test_jobs_are_deleted_only_if_the_configuration_asks_for_it(self):
        asks = "objectRetentionPolicies: {workloads: {afterDeactivatedByKueue: 1h}}\n"
        frameworks = "integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}"
        deleted = {("jobs", "delete", ""), ("jobsets", "delete", "")}
        self.assertLessEqual(deleted, rights(rendered_with(asks + frameworks)))
        for retention in ("", "objectRetentionPolicies: {workloads: {afterFinished: 1h}}\n"):
            granted = rights(rendered_with(retention + frameworks), "delete")
            self.assertEqual(granted - {("workloads", "delete", "")}, set())

    def test_objects_that_are_only_followed_are_listed_and_watched(self):
        frameworks = "[deployment, statefulset, leaderworkerset.x-k8s.io/leaderworkerset]"
        granted = rights(rendered_with("integrations: {frameworks: %s}" % frameworks))
        for followed in ("deployments", "replicasets", "statefulsets", "leaderworkersets",
                         "namespaces", "limitranges", "nodes", "runtimeclasses"):  # fmt: skip
            verbs = {verb for resource, verb, _ in granted if resource == followed}
            self.assertEqual(verbs, {"list", "watch"}, followed)

    def test_batch_jobs_are_out_of_reach_where_they_are_not_managed(self):
        objects = rendered_with("integrations: {frameworks: [jobset.x-k8s.io/jobset]}")
        self.assertEqual([each for each in rights(objects) if each[0].startswith("jobs/")], [])
        self.assertNotIn(("jobs", "list", ""), rights(objects))

    def test_kinds_between_jobs_and_what_manages_them_are_only_followed(self):
        wrappers = "integrations: {frameworks: [batch/job, workload.codeflare.dev/appwrapper%s]}"
        role = ("ClusterRole", f"{MANAGER}-owner-kinds")
        operators = {kind for _, kind, _ in JOBS.values()} - {"jobs", "leaderworkersets"}
        objects = rendered_with(wrappers % "")
        rules = objects[role]["rules"]
        self.assertEqual({each for rule in rules for each in rule["resources"]}, operators)
        self.assertEqual({tuple(rule["verbs"]) for rule in rules}, {("list", "watch")})
        self.assertIn(("jobsets", "list", ""), rights(objects))
        pods = rendered_with(wrappers % ", pod")[role]["rules"]
        makers = {"deployments", "replicasets", "statefulsets", "leaderworkersets"}
        self.assertEqual({each for rule in pods for each in rule["resources"]}, operators | makers)
        self.assertNotIn(role, rendered_with(wrappers % "", "--set=followDisabledOwners=false"))

    def test_kinds_that_are_off_are_out_of_reach_where_nothing_has_jobs_below_it(self):
        role = ("ClusterRole", f"{MANAGER}-owner-kinds")
        for frameworks in ("batch/job", "pod", "batch/job, pod"):
            self.assertNotIn(role, rendered_with("integrations: {frameworks: [%s]}" % frameworks))
        external = "integrations: {externalFrameworks: [Flow.v1.science.example]}"
        self.assertIn(role, rendered_with(external))

    def test_certificates_of_others_take_rights_away(self):
        own = {resource for resource, *_ in rights(rendered())}
        self.assertLessEqual({"secrets", "apiservices", "customresourcedefinitions"}, own)
        files = {
            resource
            for resource, *_ in rights(rendered_with("internalCertManagement: {enable: false}"))
        }
        self.assertFalse({"secrets", "apiservices"} & files)
        managed = {resource for resource, *_ in rights(rendered("--set=enableCertManager=true"))}
        published = {"apiservices", "customresourcedefinitions", "mutatingwebhookconfigurations"}
        self.assertFalse((published | {"secrets"}) & managed)

    def test_nothing_is_granted_by_a_wildcard(self):
        for made in rendered("--set=enablePrometheus=true").values():
            for rule in made.get("rules", ()) if made["kind"].endswith("Role") else ():
                self.assertNotIn("*", str(rule))
                self.assertFalse({"escalate", "bind", "impersonate"} & set(rule["verbs"]))
