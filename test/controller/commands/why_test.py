"""Situations of a workload and the words of `sluice why`: why_test.py SLUICE [--write]

Each case changes a small cluster; test/golden/why has the answers.
The option --write writes them anew.
"""

import copy
import json
import pathlib
import subprocess
import sys
import unittest

import yaml

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "why"
NOW = "2026-01-30T13:52:00Z"
BETA2 = "kueue.x-k8s.io/v1beta2"


def own(kind, name, spec=None, **metadata):
    made = {"apiVersion": BETA2, "kind": kind, "metadata": {"name": name, **metadata}}
    return made if spec is None else {**made, "spec": spec}


def quota(flavor, gpus, **limits):
    return {
        "name": flavor,
        "resources": [{"name": "nvidia.com/gpu", "nominalQuota": gpus, **limits}],
    }


def pod_sets(count, gpus, **template):
    containers = [
        {"name": "c", "image": "i", "resources": {"requests": {"nvidia.com/gpu": gpus}}}
    ]
    template = {"spec": {"containers": containers, **template}}
    return [{"name": "main", "count": count, "template": template}]


def workload(ns, name, count, gpus, priority=100, queue="main", job=None, **template):
    spec = {
        "queueName": queue,
        "priority": priority,
        "podSets": pod_sets(count, gpus, **template),
    }
    made = own("Workload", name, spec, namespace=ns, uid=f"{ns}-{name}",
               creationTimestamp="2026-01-30T11:38:00Z")  # fmt: skip
    if job:
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": job, "controller": True}
        ]
    return made


def condition(kind, status="True", reason=None, message="", since="2026-01-30T12:50:00Z"):
    return {
        "type": kind, "status": status, "reason": reason or kind, "message": message,
        "lastTransitionTime": since,
    }  # fmt: skip


def held(made, queue, flavor, since="2026-01-30T12:50:00Z"):
    pods = made["spec"]["podSets"][0]
    container = pods["template"]["spec"]["containers"][0]
    gpus = container["resources"]["requests"]["nvidia.com/gpu"] * pods["count"]
    made["status"] = {
        "admission": {
            "clusterQueue": queue,
            "podSetAssignments": [
                {
                    "name": "main", "count": pods["count"], "flavors": {"nvidia.com/gpu": flavor},
                    "resourceUsage": {"nvidia.com/gpu": gpus},
                }
            ],
        },
        "conditions": [
            condition("QuotaReserved", since=since), condition("Admitted", since=since)
        ],
    }  # fmt: skip
    return made


class Cluster:
    """The cluster that each case changes: `train` waits for 20 GPUs in ClusterQueue nlp, which
    borrows from cohort ml-org, and whose second flavor it does not tolerate.
    """

    def __init__(self):
        taint = {"key": "nvidia.com/gpu", "value": "h100", "effect": "NoSchedule"}
        self.namespaces = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            for name in ("nlp", "vision")
        ]
        self.a100 = own("ResourceFlavor", "a100", {"nodeLabels": {"gpu": "a100"}})
        self.h100 = own("ResourceFlavor", "h100", {"nodeTaints": [taint]})
        self.nlp = self.queue("nlp", [quota("a100", 8, borrowingLimit=16), quota("h100", 24)])
        self.vision = self.queue("vision", [quota("a100", 24)])
        self.main = own("LocalQueue", "main", {"clusterQueue": "nlp"}, namespace="nlp")
        self.other = own("LocalQueue", "main", {"clusterQueue": "vision"}, namespace="vision")
        self.high = {**own("WorkloadPriorityClass", "high"), "value": 1000}
        self.train = workload("nlp", "job-train", 5, 4, job="train")
        resnet = held(workload("vision", "resnet", 1, 8), "vision", "a100", "2026-01-30T08:50:00Z")
        resnet["spec"]["maximumExecutionTimeSeconds"] = 36000
        rank = held(workload("vision", "rank", 1, 8), "vision", "a100", "2026-01-30T13:11:00Z")
        audio = held(workload("vision", "audio", 1, 8), "vision", "a100")
        self.eval = held(workload("nlp", "eval", 1, 4, job="eval"), "nlp", "a100")
        self.held = [resnet, rank, audio, self.eval]
        self.more = []

    @staticmethod
    def queue(name, flavors, **spec):
        groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}]
        return own(
            "ClusterQueue", name,
            {"cohortName": "ml-org", "namespaceSelector": {}, "resourceGroups": groups, **spec},
        )  # fmt: skip

    def objects(self):
        fixed = [self.a100, self.h100, self.nlp, self.vision, self.main, self.other, self.high]
        return [*self.namespaces, *fixed, *self.held, self.train, *self.more]

    def ask(self, sluice, *arguments, asked="job/train"):
        return subprocess.run(
            [sluice, "why", asked, "-n", "nlp", "-f", "-", "--now", NOW, "--utc", *arguments],
            input=yaml.safe_dump_all(copy.deepcopy(self.objects())), capture_output=True,
            text=True, check=False,
        )  # fmt: skip


def policies(**preemption):
    return {"preemption": preemption}


def short_in_the_cohort(cluster):
    pass


def a_limit_binds(cluster):
    quotas = cluster.nlp["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
    quotas["borrowingLimit"] = 8


def lending_is_limited(cluster):
    cluster.held = cluster.held[3:]
    quotas = cluster.vision["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
    quotas["lendingLimit"] = 10


def never_fits(cluster):
    cluster.train = workload("nlp", "job-train", 5, 16, job="train")


def a_higher_priority_would_preempt(cluster):
    cluster.nlp["spec"] |= policies(withinClusterQueue="LowerPriority")
    cluster.train = workload("nlp", "job-train", 2, 4, job="train")


def evictions_are_made(cluster):
    cluster.nlp["spec"] |= policies(withinClusterQueue="LowerPriority")
    cluster.train = workload("nlp", "job-train", 2, 4, job="train", priority=200)


def its_own_quota_is_lent(cluster):
    cluster.train = workload("nlp", "job-train", 1, 4, job="train")
    cluster.held = [
        held(workload("vision", "large", 1, 32), "vision", "a100"),
    ]


def it_fits_now(cluster):
    cluster.train = workload("nlp", "job-train", 1, 4, job="train")


def it_fits_behind_others(cluster):
    it_fits_now(cluster)
    first = workload("nlp", "first", 1, 2, priority=300)
    cluster.more = [first, workload("nlp", "second", 1, 2, priority=300)]


def behind_a_strict_head(cluster):
    it_fits_now(cluster)
    cluster.nlp["spec"]["queueingStrategy"] = "StrictFIFO"
    cluster.more = [workload("nlp", "first", 2, 8, priority=300, job="first")]


def wrong_node_selector(cluster):
    cluster.train = workload(
        "nlp", "job-train", 1, 4, job="train", nodeSelector={"gpu": "v100"}
    )  # fmt: skip


def another_queue_has_room(cluster):
    cluster.more = [
        cluster.queue("spare", [quota("a100", 40)], cohortName="spare"),
        own("LocalQueue", "spare", {"clusterQueue": "spare"}, namespace="nlp"),
    ]


def the_queue_is_misspelt(cluster):
    cluster.train["spec"]["queueName"] = "mian"


def the_namespace_has_no_queue(cluster):
    cluster.main["metadata"]["namespace"] = "vision"
    cluster.main["metadata"]["name"] = "second"


def the_cluster_queue_is_missing(cluster):
    cluster.main["spec"]["clusterQueue"] = "nope"


def the_cluster_queue_is_stopped(cluster):
    it_fits_now(cluster)
    cluster.nlp["spec"]["stopPolicy"] = "Hold"


def the_local_queue_is_stopped(cluster):
    it_fits_now(cluster)
    cluster.main["spec"]["stopPolicy"] = "Hold"


def a_flavor_is_missing(cluster):
    cluster.nlp["spec"]["resourceGroups"][0]["flavors"].append(quota("v100", 4))


def it_is_deactivated(cluster):
    cluster.train["spec"]["active"] = False


def it_is_gated(cluster):
    cluster.train["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example/a"}


def the_namespace_does_not_match(cluster):
    cluster.nlp["spec"]["namespaceSelector"] = {"matchLabels": {"team": "nlp"}}


def a_resource_has_no_quota(cluster):
    containers = cluster.train["spec"]["podSets"][0]["template"]["spec"]["containers"]
    containers[0]["resources"]["requests"]["example.com/fpga"] = 1


def it_backs_off(cluster):
    cluster.train["status"] = {
        "requeueState": {"count": 2, "requeueAt": "2026-01-30T13:55:00Z"},
        "conditions": [
            condition("Evicted", reason="PodsReadyTimeout", since="2026-01-30T13:50:00Z"),
            condition("QuotaReserved", "False", "Pending", since="2026-01-30T13:50:00Z"),
        ],
    }


def it_has_two_pod_sets(cluster):
    more = pod_sets(1, 2)[0]
    more["name"] = "driver"
    cluster.train["spec"]["podSets"].append(more)


def it_runs(cluster):
    cluster.nlp["spec"] |= policies(withinClusterQueue="LowerPriority")
    cluster.train = held(workload("nlp", "job-train", 1, 4, job="train"), "nlp", "a100")
    cluster.train["spec"]["maximumExecutionTimeSeconds"] = 7200


def it_runs_on_borrowed_quota(cluster):
    cluster.vision["spec"] |= policies(reclaimWithinCohort="Any")
    cluster.held = [cluster.eval]
    cluster.train = held(workload("nlp", "job-train", 2, 4, job="train"), "nlp", "a100")


def its_pods_are_not_ready(cluster):
    it_runs(cluster)
    cluster.train["status"]["conditions"].append(
        condition("PodsReady", "False", "WaitForStart", "Not all pods are ready or succeeded")
    )


def it_waits_for_a_check(cluster):
    it_runs(cluster)
    cluster.train["status"]["conditions"].pop()
    cluster.train["status"]["admissionChecks"] = [
        {
            "name": "nodes", "state": "Pending", "message": "ETA 5 minutes",
            "lastTransitionTime": NOW,
        }
    ]  # fmt: skip


def it_is_being_evicted(cluster):
    it_runs(cluster)
    cluster.train["status"]["conditions"].append(
        condition("Evicted", reason="Preempted", message="Preempted to accommodate a workload")
    )


def it_has_finished(cluster):
    it_runs(cluster)
    cluster.train["status"]["conditions"].append(
        condition("Finished", reason="Succeeded", message="Job finished successfully")
    )


CASES = [
    short_in_the_cohort, a_limit_binds, lending_is_limited, never_fits,
    a_higher_priority_would_preempt, evictions_are_made, its_own_quota_is_lent, it_fits_now,
    it_fits_behind_others, behind_a_strict_head, wrong_node_selector, another_queue_has_room,
    the_queue_is_misspelt, the_namespace_has_no_queue, the_cluster_queue_is_missing,
    the_cluster_queue_is_stopped, the_local_queue_is_stopped, a_flavor_is_missing,
    it_is_deactivated, it_is_gated, the_namespace_does_not_match, a_resource_has_no_quota,
    it_backs_off, it_has_two_pod_sets, it_runs, it_runs_on_borrowed_quota,
    its_pods_are_not_ready, it_waits_for_a_check, it_is_being_evicted, it_has_finished,
]  # fmt: skip


def answer(case):
    cluster = Cluster()
    case(cluster)
    done = cluster.ask(SLUICE)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}\n"


class WhyTest(unittest.TestCase):
    def test_each_situation_is_explained(self):
        self.maxDiff = None
        names = {case.__name__ for case in CASES}
        self.assertEqual({path.stem for path in GOLDEN.glob("*.txt")}, names)
        for case in CASES:
            with self.subTest(case.__name__):
                expected = (GOLDEN / f"{case.__name__}.txt").read_text()
                self.assertEqual(answer(case), expected)

    def test_json_has_the_numbers_and_the_same_words(self):
        done = Cluster().ask(SLUICE, "-o", "json")
        shown = json.loads(done.stdout)
        self.assertEqual(shown["apiVersion"], "insight.sluice.dev/v1alpha1")
        self.assertEqual(shown["kind"], "Explanation")
        self.assertEqual(shown["shortage"], "16")
        self.assertEqual([level["mayTake"] for level in shown["levels"]], ["20", "4"])
        self.assertTrue(all(remedy["verified"] for remedy in shown["remedies"]))
        self.assertEqual(yaml.safe_load(Cluster().ask(SLUICE, "-o", "yaml").stdout), shown)

    def test_two_runs_give_the_same_bytes(self):
        answers = {Cluster().ask(SLUICE, "-o", "json").stdout for _ in range(3)}
        self.assertEqual(len(answers), 1)

    def test_an_unknown_name_lists_the_nearest(self):
        done = Cluster().ask(SLUICE, asked="job/trian")
        self.assertEqual(done.returncode, 1)
        self.assertIn('did you mean "train"?', done.stderr)

    def test_a_name_of_two_workloads_lists_both(self):
        cluster = Cluster()
        second = workload("nlp", "jobset-train", 1, 1)
        second["metadata"]["ownerReferences"] = [
            {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "train",
             "uid": "s", "controller": True}
        ]  # fmt: skip
        cluster.more = [second]
        done = cluster.ask(SLUICE, asked="train")
        self.assertEqual(done.returncode, 2)
        self.assertIn("workload/job-train (job/train)", done.stderr)
        self.assertIn("workload/jobset-train (jobset/train)", done.stderr)
        self.assertEqual(cluster.ask(SLUICE, asked="jobsets/train").returncode, 0)

    def test_a_bad_object_is_an_error(self):
        cluster = Cluster()
        cluster.nlp["spec"]["queueingStrategy"] = "Lifo"
        done = cluster.ask(SLUICE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("queueingStrategy", done.stderr)


if __name__ == "__main__":
    SLUICE = sys.argv.pop(1)
    if sys.argv[1:] == ["--write"]:
        GOLDEN.mkdir(exist_ok=True)
        for each in CASES:
            (GOLDEN / f"{each.__name__}.txt").write_text(answer(each))
        sys.exit()
    unittest.main()
