"""`sluice top` on files: top_test.py SLUICE"""

import json
import pathlib
import subprocess
import sys
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
SLUICE = sys.argv.pop(1)

from why_test import NOW, Cluster, condition, held, own, workload  # noqa: E402


def used(cluster_queue, total, borrowed=0, pending=0):
    """The status that the controller writes, for flavor a100."""
    resources = [{"name": "nvidia.com/gpu", "total": total, "borrowed": borrowed}]
    cluster_queue["status"] = {
        "flavorsReservation": [{"name": "a100", "resources": resources}],
        "pendingWorkloads": pending,
    }


def cluster():
    made = Cluster()
    used(made.nlp, 4, pending=7)
    used(made.vision, 27, borrowed=3)
    return made


class TopTest(unittest.TestCase):
    def run_top(self, made, *arguments):
        done = subprocess.run(
            [SLUICE, "top", "-f", "-", "--now", NOW, *arguments],
            input=yaml.safe_dump_all(made.objects()), capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def queues(self, made, *arguments):
        shown = json.loads(self.run_top(made, "-o", "json", *arguments))
        return {each["clusterQueue"]: each for each in shown["clusterQueues"]}

    def test_the_table(self):
        head, nlp, vision = self.run_top(cluster()).splitlines()
        self.assertEqual(head.split()[:3], ["CLUSTERQUEUE", "COHORT", "RESOURCE"])
        self.assertEqual(
            nlp.split(), "nlp ml-org nvidia.com/gpu 4 32 - 3 7 1h 12m / 1h 12m".split()
        )
        self.assertEqual(vision.split()[:7], "vision ml-org nvidia.com/gpu 27 24 3 -".split())

    def test_what_is_lent_is_bound_by_the_lending_limit(self):
        made = cluster()
        quota = made.nlp["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
        quota["lendingLimit"] = 2
        self.assertEqual(self.queues(made)["nlp"]["resources"][0]["lent"], "2")

    def test_a_queue_without_a_cohort_lends_nothing(self):
        made = cluster()
        del made.nlp["spec"]["cohortName"]
        quota = made.nlp["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
        del quota["borrowingLimit"]
        self.assertEqual(self.queues(made)["nlp"]["resources"][0]["lent"], "0")
        self.assertEqual(list(self.queues(made, "--cohort", "ml-org")), ["vision"])

    def test_queues_of_one_tree_of_cohorts_share(self):
        made = cluster()
        made.nlp["spec"]["cohortName"] = "speech"
        made.more = [own("Cohort", "speech", {"parentName": "ml-org"})]
        self.assertEqual(self.queues(made)["nlp"]["resources"][0]["lent"], "3")

    def test_waits_are_those_of_the_last_day(self):
        made = cluster()
        made.held = []
        for minutes in range(1, 11):
            since = f"2026-01-30T12:{38 + minutes - 1:02}:00Z"
            made.held.append(held(workload("nlp", f"w{minutes}", 1, 1), "nlp", "a100", since))
        made.held.append(held(workload("nlp", "old", 1, 1), "nlp", "a100", "2026-01-29T13:00:00Z"))
        waits = self.queues(made)["nlp"]["waits24h"]
        self.assertEqual(waits, {"count": 10, "p50Seconds": 3840, "p90Seconds": 4080})

    def test_an_inactive_queue_is_marked(self):
        made = cluster()
        made.nlp["status"]["conditions"] = [condition("Active", "False", "Stopped")]
        self.assertTrue(self.run_top(made).splitlines()[1].endswith("inactive"))
        self.assertFalse(self.queues(made)["nlp"]["active"])


if __name__ == "__main__":
    unittest.main()
