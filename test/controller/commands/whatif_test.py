"""`sluice whatif` on files: whatif_test.py SLUICE"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
SLUICE = str(pathlib.Path(sys.argv.pop(1)).resolve())

from why_test import NOW, Cluster, own, quota  # noqa: E402


def job(name="new", gpus=2, parallelism=2, **metadata):
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"nvidia.com/gpu": gpus}}}]
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "nlp", "labels": labels, **metadata},
        "spec": {
            "suspend": True,
            "parallelism": parallelism,
            "template": {"spec": {"restartPolicy": "Never", "containers": containers}},
        },
    }


class WhatIfTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cluster = Cluster()

    def run_whatif(self, *arguments, objects=(), code=0):
        cluster = self.folder / "cluster.yaml"
        cluster.write_text(yaml.safe_dump_all(self.cluster.objects()))
        (self.folder / "new.yaml").write_text(yaml.safe_dump_all(objects))
        done = subprocess.run(
            [SLUICE, "whatif", *arguments, "--cluster", cluster, "--now", NOW, "--utc"],
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def lines(self, *arguments, **options):
        head, *lines = self.run_whatif(*arguments, **options).splitlines()
        self.assertEqual(head, "On the cluster of 2026-01-30 13:52Z; nothing is stored.")
        self.assertTrue(lines[0].startswith("At once  "))
        return [line[9:] for line in lines]

    def test_more_quota_starts_what_waits(self):
        self.assertEqual(
            self.lines("quota", "clusterqueue/nlp", "a100:nvidia.com/gpu=+16"),
            ["nlp/job-train starts on a100 in ClusterQueue nlp"],
        )

    def test_too_little_quota_changes_nothing(self):
        edit = ("quota", "clusterqueue/nlp", "a100:nvidia.com/gpu=+15")
        self.assertEqual(self.lines(*edit), ["nothing changes"])

    def test_several_quotas_are_one_change(self):
        self.assertEqual(
            self.lines("quota", "clusterqueue/nlp", "a100:nvidia.com/gpu=+8",
                       "clusterqueue/vision", "a100:nvidia.com/gpu=32"),
            ["nlp/job-train starts on a100 in ClusterQueue nlp, borrowing"],
        )  # fmt: skip

    def test_a_submitted_job_starts_or_says_what_it_waits_for(self):
        new = [job()]
        (line,) = self.lines("submit", "-f", "new.yaml", objects=new)
        self.assertRegex(line, r"^nlp/job-new-\w+ starts on a100 in ClusterQueue nlp$")
        first, second = self.lines("submit", "-f", "new.yaml", "--count", "4", objects=new)
        self.assertRegex(first, r"-0 starts on a100")
        self.assertRegex(second, r"-1 and 2 more wait: 4 short in cohort ml-org on a100$")

    def test_a_job_that_no_queue_would_try(self):
        wrong = job()
        wrong["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "mian"
        (line,) = self.lines("submit", "-f", "new.yaml", objects=[wrong])
        self.assertIn("waits: LocalQueue mian doesn't exist", line)

    def test_a_job_of_higher_priority_evicts(self):
        self.cluster.nlp["spec"]["preemption"] = {"withinClusterQueue": "LowerPriority"}
        urgent = job(parallelism=4)
        urgent["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "high"
        starts, evicts = self.lines("submit", "-f", "new.yaml", objects=[urgent])
        self.assertRegex(starts, r"^nlp/job-new-\w+ starts on a100")
        self.assertRegex(evicts, r"^nlp/eval is evicted for nlp/job-new-\w+ \(4 nvidia.com/gpu\)$")
        shown = json.loads(
            self.run_whatif("submit", "-f", "new.yaml", "-o", "json", objects=[urgent])
        )
        self.assertEqual(shown["evicts"][0]["workload"], "nlp/eval")

    def test_cancelled_jobs_leave_their_quota(self):
        self.assertEqual(
            self.lines("cancel", "workload/vision/rank", "workload/vision/audio"),
            ["nlp/job-train starts on a100 in ClusterQueue nlp, borrowing"],
        )

    def test_another_priority(self):
        self.cluster.nlp["spec"]["preemption"] = {"withinClusterQueue": "LowerPriority"}
        pods = self.cluster.train["spec"]["podSets"][0]
        pods["count"] = 2
        starts, evicts = self.lines("priority", "job/nlp/train=high")
        self.assertEqual(starts, "nlp/job-train starts on a100 in ClusterQueue nlp")
        self.assertEqual(evicts, "nlp/eval is evicted for nlp/job-train (4 nvidia.com/gpu)")

    def test_applied_objects(self):
        h100 = own("ResourceFlavor", "h100", {})
        self.assertEqual(
            self.lines("apply", "-f", "new.yaml", objects=[h100]),
            ["nlp/job-train starts on h100 in ClusterQueue nlp"],
        )
        smaller = Cluster.queue("nlp", [quota("a100", 0), quota("h100", 24)])
        larger = Cluster.queue("vision", [quota("a100", 48)])
        self.assertEqual(
            self.lines("apply", "-f", "new.yaml", objects=[larger, smaller]),
            ["nlp/job-train starts on a100 in ClusterQueue nlp, borrowing"],
        )

    def test_bad_input_names_the_argument(self):
        for arguments, words in (
            (("quota", "nlp", "a100:cpu=1"), "must be clusterqueue/NAME or cohort/NAME"),
            (("quota", "clusterqueue/nlp", "a100=1"), "FLAVOR:RESOURCE"),
            (("quota", "clusterqueue/none", "a100:cpu=1"), "ClusterQueue none does not exist"),
            (("quota", "clusterqueue/nlp", "a100:cpu=1"), "has no quota of cpu in flavor a100"),
            (("quota", "clusterqueue/nlp", "a100:nvidia.com/gpu=-9"), "would be -1, below 0"),
            (("quota", "clusterqueue/nlp", "a100:nvidia.com/gpu=+x"), '"+x" must be a quantity'),
            (("cancel", "train"), "must be KIND/NAMESPACE/NAME"),
            (("cancel", "job/nlp/none"), "namespace nlp has no workload for job/none"),
            (("priority", "job/nlp/train"), "=WORKLOADPRIORITYCLASS"),
            (("priority", "job/nlp/train=none"), "WorkloadPriorityClass none does not exist"),
        ):
            with self.subTest(arguments):
                self.assertIn(words, self.run_whatif(*arguments, code=2))
        deployment = {**job(), "apiVersion": "example.com/v1", "kind": "Thing"}
        self.assertIn(
            'kind "Thing" of "example.com/v1" is not managed as a job',
            self.run_whatif("submit", "-f", "new.yaml", objects=[deployment], code=2),
        )
        unqueued = job()
        unqueued["metadata"]["labels"] = {}
        self.assertIn(
            "no label kueue.x-k8s.io/queue-name",
            self.run_whatif("submit", "-f", "new.yaml", objects=[unqueued], code=2),
        )


if __name__ == "__main__":
    unittest.main()
