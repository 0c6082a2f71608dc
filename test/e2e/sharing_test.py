"""Queues that share: borrowing in a cohort, taking back by preemption, priorities; and queues that
are stopped and resumed."""

from control_plane import ControlPlaneError

from case import ClusterCase
from invariants import condition
from objects import local_queue, priority_class


class CohortTest(ClusterCase):
    def make_teams(self, **spec):
        """Two queues of 4 CPUs in one cohort, which take back what they lent."""
        common = {"cohortName": f"{self.name}-cohort", "preemption": {"reclaimWithinCohort": "Any"}}
        return [self.make_queue(4, suffix, **common | spec) for suffix in ("-a", "-b")]

    def test_a_queue_borrows_what_the_other_leaves_idle(self):
        team_a, _ = self.make_teams()
        self.submit("big", team_a, cpu=2, parallelism=3)
        self.wait_running("big", pods=3)
        self.wait_usage(team_a, 6)

        def borrowed():
            status = self.history.get("clusterqueues", "", team_a)["status"]
            return status["flavorsReservation"][0]["resources"][0].get("borrowed")

        self.wait(lambda: borrowed() == "2", "the status says that 2 CPUs are borrowed")

    def test_the_borrowing_limit_is_kept(self):
        cpu = {"on-demand": {"nominalQuota": "4", "borrowingLimit": "1"}}
        cohort = f"{self.name}-cohort"
        limited = self.make_queue(cpu, "-limited", cohortName=cohort)
        self.make_queue(4, "-lender", cohortName=cohort)
        self.submit("five", limited, cpu=5)
        self.wait_running("five")
        self.submit("one-more", limited, cpu=1)
        self.wait_for("one-more", "QuotaReserved", "False")
        self.wait_quiet(lambda: self.is_pending("one-more"), "the sixth CPU is not lent")

    def test_the_lending_limit_is_kept(self):
        cpu = {"on-demand": {"nominalQuota": "4", "lendingLimit": "1"}}
        cohort = f"{self.name}-cohort"
        borrower = self.make_queue(4, "-borrower", cohortName=cohort)
        self.make_queue(cpu, "-lender", cohortName=cohort)
        self.submit("six", borrower, cpu=6)
        self.wait_for("six", "QuotaReserved", "False", "ExceedsMaxQuota")
        self.submit("five", borrower, cpu=5)
        self.wait_running("five")

    def test_the_owner_takes_back_by_preemption_and_the_borrower_returns(self):
        team_a, team_b = self.make_teams()
        self.submit("borrower", team_a, cpu=2, parallelism=3)
        self.wait_running("borrower", pods=3)
        self.submit("owner", team_b, cpu=4)

        self.wait_for("borrower", "Preempted", reason="InCohortReclamation")
        self.wait_for("borrower", "Evicted", reason="Preempted")
        self.wait_running("owner")
        self.wait(lambda: self.is_pending("borrower"), "the borrower waits again")
        stopped = self.job("borrower")
        self.assertTrue(stopped["spec"]["suspend"])
        self.assertNotIn("nodeSelector", stopped["spec"]["template"]["spec"])
        self.assertEqual(self.cluster.pods_of(self.space, "borrower"), [])

        self.end("owner")
        self.wait_running("borrower", pods=3)
        self.assertTrue(self.has("borrower", "Evicted", "False"))
        self.end("borrower")
        self.wait_for("borrower", "Finished", reason="Succeeded")

    def test_a_pod_that_has_ended_gives_its_quota_back_before_its_job_has_ended(self):
        queue = self.make_queue(4)
        self.submit("two-pods", queue, cpu=2, parallelism=2)
        self.wait_running("two-pods", pods=2)
        self.submit("next", queue, cpu=2)
        self.wait_pending("next")
        self.cluster.end_one_pod(self.space, "two-pods")
        self.wait_running("next")
        self.assertFalse(self.has("two-pods", "Finished"))

    def test_nobody_is_preempted_where_nothing_was_borrowed(self):
        team_a, team_b = self.make_teams()
        self.submit("a", team_a, cpu=4)
        self.submit("b", team_b, cpu=4)
        self.wait_running("a")
        self.wait_running("b")
        self.submit("more", team_b, cpu=1)
        self.wait_for("more", "QuotaReserved", "False")
        self.wait_quiet(
            lambda: self.is_running("a") and self.is_running("b"), "both jobs go on running"
        )


class PriorityTest(ClusterCase):
    def setUp(self):
        super().setUp()
        self.low, self.high = f"{self.name}-low", f"{self.name}-high"
        self.cluster.apply(priority_class(self.low, 10), priority_class(self.high, 1000))

    def test_a_higher_priority_takes_the_place_of_a_lower_one(self):
        queue = self.make_queue(4, preemption={"withinClusterQueue": "LowerPriority"})
        self.submit("low", queue, cpu=1, parallelism=3, priority=self.low)
        self.wait_running("low", pods=3)
        self.submit("high", queue, cpu=2, priority=self.high)
        self.wait_for("low", "Preempted", reason="InClusterQueue")
        self.wait_running("high")
        self.assertEqual(self.workload("high")["spec"]["priority"], 1000)
        self.end("high")
        self.wait_running("low", pods=3)

    def test_without_a_preemption_policy_it_only_goes_first(self):
        queue = self.make_queue(1)
        self.submit("running", queue, priority=self.low)
        self.wait_running("running")
        self.submit("low", queue, priority=self.low)
        self.wait_for("low", "QuotaReserved", "False")
        self.submit("high", queue, priority=self.high)
        self.wait_for("high", "QuotaReserved", "False")
        self.assertTrue(self.is_running("running"))
        self.end("running")
        self.wait_running("high")
        self.wait_quiet(lambda: self.is_pending("low"), "the lower priority waits")

    def test_an_equal_priority_preempts_nobody(self):
        queue = self.make_queue(1, preemption={"withinClusterQueue": "LowerPriority"})
        self.submit("first", queue, priority=self.high)
        self.wait_running("first")
        self.submit("second", queue, priority=self.high)
        self.wait_for("second", "QuotaReserved", "False")
        self.wait_quiet(lambda: self.is_running("first"), "the first job goes on")

    def test_a_changed_class_reaches_the_waiting_workloads(self):
        queue = self.make_queue(1, preemption={"withinClusterQueue": "LowerPriority"})
        self.submit("first", queue, priority=self.high)
        self.wait_running("first")
        self.submit("second", queue, priority=self.low)
        self.wait_for("second", "QuotaReserved", "False")
        self.cluster.apply(priority_class(self.low, 2000))
        self.wait(
            lambda: self.workload("second")["spec"].get("priority") == 2000,
            "the Workload has the new value",
        )
        self.wait_running("second")
        self.wait(lambda: self.is_pending("first"), "the first job was preempted")


class StopTest(ClusterCase):
    def test_a_held_cluster_queue_admits_nothing_until_it_is_resumed(self):
        queue = self.make_queue(2)
        self.submit("running", queue)
        self.wait_running("running")
        self.patch_queue(queue, stopPolicy="Hold")

        def is_stopped():
            found = self.history.get("clusterqueues", "", queue)
            return condition(found, "Active").get("reason") == "Stopped"

        self.wait(is_stopped, "the ClusterQueue says Stopped")
        self.submit("late", queue)
        self.wait_for("late", "QuotaReserved", "False", "Suspended")
        self.wait_quiet(
            lambda: self.is_running("running") and self.is_pending("late"),
            "what runs goes on, what is new waits",
        )
        self.patch_queue(queue, stopPolicy="None")
        self.wait_running("late")

    def test_a_drained_cluster_queue_stops_its_jobs_and_resumes_them(self):
        queue = self.make_queue(2)
        for name in ("one", "two"):
            self.submit(name, queue)
            self.wait_running(name)
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        for name in ("one", "two"):
            self.wait_for(name, "Evicted", reason="ClusterQueueStopped")
            self.wait_pending(name)
            self.assertTrue(self.has(name, "Requeued", "False", "ClusterQueueStopped"))
        self.wait_usage(queue, 0)
        self.patch_queue(queue, stopPolicy="None")
        for name in ("one", "two"):
            self.wait_running(name)

    def test_a_drained_local_queue_stops_only_its_own_jobs(self):
        queue = self.make_queue(2)
        other = f"{queue}-other"
        self.cluster.apply(local_queue(other, self.space, queue))
        self.submit("mine", queue)
        self.submit("theirs", other)
        self.wait_running("mine")
        self.wait_running("theirs")
        self.stop_local(queue, "HoldAndDrain")
        self.wait_for("mine", "Evicted", reason="LocalQueueStopped")
        self.wait_pending("mine")
        self.wait_quiet(lambda: self.is_running("theirs"), "the other queue's job runs")
        self.stop_local(queue, "None")
        self.wait_running("mine")

    def stop_local(self, name, policy):
        path = self.cluster.path_of("localqueues", name, self.space)
        self.cluster.api.patch(path, {"spec": {"stopPolicy": policy}})

    def test_a_deactivated_workload_stops_and_comes_back(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.activate("job", False)
        self.wait_for("job", "Evicted", reason="Deactivated")
        self.wait_pending("job")
        self.submit("other", queue)
        self.wait_running("other")
        self.activate("job", True)
        self.wait_quiet(lambda: self.is_pending("job"), "it queues like any other")
        self.end("other")
        self.wait_running("job")

    def activate(self, name, active):
        workload = self.workload(name)["metadata"]["name"]
        path = self.cluster.path_of("workloads", workload, self.space)
        self.cluster.api.patch(path, {"spec": {"active": active}})

    def test_a_queue_without_its_flavor_is_inactive_until_the_flavor_comes(self):
        from objects import flavor

        name = f"{self.name}-missing"
        queue = self.make_queue(1, flavors=(name,))

        def reason():
            return condition(self.history.get("clusterqueues", "", queue), "Active").get("reason")

        self.wait(lambda: reason() == "FlavorNotFound", "the ClusterQueue says FlavorNotFound")
        self.submit("job", queue)
        self.wait_pending("job")
        self.cluster.apply(flavor(name))
        self.wait_running("job")
        self.wait(lambda: reason() == "Ready", "the ClusterQueue says Ready")


class BadInputTest(ClusterCase):
    def test_a_bad_queue_is_refused_by_its_schema_and_harms_nobody(self):
        good = self.make_queue(1)
        with self.assertRaisesRegex(ControlPlaneError, "borrowingLimit must be nil"):
            self.make_queue({"on-demand": {"nominalQuota": "1", "borrowingLimit": "1"}}, "-bad")
        self.submit("job", good)
        self.wait_running("job")
