"""Topologies, requests and assignments that mean no good: topology_bad_input_test.py SLUICE"""

import json
import os
import sys
import unittest
import urllib.error

from topology_cluster import (
    CLIQUE,
    FLAVORS,
    HOST,
    JOBS,
    LOCAL_QUEUES,
    MERGE,
    NODES,
    QUEUES,
    RACK,
    REQUEST,
    TOPOLOGIES,
    WORKLOADS,
    TopologyTest,
    assigned_hosts,
    clique,
    gang,
    node,
)

TopologyTest.sluice = os.path.abspath(sys.argv.pop(1))
INT32_MAX = 2**31 - 1
NAME = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
PREFIX = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
NOT_ALL_CHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation"
)


def sliced(name, pods, size, level=HOST, **more):
    """A gang in one clique with slices at the level; without size or level where it is None."""
    annotations = {}
    if size is not None:
        annotations[f"{REQUEST}slice-size"] = size
    if level is not None:
        annotations[f"{REQUEST}slice-required-topology"] = level
    return gang(name, pods, 1, annotations=annotations, **more)


def levels(*keys):
    return {"spec": {"levels": [{"nodeLabel": key} for key in keys]}}


def topology(name, *keys):
    api = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology"}
    return api | {"metadata": {"name": name}} | levels(*keys)


def domains(hosts, counts):
    """Slices of a topologyAssignment."""
    values = [{"individual": {"roots": hosts}}]
    counts = {"individual": counts}
    return [{"domainCount": len(hosts), "valuesPerLevel": values, "podCounts": counts}]


class Requests(TopologyTest):
    def setUp(self):
        self.start(clique("c1", 2), clique("c2", 2))

    def check_refused(self, job, key, problem):
        """One error comes as the answer, no Job is made, other queues go on."""
        path = "spec.template.metadata.annotations"
        self.assertEqual(
            self.refusal(JOBS, job),
            (403, f'admission webhook "vjob.kb.io" denied the request: {path}[{key}]: {problem}'),
        )
        names = [each["metadata"]["name"] for each in self.cluster.ask("GET", JOBS)["items"]]
        self.assertNotIn(job["metadata"]["name"], names)
        self.check_others_go_on()

    def check_waits(self, name, message, reason):
        """One error stands on the Workload and in one event, other queues go on."""
        whole = f"couldn't assign flavors to pod set main: {message}"
        self.assertEqual(self.condition(name, "QuotaReserved"), ("False", reason, whole))
        workload = self.workload(name)["metadata"]["name"]
        self.assertEqual(self.warnings("Workload", workload), {whole})
        self.assertEqual((self.runs(name), self.pods_of(name)), (False, []))
        self.assertEqual(self.used_gpus(), (0, 0))
        self.check_others_go_on()

    def test_levels_that_are_no_label_keys_are_refused(self):
        key = f"{REQUEST}required-topology"
        for level, problem in (
            ("not a key!", f"name part {NAME}"),
            ("a" * 64, "name part must be no more than 63 bytes"),
            ("e" * 254 + "/rack", "prefix part must be no more than 253 bytes"),
            ("a/b/c", f"a valid label key {NAME} {PREFIX}"),
        ):
            with self.subTest(level[:20]):
                said = f'Invalid value: "{level}": {problem}'
                self.check_refused(gang("bad", 4, 1, level=level), key, said)

    def test_a_level_longer_than_a_workload_can_name_is_an_error_of_the_job(self):
        # The annotation may be a label key of 317 characters, a field of a Workload has 63.
        self.submit(gang("long", 4, 1, level="e" * 60 + ".com/rack"))
        self.assertEqual((self.runs("long"), self.pods_of("long")), (False, []))
        notes = self.warnings("Job", "long")
        self.assertEqual(len(notes), 1, notes)
        self.assertRegex(
            notes.pop(),
            r'^Workload.kueue.x-k8s.io "job-long-[0-9a-f]{5}" is invalid: '
            r"\[spec.podSets\[0\].topologyRequest.required: Too long: may not be more than "
            r"63 bytes, ",
        )
        self.check_others_go_on()

    def test_a_level_that_the_topology_lacks_is_an_error_of_the_workload(self):
        zone = "example.com/zone"
        message = 'Flavor "gpus" does not contain the requested level'
        preferred = {f"{REQUEST}preferred-topology": zone}
        for job in (
            gang("required", 4, 1, level=zone),
            gang("preferred", 4, 1, level=None, annotations=preferred),
            sliced("slices", 4, "2", level=zone),
        ):
            with self.subTest(job["metadata"]["name"]):
                self.submit(job)
                self.check_waits(job["metadata"]["name"], message, "NoMatchingFlavor")

    def test_slices_at_a_level_above_their_pod_set_are_an_error_of_the_workload(self):
        self.submit(sliced("above", 4, "2", level=RACK))
        message = f"podset slice topology {RACK} is above the podset topology {CLIQUE}"
        self.check_waits("above", message, "TopologyPlacementFailed")

    def test_slice_sizes_that_are_no_size_are_refused(self):
        for size, problem in (
            ("0", "must be greater than or equal to 1"),
            ("-1", "must be greater than or equal to 1"),
            ("-2147483649", "must be a numeric value"),
            ("2147483648", "must be a numeric value"),
            ("18446744073709551617", "must be a numeric value"),
            ("abc", "must be a numeric value"),
            ("", "must be a numeric value"),
            ("2.0", "must be a numeric value"),
            ("0x2", "must be a numeric value"),
            (" 2", "must be a numeric value"),
            ("5", "must not be greater than pod set count 4"),
            (str(INT32_MAX), "must not be greater than pod set count 4"),
        ):
            with self.subTest(size):
                said = f'Invalid value: "{size}": {problem}'
                self.check_refused(sliced("bad", 4, size), f"{REQUEST}slice-size", said)

    def test_a_slice_size_and_a_slice_level_come_together(self):
        key, level = f"{REQUEST}slice-size", f"{REQUEST}slice-required-topology"
        said = f"Forbidden: may not be set when '{level}' is not specified"
        self.check_refused(sliced("bad", 4, "2", level=None), key, said)
        said = f"Required value: must be set when '{level}' is specified"
        self.check_refused(sliced("bad", 4, None), key, said)

    def test_a_slice_size_that_does_not_divide_the_pods_is_an_error(self):
        self.submit(sliced("odd", 4, "3"))
        self.cluster.step("3m")
        workload = self.workload("odd")["metadata"]["name"]
        self.assertIn(
            "main: 1 of 4 pods stay gated, because the topologyAssignment has no domain for them: "
            "slices of 3 pods do not divide 4",
            "\n".join(self.warnings("Workload", workload)),
        )
        self.check_others_go_on()

    def test_a_job_without_pods_takes_nothing_and_grows(self):
        self.submit(gang("empty", 0, 4, completionMode="NonIndexed", completions=None))
        self.assertEqual((self.runs("empty"), self.used_gpus()), (True, (0, 0)))
        workload = self.workload("empty")["metadata"]["name"]
        self.assertEqual(self.warnings("Workload", workload), set())
        self.check_others_go_on()
        self.cluster.ask("PATCH", f"{JOBS}/empty", {"spec": {"parallelism": 4}}, MERGE)
        self.cluster.step("30s")
        self.assertEqual(sorted(self.hosts_of("empty")), ["c1-1", "c1-1", "c1-2", "c1-2"])
        self.assertEqual(self.used_gpus(), (16, 16))
        self.check_room()

    def test_an_indexed_job_of_no_completions_is_finished(self):
        self.submit(gang("none", 0, 4))
        self.assertEqual(self.condition("none", "Finished")[:2], ("True", "Succeeded"))
        self.assertEqual((self.pods_of("none"), self.used_gpus()), ([], (0, 0)))
        self.check_others_go_on()


class Topologies(TopologyTest):
    def test_topologies_without_sense_are_refused(self):
        self.start(clique("c1", 2))
        host_above = "the kubernetes.io/hostname label can only be used at the lowest level"
        for name, keys, problem in (
            ("twice", (RACK, RACK), "spec.levels: Invalid value: must be unique"),
            ("none", (), "spec.levels: Invalid value: 0: spec.levels in body should have at least "
             "1 items"),
            ("many", [f"a.b/l{i}" for i in range(17)],
             f"[spec.levels: Too many: 17: must have at most 16 items, {NOT_ALL_CHECKED}]"),
            ("long", ("e" * 253 + "/" + "b" * 63,),
             "[spec.levels[0].nodeLabel: Too long: may not be more than 316 bytes, "
             f"{NOT_ALL_CHECKED}]"),
            ("above", (HOST, RACK), f"spec.levels: Invalid value: {host_above} of topology"),
            ("empty", ("",), 'spec.levels[0].nodeLabel: Invalid value: "": '
             "spec.levels[0].nodeLabel in body should be at least 1 chars long"),
        ):  # fmt: skip
            with self.subTest(name):
                self.assertEqual(
                    self.refusal(TOPOLOGIES, topology(name, *keys)),
                    (422, f'Topology.kueue.x-k8s.io "{name}" is invalid: {problem}'),
                )
                self.check_others_go_on()
        code, message = self.refusal(TOPOLOGIES, topology("key", "not a key!"))
        self.assertEqual(code, 422)
        self.assertIn('spec.levels[0].nodeLabel: Invalid value: "not a key!": ', message)

    def test_a_topology_without_spec_starts_no_more_than_hosts_hold(self):
        self.start(clique("c1", 2))
        self.add(TOPOLOGIES, "empty")
        self.add_queue("lost", "empty")
        self.submit(gang("implied", 3, 8, level=None, queue="lost"))
        self.assertFalse(self.runs("implied"))
        self.assertNotEqual(self.waiting_for("implied"), "")
        self.check_others_go_on()

    def test_sixteen_levels_work(self):
        keys = [f"example.com/level-{i}" for i in range(15)]
        self.start(clique("c1", 1))
        self.add(TOPOLOGIES, "deep", **levels(*keys, HOST))
        self.add_queue("deep", "deep")
        for i in range(4):
            labels = {key: f"v{depth}-{i // 2}" for depth, key in enumerate(keys)}
            self.cluster.ask("POST", NODES, node(f"deep-{i}", labels))
        self.submit(gang("one", 2, 8, level=keys[0], queue="deep"))
        self.submit(gang("two", 3, 8, level=keys[14], queue="deep"))
        self.assertEqual(self.hosts_of("one"), ["deep-0", "deep-1"])
        self.assertEqual(
            self.waiting_for("two"),
            'topology "deep" allows to fit only 2 out of 3 pod(s). Total nodes: 4; excluded: '
            'resource "nvidia.com/gpu": 2',
        )

    def test_label_values_of_63_characters_work(self):
        cluster = self.start(clique("c1", 1))
        for i in range(3):
            labels = {RACK: "r" * 63, CLIQUE: "c" * 63}
            cluster.ask("POST", NODES, node("h" * 62 + str(i), labels))
        self.submit(gang("long", 3, 8))
        self.assertEqual(self.hosts_of("long"), ["h" * 62 + str(i) for i in range(3)])
        message = "metadata.labels: Invalid value: %s: must be no more than 63 bytes"
        value = "v" * 64
        self.assertEqual(
            self.refusal(NODES, node("longer", {RACK: value})),
            (422, 'Node "longer" is invalid: ' + message % f'"{value}"'),
        )
        self.check_others_go_on()

    def test_a_flavor_whose_topology_is_missing_waits_for_it(self):
        cluster = self.start(clique("c1", 1))
        self.add_queue("lost", "gone")
        self.submit(gang("train", 2, 4, level=HOST, queue="lost"))
        active = cluster.ask("GET", f"{QUEUES}/lost")["status"]["conditions"][0]
        self.assertEqual(
            (active["type"], active["status"], active["reason"], active["message"]),
            ("Active", "False", "TopologyNotFound",
             "Can't admit new workloads: there "
             'is no Topology "gone" for TAS flavor "lost".'),
        )  # fmt: skip
        local = cluster.ask("GET", f"{LOCAL_QUEUES}/lost")["status"]["conditions"][0]
        self.assertEqual((local["status"], local["reason"]), ("False", "ClusterQueueIsInactive"))
        self.assertEqual(self.waiting_for("train"), "ClusterQueue lost is inactive")
        self.check_others_go_on()
        self.add(TOPOLOGIES, "gone", **levels(HOST))
        cluster.step("5s")
        self.assertEqual(self.hosts_of("train"), ["c1-1", "c1-1"])

    def test_a_deleted_topology_stays_as_long_as_a_flavor_uses_it(self):
        cluster = self.start(clique("c1", 2))
        self.add(TOPOLOGIES, "unused", **levels(HOST))
        self.submit(gang("runs", 2, 8, seconds=300))
        for name in ("racks", "unused"):
            cluster.ask("DELETE", f"{TOPOLOGIES}/{name}")
        cluster.step("10s")
        kept = cluster.ask("GET", TOPOLOGIES)["items"]
        self.assertEqual([each["metadata"]["name"] for each in kept], ["racks"])
        self.assertIn("deletionTimestamp", kept[0]["metadata"])
        self.assertEqual(kept[0]["metadata"]["finalizers"], ["kueue.x-k8s.io/resource-in-use"])
        self.assertEqual((self.hosts_of("runs"), self.used_gpus()), (["c1-1", "c1-2"], (16, 16)))
        self.check_others_go_on()
        cluster.step("10m")
        self.assertEqual(self.condition("runs", "Finished")[0], "True")
        self.submit(gang("later", 2, 8, seconds=60))
        self.assertEqual(self.hosts_of("later"), ["c1-1", "c1-2"])
        cluster.step("5m")
        cluster.ask("DELETE", f"{QUEUES}/q")
        cluster.ask("DELETE", f"{FLAVORS}/gpus")
        cluster.step("10s")
        self.assertEqual(cluster.ask("GET", TOPOLOGIES)["items"], [])
        self.check_others_go_on()


class WrittenByHand(TopologyTest):
    """Assignments that something else than the controller writes."""

    def setUp(self):
        self.start(clique("c1", 2))
        self.hold("Hold")
        self.submit(gang("hand", 4, 1))

    def hold(self, policy):
        patch = {"spec": {"stopPolicy": policy}}
        self.cluster.ask("PATCH", f"{QUEUES}/q", patch, MERGE)
        self.cluster.step("2s")

    def admission(self, names, slices):
        """The path of the Workload's status, and a patch that admits it."""
        now = self.cluster.time.isoformat().replace("+00:00", "Z")
        conditions = [
            {"type": kind, "status": "True", "reason": kind, "message": "by hand",
             "lastTransitionTime": now}
            for kind in ("QuotaReserved", "Admitted")
        ]  # fmt: skip
        assignment = {
            "name": "main", "count": 4, "flavors": {"nvidia.com/gpu": "gpus"},
            "resourceUsage": {"nvidia.com/gpu": "4"},
            "topologyAssignment": {"levels": names, "slices": slices},
        }  # fmt: skip
        admission = {"clusterQueue": "q", "podSetAssignments": [assignment]}
        path = f"{WORKLOADS}/{self.workload('hand')['metadata']['name']}/status"
        return path, {"status": {"admission": admission, "conditions": conditions}}

    def write(self, names, slices):
        """Admits the gang so; returns the refusal, if the API server refuses."""
        path, patch = self.admission(names, slices)
        try:
            self.cluster.ask("PATCH", path, patch, MERGE)
        except urllib.error.HTTPError as refused:
            return {json.loads(refused.read())["message"]}
        self.cluster.step("5s")
        return set()

    def errors(self):
        """All that is said of the Workload as an error."""
        workload = self.workload("hand")
        said = self.warnings("Workload", workload["metadata"]["name"])
        return said | {
            each["message"]
            for each in workload["status"]["conditions"]
            if each["status"] == "False" or each["type"] == "Evicted"
        }

    def test_a_host_that_does_not_exist_gives_way_to_one_that_does(self):
        self.write([HOST], domains(["nowhere"], [4]))
        self.assertEqual(self.hosts_of("hand"), [None] * 4)
        workload = self.workload("hand")["metadata"]["name"]
        self.assertEqual(self.warnings("Workload", workload), {"ClusterQueue q is inactive"})
        self.check_others_go_on()
        self.hold("None")
        self.cluster.step("3m")
        self.assertEqual(assigned_hosts(self.workload("hand")), [("c1-1", 4)])
        self.assertEqual(self.hosts_of("hand"), ["c1-1"] * 4)
        self.assertEqual(self.used_gpus(), (4, 4))

    def test_without_room_a_host_that_does_not_exist_evicts(self):
        self.cluster.ask("DELETE", f"{JOBS}/hand?propagationPolicy=Background")
        self.hold("None")
        self.submit(gang("full", 2, 8, seconds=600))
        self.submit(gang("hand", 4, 1))
        self.write([HOST], domains(["nowhere"], [4]))
        message = "Workload was evicted as there was no replacement for unhealthy node(s): nowhere"
        self.assertEqual(self.condition("hand", "Evicted"), ("True", "NodeFailures", message))
        self.assertEqual(self.pods_of("hand"), [])
        self.assertEqual(
            self.waiting_for("hand"),
            'topology "racks" doesn\'t allow to fit any of 4 pod(s). Total nodes: 2; excluded: '
            'resource "nvidia.com/gpu": 2',
        )
        self.assertEqual(self.used_gpus(), (16, 16))
        self.check_others_go_on()
        self.cluster.step("11m")
        self.assertEqual(self.hosts_of("hand"), ["c1-1"] * 4)
        self.assertEqual(self.used_gpus(), (4, 4))

    def test_counts_that_overflow_hold_no_room_for_longer_than_their_job(self):
        self.write([HOST], domains(["c1-1", "c1-2"], [INT32_MAX] * 2))
        self.hold("None")
        self.assertEqual(self.used_gpus(), (4, 4))
        self.submit(gang("next", 1, 4))
        self.assertEqual(
            self.waiting_for("next"),
            'topology "racks" doesn\'t allow to fit any of 1 pod(s). Total nodes: 2; excluded: '
            'resource "nvidia.com/gpu": 2',
        )
        self.check_others_go_on()
        self.cluster.ask("DELETE", f"{JOBS}/hand?propagationPolicy=Background")
        self.cluster.step("1m")
        self.submit(gang("last", 3, 4))
        hosts = self.hosts_of("next") + self.hosts_of("last")
        self.assertEqual(sorted(hosts), ["c1-1", "c1-1", "c1-2", "c1-2"])
        self.assertEqual(self.used_gpus(), (16, 16))
        self.check_room()

    def test_counts_that_overflow_twice_on_one_host_are_no_room(self):
        self.write([HOST], domains(["c1-1", "c1-1"], [INT32_MAX] * 2))
        self.hold("None")
        self.submit(gang("next", 2, 8))
        self.assertEqual(
            self.waiting_for("next"),
            'topology "racks" allows to fit only 1 out of 2 pod(s). Total nodes: 2; excluded: '
            'resource "nvidia.com/gpu": 1',
        )
        self.check_room()
        self.check_others_go_on()

    def test_counts_beyond_the_pods_are_an_error(self):
        refusal = self.write([HOST], domains(["c1-1", "c1-2"], [INT32_MAX] * 2))
        self.hold("None")
        self.cluster.step("3m")
        self.assertRegex("\n".join(refusal | self.errors()), "4294967294|2147483647|[Aa]ssignment")

    def test_levels_that_the_topology_lacks_hold_no_room(self):
        self.write(["example.com/zone"], domains(["a"], [4]))
        self.hold("None")
        self.submit(gang("next", 2, 8))
        self.assertEqual(self.hosts_of("next"), ["c1-1", "c1-2"])
        self.check_room()
        self.check_others_go_on()

    def test_levels_that_the_topology_lacks_are_an_error(self):
        refusal = self.write(["example.com/zone"], domains(["a"], [4]))
        self.hold("None")
        self.cluster.step("3m")
        self.assertRegex("\n".join(refusal | self.errors()), "example.com/zone|[Tt]opology")

    def test_assignments_that_cannot_be_read_are_refused(self):
        workload = self.workload("hand")["metadata"]["name"]
        at = "status.admission.podSetAssignments[0].topologyAssignment.slices[0]"
        for slices, problem in (
            (domains(["c1-1"], [INT32_MAX + 1]),
             '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in '
             f"{at}.podCounts.individual[0]"),
            (domains(["c1-1"], [2, 2]),
             f"{at}: Invalid value: podCounts.individual must have length equal to domainCount"),
        ):  # fmt: skip
            with self.subTest(problem):
                path, patch = self.admission([HOST], slices)
                self.assertEqual(
                    self.refusal(path, patch, "PATCH", MERGE),
                    (422, f'Workload.kueue.x-k8s.io "{workload}" is invalid: {problem}'),
                )
        self.hold("None")
        self.assertEqual(self.hosts_of("hand"), ["c1-1"] * 4)
        self.check_others_go_on()


if __name__ == "__main__":
    unittest.main()
