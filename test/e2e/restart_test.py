"""The controller killed at every step of a Job's life.

Nothing is kept in a process: what one controller began, another finishes from the cluster's state.
"""

from case import ClusterCase
from history import KUEUE
from invariants import is_true
from objects import cluster_queue, kueue


class KillTest(ClusterCase):
    """SIGKILL after a step and before the next one, which only a new process may take.

    A controller goes on while a test is told of a step. So that it cannot be ahead, the parts that
    would take the next step are left out (`hold_back`), and the test checks that it was not taken.
    """

    def hold_back(self, *names):
        """From here on nothing does what these parts of the controller do."""
        self.controller.kill()
        self.controller.arguments = ["--controllers", ",".join(["*"] + [f"-{n}" for n in names])]
        self.controller.start()

    def kill_before(self, is_taken, what):
        """SIGKILL. The next step is not taken, and that is no news which the record lacks."""
        self.controller.kill()
        self.history.catch_up()
        self.assertFalse(bool(is_taken()), f"{what} before the controller was killed")

    def restart(self):
        self.controller.arguments = []
        self.controller.start()

    def assert_runs_to_its_end(self, name, queue):
        self.restart()
        self.wait_running(name)
        self.end(name)
        self.wait_for(name, "Finished", reason="Succeeded")
        self.wait_usage(queue, 0)

    def wait_workload(self, name):
        self.wait(lambda: self.workload(name), f"the Workload of {name} is there")

    def is_started(self, name):
        return not self.job(name)["spec"].get("suspend", False)

    def is_reserved(self, name):
        return self.has(name, "QuotaReserved")

    def test_before_the_workload_is_made(self):
        queue = self.make_queue(1)
        self.hold_back("job")
        self.submit("job", queue)
        self.wait(lambda: self.job("job"), "the Job is there")
        self.kill_before(lambda: self.workload("job"), "the Workload was made")
        self.assert_runs_to_its_end("job", queue)

    def test_when_the_workload_is_made(self):
        queue = self.make_queue(1)
        self.hold_back("scheduler")
        self.submit("job", queue)
        self.wait_workload("job")
        self.kill_before(lambda: self.is_reserved("job"), "quota was reserved")
        self.assert_runs_to_its_end("job", queue)

    def test_when_quota_is_reserved(self):
        queue = self.make_queue(1)
        self.hold_back("scheduler")
        self.submit("job", queue)
        self.wait_workload("job")
        self.hold_back("job")
        self.wait(lambda: self.is_reserved("job"), "quota is reserved")
        self.kill_before(lambda: self.is_started("job"), "the Job was started")
        self.assert_runs_to_its_end("job", queue)

    def test_when_quota_is_reserved_and_a_check_is_awaited(self):
        check = f"{self.name}-check"
        self.cluster.apply(kueue("AdmissionCheck", check, {"controllerName": "test/by-hand"}))
        path = f"{KUEUE}/admissionchecks/{check}"
        self.addCleanup(self.cluster.api.delete, path)
        said = {"lastTransitionTime": "2026-01-01T00:00:00Z", "message": "by hand"}
        active = said | {"type": "Active", "status": "True", "reason": "Active"}
        self.set_status(path, conditions=[active])
        rules = {"admissionChecks": [{"name": check}]}
        queue = self.make_queue(1, admissionChecksStrategy=rules)
        self.submit("job", queue)
        self.wait(lambda: self.is_reserved("job"), "quota is reserved")
        self.kill_before(lambda: self.has("job", "Admitted"), "the Workload was admitted")
        self.restart()
        self.wait_quiet(lambda: not self.has("job", "Admitted"), "the check is awaited still")
        workload = self.workload("job")["metadata"]["name"]
        self.set_status(
            self.cluster.path_of("workloads", workload, self.space),
            admissionChecks=[said | {"name": check, "state": "Ready"}],
        )
        self.wait_running("job")
        self.assertTrue(self.has("job", "Admitted"))

    def set_status(self, path, **status):
        self.cluster.api.patch(path + "/status", {"status": status})

    def test_when_the_job_is_started(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait(lambda: self.job("job") and self.is_started("job"), "the Job is started")
        self.kill_before(lambda: self.has("job", "Finished"), "the Workload was finished")
        self.assert_runs_to_its_end("job", queue)

    def test_while_the_pods_run_and_another_job_waits(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.submit("next", queue)
        self.wait_for("next", "QuotaReserved", "False")
        self.kill_before(lambda: self.is_reserved("next"), "the next job had quota")
        self.restart()
        self.wait_quiet(
            lambda: self.is_running("job") and self.is_pending("next"),
            "what runs still counts after the restart",
        )
        self.end("job")
        self.wait_running("next")

    def test_while_it_is_away_the_job_ends(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.submit("next", queue)
        self.wait_pending("next")
        self.controller.kill()
        self.end("job")
        self.wait(lambda: is_true(self.job("job"), "Complete"), "the Job is complete")
        self.assertFalse(self.has("job", "Finished"))
        self.restart()
        self.wait_for("job", "Finished", reason="Succeeded")
        self.wait_running("next")

    def test_while_it_is_away_the_job_is_deleted(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.controller.kill()
        self.delete_job("job")
        self.wait(lambda: self.job("job") is None, "the Job is gone")
        self.submit("next", queue)
        self.restart()
        self.wait_running("next")
        self.wait(
            lambda: len(self.history.all("workloads", self.space)) == 1,
            "the deleted Job's Workload is gone",
        )

    def test_while_it_is_away_the_queue_is_changed(self):
        queue = self.make_queue(1)
        self.submit("job", queue, cpu=2)
        self.wait_for("job", "QuotaReserved", "False")
        self.controller.kill()
        self.cluster.apply(cluster_queue(queue, 2))
        self.assert_runs_to_its_end("job", queue)

    def reclaim(self):
        """Team B takes back what team A borrowed. It is decided, and the borrower not stopped."""
        common = {"cohortName": f"{self.name}-cohort", "preemption": {"reclaimWithinCohort": "Any"}}
        team_a, team_b = (self.make_queue(2, suffix, **common) for suffix in ("-a", "-b"))
        self.submit("borrower", team_a, cpu=1, parallelism=4)
        self.wait_running("borrower", pods=4)
        self.hold_back("scheduler")
        self.submit("owner", team_b, cpu=2)
        self.wait_workload("owner")
        self.hold_back("job")
        self.wait_for("borrower", "Evicted", reason="Preempted")

    def release(self):
        """The borrower has stopped and given its quota up. No workload has it yet."""
        self.hold_back("scheduler")
        self.wait_for("borrower", "QuotaReserved", "False")

    def assert_reclaimed_and_returned(self):
        self.restart()
        self.wait_running("owner")
        self.wait(lambda: self.is_pending("borrower"), "the borrower waits")
        self.end("owner")
        self.wait_running("borrower", pods=4)

    def test_when_preemption_is_decided(self):
        self.reclaim()
        self.kill_before(lambda: not self.is_started("borrower"), "the borrower was stopped")
        self.assert_reclaimed_and_returned()

    def test_when_the_preempted_job_is_suspended(self):
        self.reclaim()
        # Quota is kept until the Job has no active pod, which the Job controller says.
        with self.cluster.plane.component("kube-controller-manager").paused():
            self.hold_back()
            self.wait(lambda: not self.is_started("borrower"), "the borrower is suspended")
            self.kill_before(lambda: not self.is_reserved("borrower"), "its quota was released")
        self.assert_reclaimed_and_returned()

    def test_when_the_preempted_workload_gives_up_its_quota(self):
        self.reclaim()
        self.release()
        self.kill_before(lambda: self.is_reserved("owner"), "the owner had quota")
        self.assert_reclaimed_and_returned()

    def test_when_the_preemptor_is_admitted(self):
        self.reclaim()
        self.release()
        self.hold_back("job")
        self.wait(lambda: self.is_reserved("owner"), "the owner has quota")
        self.kill_before(lambda: self.is_started("owner"), "the owner was started")
        self.assert_reclaimed_and_returned()

    def test_when_a_queue_is_drained(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.hold_back("job")
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        self.wait_for("job", "Evicted", reason="ClusterQueueStopped")
        self.kill_before(lambda: not self.is_started("job"), "the job was stopped")
        self.restart()
        self.wait_pending("job")
        self.patch_queue(queue, stopPolicy="None")
        self.wait_running("job")

    def test_when_a_finished_job_frees_its_quota(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.hold_back("scheduler")
        self.submit("next", queue)
        self.wait_workload("next")
        self.end("job")
        self.wait_for("job", "Finished")
        self.kill_before(lambda: self.is_reserved("next"), "the next job had quota")
        self.restart()
        self.wait_running("next")
        self.wait_usage(queue, 1)

    def test_again_and_again_while_a_stream_of_jobs_passes(self):
        queue = self.make_queue(3)
        names = [self.submit(f"job-{n}", queue, cpu=1 + n % 2, seconds=0.1) for n in range(10)]
        names.append(self.submit("last", queue))  # runs until it is told to end
        for threshold in (1, 4, 7):
            self.wait(
                lambda least=threshold: sum(self.has(name, "Finished") for name in names) >= least,
                f"{threshold} jobs have finished",
            )
            self.kill_before(
                lambda: all(self.has(name, "Finished") for name in names), "all had finished"
            )
            self.restart()
        self.wait_running("last")
        self.end("last")
        for name in names:
            self.wait_for(name, "Finished", reason="Succeeded")
        self.wait_usage(queue, 0)


class PickedControllersTest(ClusterCase):
    def test_without_the_scheduler_jobs_get_workloads_that_wait(self):
        self.controller.kill()
        self.controller.arguments = ["--controllers", "*,-scheduler"]
        self.controller.start()
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_queue(queue, pendingWorkloads=1)
        self.wait_quiet(lambda: not self.has("job", "QuotaReserved"), "it is not admitted")
        self.controller.kill()
        self.controller.arguments = []
        self.controller.start()
        self.wait_running("job")


class GracefulTest(ClusterCase):
    def test_sigterm_ends_it_cleanly_and_the_next_one_goes_on(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.assertEqual(self.controller.stop(), 0)
        self.end("job")
        self.controller.start()
        self.wait_for("job", "Finished", reason="Succeeded")
