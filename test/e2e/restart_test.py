"""The controller killed at every step of a Job's life, and two replicas of which one acts.

Nothing is kept in a process: what one controller began, another finishes from the cluster's state.
"""

import unittest

from case import GONE, SOON, ClusterCase, fresh_violations, shared_cluster
from invariants import is_true
from objects import cluster_queue, job, local_queue, namespace


class KillTest(ClusterCase):
    """SIGKILL as soon as the record shows a step; then a new process must bring it to its end."""

    def kill_when(self, condition, what):
        self.wait(condition, what)
        self.controller.kill()

    def restart(self):
        self.controller.start()

    def assert_runs_to_its_end(self, name, queue):
        self.restart()
        self.wait_running(name)
        self.end(name)
        self.wait_for(name, "Finished", reason="Succeeded")
        self.wait_usage(queue, 0)

    def test_before_the_workload_is_made(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.kill_when(lambda: self.job("job"), "the Job is there")
        self.assert_runs_to_its_end("job", queue)

    def test_when_the_workload_is_made(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.kill_when(lambda: self.workload("job"), "the Workload is there")
        self.assert_runs_to_its_end("job", queue)

    def test_when_quota_is_reserved(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.kill_when(lambda: self.has("job", "QuotaReserved"), "quota is reserved")
        self.assert_runs_to_its_end("job", queue)

    def test_when_the_job_is_started(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.kill_when(
            lambda: self.job("job") and not self.job("job")["spec"]["suspend"], "the Job is started"
        )
        self.assert_runs_to_its_end("job", queue)

    def test_while_the_pods_run_and_another_job_waits(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.submit("next", queue)
        self.kill_when(lambda: self.is_pending("next"), "the next job waits")
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
        self.kill_when(lambda: self.is_pending("next"), "the next job waits")
        self.end("job")
        self.wait(lambda: is_true(self.job("job"), "Complete"), "the Job is complete")
        self.restart()
        self.wait_for("job", "Finished", reason="Succeeded")
        self.wait_running("next")

    def test_while_it_is_away_the_job_is_deleted(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.controller.kill()
        self.delete_job("job")
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

    def preempted_when(self, condition, what):
        """Team B takes back what team A borrowed; the controller dies at `condition`."""
        common = {"cohortName": f"{self.name}-cohort", "preemption": {"reclaimWithinCohort": "Any"}}
        team_a, team_b = (self.make_queue(2, suffix, **common) for suffix in ("-a", "-b"))
        self.submit("borrower", team_a, cpu=1, parallelism=4)
        self.wait_running("borrower", pods=4)
        self.submit("owner", team_b, cpu=2)
        self.kill_when(condition, what)
        self.restart()
        self.wait_running("owner")
        self.wait(lambda: self.is_pending("borrower"), "the borrower waits")
        self.end("owner")
        self.wait_running("borrower", pods=4)

    def test_when_preemption_is_decided(self):
        self.preempted_when(lambda: self.has("borrower", "Evicted"), "the borrower is evicted")

    def test_when_the_preempted_job_is_suspended(self):
        self.preempted_when(lambda: self.job("borrower")["spec"]["suspend"], "it is suspended")

    def test_when_the_preempted_workload_gives_up_its_quota(self):
        self.preempted_when(
            lambda: self.has("borrower", "QuotaReserved", "False"), "its quota is released"
        )

    def test_when_the_preemptor_is_admitted(self):
        self.preempted_when(lambda: self.has("owner", "QuotaReserved"), "the owner has quota")

    def test_when_a_queue_is_drained(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.patch_queue(queue, stopPolicy="HoldAndDrain")
        self.kill_when(lambda: self.has("job", "Evicted"), "the job is evicted")
        self.restart()
        self.wait_pending("job")
        self.patch_queue(queue, stopPolicy="None")
        self.wait_running("job")

    def test_when_a_finished_job_frees_its_quota(self):
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_running("job")
        self.submit("next", queue)
        self.end("job")
        self.kill_when(lambda: self.has("job", "Finished"), "the Workload is finished")
        self.restart()
        self.wait_running("next")
        self.wait_usage(queue, 1)

    def test_again_and_again_while_a_stream_of_jobs_passes(self):
        queue = self.make_queue(2)
        names = [self.submit(f"job-{n}", queue, cpu=1 + n % 2, seconds=0.1) for n in range(10)]
        for threshold in (1, 4, 7):
            self.kill_when(
                lambda least=threshold: sum(self.has(name, "Finished") for name in names) >= least,
                f"{threshold} jobs have finished",
            )
            self.restart()
        for name in names:
            self.wait_for(name, "Finished", reason="Succeeded")
        self.wait_usage(queue, 0)


class PickedControllersTest(ClusterCase):
    def test_without_the_scheduler_jobs_get_workloads_that_wait(self):
        self.controller.kill()
        self.controller.arguments = ["--controllers", "*,-scheduler"]
        self.addCleanup(setattr, self.controller, "arguments", [])
        self.controller.start()
        queue = self.make_queue(1)
        self.submit("job", queue)
        self.wait_queue(queue, pendingWorkloads=1)
        self.wait_quiet(lambda: not self.has("job", "QuotaReserved"), "nobody admits it")
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


class LeaderTest(unittest.TestCase):
    """Two replicas. Both must be ready (each serves the conversion webhook); one decides."""

    LEASE = "/apis/coordination.k8s.io/v1/namespaces/kueue-system/leases/c1f6bfd2.kueue.x-k8s.io"

    def setUp(self):
        self.cluster, self.single = shared_cluster()
        self.single.kill()
        self.replicas = [self.cluster.add_controller(f"replica-{n}", True) for n in (1, 2)]
        for replica in self.replicas:
            replica.start()
        self.cluster.apply(namespace("leader"), cluster_queue("leader", 1))
        self.cluster.apply(local_queue("leader", "leader", "leader"))

    def tearDown(self):
        for replica in self.replicas:
            replica.kill()
        self.cluster.api.delete(self.LEASE)
        self.single.start()
        jobs = "/apis/batch/v1/namespaces/leader/jobs"
        for item in self.cluster.api.get(jobs)["items"]:
            path = f"{jobs}/{item['metadata']['name']}"
            self.cluster.api.delete(path, propagationPolicy="Background")
        history = self.cluster.history
        history.wait_until(lambda: not history.all("workloads", "leader"), GONE, "nothing is left")
        self.cluster.api.delete(self.cluster.path_of("clusterqueues", "leader"))
        history.wait_until(
            lambda: history.get("clusterqueues", "", "leader") is None, SOON, "the queue is gone"
        )
        self.assertEqual(fresh_violations(history), [])

    def run_job(self, name):
        self.cluster.apply(job(name, "leader", "leader", seconds=0.1))
        history = self.cluster.history

        def is_complete():
            found = history.get("jobs", "leader", name)
            return found and is_true(found, "Complete")

        history.wait_until(is_complete, SOON, f"Job {name} is complete")

    def test_the_other_takes_over_when_one_is_killed(self):
        self.run_job("with-both")
        # One of the two rounds kills the leader, whichever of the replicas that is.
        for replica in self.replicas:
            replica.kill()
            self.run_job(f"without-{replica.name}")
            replica.start()

    def test_the_other_takes_over_when_one_ends_in_order(self):
        self.run_job("with-both")
        for replica in self.replicas:
            self.assertEqual(replica.stop(), 0)
            self.run_job(f"without-{replica.name}")
            replica.start()

    def test_a_lease_is_released_in_the_end(self):
        for replica in self.replicas:
            self.assertEqual(replica.stop(), 0)
        self.assertFalse(self.cluster.api.get(self.LEASE)["spec"].get("holderIdentity"))
