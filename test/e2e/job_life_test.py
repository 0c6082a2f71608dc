"""The life of a Job in one queue: waiting, running, success, failure, and being deleted at any
point.
"""

import time

from case import ClusterCase
from invariants import condition, is_true


class QueueingTest(ClusterCase):
    def test_jobs_wait_for_quota_and_follow_in_the_order_in_which_they_came(self):
        queue = self.make_queue(4)
        for name in ("first", "second"):
            self.submit(name, queue, cpu=2)
            self.wait_running(name)
        self.submit("third", queue, cpu=2)
        # What a user sees of it: a condition with a reason and a sentence.
        found = self.wait_for("third", "QuotaReserved", "False", "WaitingForQuota")
        self.assertIn("cpu", found["message"])
        # One that is like it is not even tried. Times of creation count in seconds, so that what
        # comes within the same second has no order.
        self.wait_quiet(lambda: self.is_pending("third"), "the third job waits")
        self.submit("fourth", queue, cpu=2)
        self.wait_pending("fourth")
        self.wait_usage(queue, 4)
        self.wait_queue(queue, pendingWorkloads=2, reservingWorkloads=2, admittedWorkloads=2)

        self.end("first")
        self.wait_running("third")
        self.wait_quiet(lambda: self.is_pending("fourth"), "the fourth job waits")
        self.end("second")
        self.wait_running("fourth")

    def test_an_admitted_job_gets_its_flavors_nodes(self):
        queue = self.make_queue(4, flavors=("spot",))
        self.submit("job", queue, parallelism=2)
        self.wait_running("job", pods=2)
        template = self.job("job")["spec"]["template"]["spec"]
        self.assertEqual(template["nodeSelector"], {"tier": "spot"})
        self.assertIn("spot", [each.get("key") for each in template["tolerations"]])
        nodes = {pod["spec"]["nodeName"] for pod in self.cluster.pods_of(self.space, "job")}
        self.assertEqual(nodes, {"spot-1"})
        admission = self.workload("job")["status"]["admission"]
        assigned = admission["podSetAssignments"][0]
        self.assertEqual(
            (assigned["name"], assigned["count"], assigned["flavors"], assigned["resourceUsage"]),
            ("main", 2, {"cpu": "spot"}, {"cpu": "2"}),
        )

    def test_the_second_flavor_is_taken_when_the_first_is_full(self):
        cpu = {"on-demand": {"nominalQuota": "1"}, "spot": {"nominalQuota": "1"}}
        queue = self.make_queue(cpu, flavors=("on-demand", "spot"))
        for name, tier in (("first", "on-demand"), ("second", "spot")):
            self.submit(name, queue)
            self.wait_running(name)
            selector = self.job(name)["spec"]["template"]["spec"]["nodeSelector"]
            self.assertEqual(selector, {"tier": tier})

    def test_a_job_larger_than_the_queue_never_runs_and_does_not_block_others(self):
        queue = self.make_queue(4)
        self.submit("large", queue, cpu=5)
        self.wait_for("large", "QuotaReserved", "False", "ExceedsMaxQuota")
        self.submit("small", queue, cpu=4)
        self.wait_running("small")
        self.assertTrue(self.is_pending("large"))

    def test_a_job_whose_queue_comes_later_runs_then(self):
        self.submit("early", self.name)
        self.wait_pending("early")
        self.make_queue(1)
        self.wait_running("early")

    def test_a_job_without_a_queue_is_left_alone(self):
        self.make_queue(1)
        self.submit("free", self.name)
        self.wait_running("free")
        item = self.job("free")
        plain = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "plain", "namespace": self.space},
            "spec": {"template": item["spec"]["template"] | {"metadata": {}}, "suspend": True},
        }
        self.cluster.apply(plain)
        self.wait(lambda: self.job("plain"), "the plain Job is there")
        self.wait_quiet(
            lambda: self.workload("plain") is None and self.job("plain")["spec"]["suspend"],
            "the Job without a queue label has no Workload and stays as it is",
        )


class EndTest(ClusterCase):
    def test_a_completed_job_frees_its_quota(self):
        queue = self.make_queue(2)
        self.submit("job", queue, cpu=1, parallelism=2)
        self.wait_running("job", pods=2)
        self.end("job")
        self.wait_for("job", "Finished", reason="Succeeded")
        self.wait(lambda: is_true(self.job("job"), "Complete"), "the Job is complete")
        self.wait_usage(queue, 0)
        self.wait_queue(queue, reservingWorkloads=0, admittedWorkloads=0, pendingWorkloads=0)
        self.wait(
            lambda: not self.workload("job")["metadata"].get("finalizers"),
            "nothing holds the finished Workload",
        )

    def test_a_failed_job_frees_its_quota(self):
        queue = self.make_queue(1)
        self.submit("bad", queue)
        self.wait_running("bad")
        self.submit("next", queue)
        self.end("bad", exit_code=1)
        self.wait_for("bad", "Finished", reason="Failed")
        self.wait(lambda: is_true(self.job("bad"), "Failed"), "the Job has failed")
        self.wait_running("next")
        self.wait_usage(queue, 1)

    def test_a_stream_of_short_jobs_all_complete(self):
        queue = self.make_queue(3)
        names = [self.submit(f"job-{n}", queue, cpu=1 + n % 3, seconds=0.2) for n in range(12)]
        for name in names:
            self.wait_for(name, "Finished", reason="Succeeded")
        self.wait_usage(queue, 0)


class LabelTest(ClusterCase):
    """Labels of Jobs that a webhook would refuse."""

    def notes(self, name, reason):
        """What events with that reason say of the Job."""
        events = self.cluster.api.get(f"/apis/events.k8s.io/v1/namespaces/{self.space}/events")
        return [
            each["note"]
            for each in events["items"]
            if (each["reason"], each["regarding"]["kind"], each["regarding"]["name"])
            == (reason, "Job", name)
        ]

    def wait_told(self, name, reason, words):
        self.wait(
            lambda: any(words in note for note in self.notes(name, reason)),
            f"an event {reason} of Job {name} has the words {words}",
        )

    def label(self, name, key, value):
        labels = {f"kueue.x-k8s.io/{key}": value}
        self.cluster.api.patch(self.job_path(name), {"metadata": {"labels": labels}})

    def test_one_that_cannot_be_read_changes_nothing_for_a_running_job_and_is_told(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        uid = self.workload("job")["metadata"]["uid"]
        self.label("job", "max-exec-time-seconds", "soon")
        self.wait_told("job", "InvalidSpec", 'max-exec-time-seconds: "soon" is not a number')
        self.label("job", "priority-class", "unheard-of")
        self.wait_quiet(lambda: self.is_running("job"), "the Job runs on")
        self.assertEqual(self.workload("job")["metadata"]["uid"], uid)

    def test_one_that_cannot_be_a_queue_is_told_in_the_words_of_the_api_server(self):
        queue = self.make_queue(1)
        self.submit("job", "No_Queue")
        self.wait_told("job", "InvalidSpec", "spec.queueName")
        self.label("job", "queue-name", queue)
        self.wait_running("job")


class DeletionTest(ClusterCase):
    def assert_gone(self, name, queue, cpu_in_use):
        uid = self.job(name)["metadata"]["uid"]
        self.delete_job(name)
        self.wait(lambda: self.job(name) is None, f"Job {name} is gone")

        def is_gone():
            owners = [
                reference["uid"]
                for each in self.history.all("workloads", self.space)
                for reference in each["metadata"].get("ownerReferences", [])
            ]
            return uid not in owners

        self.wait(is_gone, f"the Workload of {name} is gone")
        self.wait_usage(queue, cpu_in_use)

    def test_a_waiting_job(self):
        queue = self.make_queue(1)
        self.submit("holder", queue)
        self.wait_running("holder")
        self.submit("waiting", queue)
        self.wait_for("waiting", "QuotaReserved", "False")
        self.assert_gone("waiting", queue, 1)
        self.wait_queue(queue, pendingWorkloads=0)

    def test_a_running_job_makes_room_for_the_next(self):
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        self.submit("next", queue)
        self.wait_pending("next")
        self.assert_gone("running", queue, 1)
        self.wait_running("next")

    def test_a_job_that_is_just_admitted(self):
        queue = self.make_queue(1)
        self.submit("new", queue)
        self.wait_for("new", "Admitted")
        self.assert_gone("new", queue, 0)

    def test_jobs_about_to_start(self):
        """The deletion may be seen before the answer to the write that starts the Job."""
        queue = self.make_queue(1)
        for i in range(40):
            name = f"brief-{i}"
            self.submit(name, queue)
            self.wait_for(name, "Admitted")
            time.sleep(i % 10 * 0.004)
            self.assert_gone(name, queue, 0)

    def test_a_job_that_has_no_workload_yet(self):
        queue = self.make_queue(1)
        self.submit("brief", queue)
        self.wait(lambda: self.job("brief"), "the Job is there")
        self.assert_gone("brief", queue, 0)

    def test_an_evicted_job(self):
        queue = self.make_queue(1)
        self.submit("evicted", queue)
        self.wait_running("evicted")
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        self.wait_for("evicted", "Evicted")
        self.assert_gone("evicted", queue, 0)

    def test_a_finished_job(self):
        queue = self.make_queue(1)
        self.submit("done", queue, seconds=0)
        self.wait_for("done", "Finished")
        self.assert_gone("done", queue, 0)

    def test_the_workload_of_a_running_job_stops_the_job_which_queues_again(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        workload = self.workload("job")
        path = self.cluster.path_of("workloads", workload["metadata"]["name"], self.space)
        self.cluster.api.delete(path)
        old = workload["metadata"]["uid"]
        self.wait(
            lambda: self.workload("job") and self.workload("job")["metadata"]["uid"] != old,
            "another Workload of the Job is there",
        )
        self.wait_running("job")

    def test_a_queue_in_use_stays_until_its_last_job_has_ended(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.cluster.api.delete(self.cluster.path_of("clusterqueues", queue))

        def is_terminating():
            found = self.history.get("clusterqueues", "", queue)
            return condition(found, "Active").get("reason") == "Terminating"

        self.wait(is_terminating, "the ClusterQueue says Terminating")
        self.submit("late", queue)
        self.wait_pending("late")
        self.wait_quiet(lambda: self.is_pending("late"), "a terminating queue admits nothing")
        self.end("job")
        self.wait(
            lambda: self.history.get("clusterqueues", "", queue) is None, "the ClusterQueue is gone"
        )

    def test_a_flavor_in_use_stays_until_no_queue_names_it(self):
        from objects import flavor

        name = f"{self.name}-flavor"
        self.cluster.apply(flavor(name))
        queue = self.make_queue(1, flavors=(name,))
        self.submit("job", queue)
        self.wait_running("job")
        path = self.cluster.path_of("resourceflavors", name)
        self.cluster.api.delete(path)
        found = self.cluster.api.find(path)
        self.assertIn("deletionTimestamp", found["metadata"])
        self.end("job")
        self.wait_for("job", "Finished")
        self.cluster.api.delete(self.cluster.path_of("clusterqueues", queue))
        self.wait(
            lambda: self.history.get("clusterqueues", "", queue) is None, "the ClusterQueue is gone"
        )
        from control_plane import wait_until

        wait_until(lambda: self.cluster.api.find(path) is None, 20, "the ResourceFlavor is gone")
