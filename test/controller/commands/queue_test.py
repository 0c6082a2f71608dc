"""`sluice queue` on files: queue_test.py SLUICE"""

import json
import pathlib
import subprocess
import sys
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
SLUICE = sys.argv.pop(1)

from why_test import NOW, Cluster, condition, held, workload  # noqa: E402


def busy():
    """One of each state, and a line of three in ClusterQueue nlp."""
    cluster = Cluster()
    ended = held(workload("nlp", "old", 1, 1, job="old"), "nlp", "a100")
    ended["status"]["conditions"].append(condition("Finished", reason="Succeeded"))
    checked = held(workload("nlp", "checked", 1, 1, job="checked"), "nlp", "h100")
    checked["status"]["conditions"].pop()
    checked["status"]["admissionChecks"] = [
        {"name": "nodes", "state": "Pending", "message": "soon", "lastTransitionTime": NOW}
    ]
    urgent = workload("nlp", "urgent", 6, 4, priority=900, job="urgent")
    urgent["metadata"]["labels"] = {"team": "a"}
    late = workload("nlp", "late", 7, 4, job="late")
    late["metadata"]["creationTimestamp"] = "2026-01-30T12:00:00Z"
    lost = workload("nlp", "lost", 1, 1, queue="mian", job="lost")
    cluster.more = [ended, checked, urgent, late, lost]
    return cluster


class QueueTest(unittest.TestCase):
    def run_queue(self, *arguments, code=0):
        done = subprocess.run(
            [SLUICE, "queue", "-f", "-", "--now", NOW, *arguments],
            input=yaml.safe_dump_all(busy().objects()), capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def column(self, name, *arguments):
        head, *lines = self.run_queue(*arguments).splitlines()
        at = head.index(name)
        return [line[at:].split("  ")[0] for line in lines]

    def test_the_order_is_that_of_the_queue_behind_what_runs(self):
        self.assertEqual(
            self.column("JOB", "-n", "nlp"),
            ["job/eval", "job/checked", "job/urgent", "job/train", "job/late", "job/lost"],
        )  # fmt: skip
        self.assertEqual(self.column("POS", "-n", "nlp"), ["-", "-", "1", "2", "3", "-"])
        self.assertEqual(
            self.column("STATE", "-n", "nlp"),
            ["Running", "Reserved", "Pending", "Pending", "Pending", "Held back"],
        )

    def test_each_that_waits_says_why(self):
        why = dict(zip(self.column("JOB", "-n", "nlp"), self.column("WHY", "-n", "nlp")))
        self.assertRegex(why["job/train"], r"^\d+ short in cohort ml-org on a100$")
        self.assertEqual(why["job/checked"], "admission check nodes is Pending: soon")
        self.assertIn("mian doesn't exist", why["job/lost"])

    def test_needs_and_times(self):
        self.assertEqual(self.column("NEEDS", "-n", "nlp")[2], "24 nvidia.com/gpu")
        self.assertEqual(self.column("FOR", "-n", "nlp")[4], "1h 52m")

    def test_selections(self):
        names = self.run_queue("-A", "-o", "name", "--field-selector", "clusterQueue=vision")
        self.assertEqual(names.split(), ["vision/audio", "vision/rank", "vision/resnet"])
        names = self.run_queue("-n", "nlp", "-o", "name", "--field-selector", "state=HeldBack")
        self.assertEqual(names.split(), ["nlp/lost"])
        self.assertNotIn("nlp/old", self.run_queue("-n", "nlp", "-o", "name"))
        self.assertIn("nlp/old", self.run_queue("-n", "nlp", "-o", "name", "--finished"))
        self.assertIn("color", self.run_queue("-A", "--field-selector", "color=red", code=2))
        self.assertEqual(self.run_queue("-n", "none"), "no workload\n")

    def test_other_orders(self):
        by_age = self.column("JOB", "-n", "nlp", "--sort", "age")
        self.assertLess(by_age.index("job/train"), by_age.index("job/eval"))
        by_priority = self.column("JOB", "-n", "nlp", "--sort", "priority")
        self.assertEqual(by_priority[0], "job/urgent")

    def test_the_keys_of_the_order(self):
        head = self.run_queue("-n", "nlp", "--order").splitlines()[0]
        for key in ("PREEMPTOR", "FAIR USAGE", "BOOST", "SINCE"):
            self.assertIn(key, head)
        self.assertEqual(
            self.column("SINCE", "-n", "nlp", "--order")[4], "2026-01-30T12:00:00Z"
        )

    def test_json_and_yaml_are_a_list_of_explanations(self):
        shown = json.loads(self.run_queue("-n", "nlp", "-o", "json"))
        self.assertEqual(shown["kind"], "ExplanationList")
        train = next(each for each in shown["items"] if each["job"]["name"] == "train")
        self.assertEqual(train["position"]["inClusterQueue"], 2)
        self.assertEqual(train["remedies"], [])
        self.assertEqual(yaml.safe_load(self.run_queue("-n", "nlp", "-o", "yaml")), shown)


if __name__ == "__main__":
    unittest.main()
