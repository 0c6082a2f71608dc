"""Two replicas. Both must be ready (each serves the conversion webhook); one decides."""

import time
import unittest

from api_client import ApiError
from control_plane import wait_until

from case import GONE, SOON, fresh_violations, shared_cluster
from controller_process import LEASE_SECONDS, with_clock
from invariants import is_true, owner_of
from objects import cluster_queue, job, local_queue, namespace
from writes import LEASE, credential_of, find_foreign_writes, holders, read_writes


class LeaderTest(unittest.TestCase):
    """Which replica leads is read from the replicas' metrics, the Lease, and the writes in the API
    server's audit log. After each test the whole log is judged.
    """

    PATH = f"/apis/coordination.k8s.io/v1/namespaces/kueue-system/leases/{LEASE}"

    def setUp(self):
        self.cluster, self.single = shared_cluster()
        self.history = self.cluster.history
        self.single.kill()
        self.replicas = [self.cluster.add_controller(f"replica-{n}", True) for n in (1, 2)]
        self.credentials = {credential_of(each.kubeconfig): each for each in self.replicas}
        for replica in self.replicas:
            replica.start()
        self.cluster.apply(namespace("leader"), cluster_queue("leader", 1))
        self.cluster.apply(local_queue("leader", "leader", "leader"))

    def tearDown(self):
        for replica in self.replicas:
            replica.kill()
        foreign = find_foreign_writes(self.writes())
        self.cluster.api.delete(self.PATH)
        self.single.start()
        jobs = "/apis/batch/v1/namespaces/leader/jobs"
        for item in self.cluster.api.get(jobs)["items"]:
            path = f"{jobs}/{item['metadata']['name']}"
            self.cluster.api.delete(path, propagationPolicy="Background")
        self.history.wait_until(
            lambda: not self.history.all("workloads", "leader"), GONE, "nothing is left"
        )
        self.cluster.api.delete(self.cluster.path_of("clusterqueues", "leader"))
        self.history.wait_until(
            lambda: not self.history.get("clusterqueues", "", "leader"), SOON, "the queue is gone"
        )
        self.assertEqual(fresh_violations(self.history), [])
        self.assertEqual(foreign, [])

    def run_job(self, name):
        """Runs a Job to its end and returns which replicas wrote it or its Workload."""
        self.cluster.apply(job(name, "leader", "leader", seconds=0.1))

        def find_workloads():
            uid = self.history.get("jobs", "leader", name)["metadata"]["uid"]
            every = self.history.all("workloads", "leader")
            return [each for each in every if owner_of(each) == uid]

        def is_over():
            found = self.history.get("jobs", "leader", name)
            is_complete = found and is_true(found, "Complete")
            return is_complete and all(is_true(each, "Finished") for each in find_workloads())

        # A killed leader's lease must run out first.
        self.history.wait_until(is_over, 2 * SOON, f"Job {name} and its Workload have ended")
        # Not all that was written meanwhile: of an earlier Job something may have been left to do.
        written = {("workloads", each["metadata"]["name"]) for each in find_workloads()}
        self.assertEqual(len(written), 1)
        written.add(("jobs", name))
        return {
            self.credentials[each.credential]
            for each in self.writes()
            if (each.resource, each.name) in written and each.is_done
        }

    def writes(self):
        return read_writes(self.cluster.plane.audit_log, self.credentials)

    def leads(self, replica):
        return replica.metric("leader_election_master_status", name=LEASE)

    def find_roles(self):
        """(leader, standby), when one of the two says that it leads."""
        wait_until(lambda: any(map(self.leads, self.replicas)), SOON, "one replica leads")
        return sorted(self.replicas, key=self.leads, reverse=True)

    def lease(self):
        try:
            return self.cluster.api.get(self.PATH)["spec"]
        except ApiError:
            return {}

    def assert_leads(self, leader, standby=None):
        """`leader` has the Lease, says so, and no other replica says it."""
        wait_until(lambda: self.leads(leader) == 1, SOON, f"{leader.name} says that it leads")
        if standby is not None:
            self.assertEqual(self.leads(standby), 0)
        credential, holder = holders(self.writes())[-1]
        self.assertEqual(self.credentials[credential].name, leader.name)
        self.assertTrue(holder)
        self.assertEqual(self.lease().get("holderIdentity"), holder)

    def test_the_clocks_of_the_replicas_differ_by_a_minute(self):
        for replica, seconds in zip(self.replicas, (30, -30), strict=True):
            replica.kill()
            replica.environment = with_clock(self.cluster.directory, seconds)
        for replica in self.replicas:
            replica.start()
        leader, standby = self.find_roles()
        self.assertEqual(self.run_job("one"), {leader})
        time.sleep(2 * LEASE_SECONDS)
        self.assertTrue(self.leads(leader))
        self.assertFalse(self.leads(standby))
        leader.kill()
        self.assertEqual(self.run_job("two"), {standby})

    def test_one_acts_and_the_other_stands_by(self):
        leader, standby = self.find_roles()
        self.assert_leads(leader, standby)
        for number in range(3):
            self.assertEqual(self.run_job(f"job-{number}"), {leader})
        self.assert_leads(leader, standby)
        self.assertEqual(len(holders(self.writes())), 1, "the Lease did not change hands")
        admitted = "kueue_admitted_workloads_total"
        self.assertEqual(leader.metric(admitted, cluster_queue="leader"), 3)
        self.assertEqual(standby.metric(admitted, cluster_queue="leader"), 0)

    def test_the_other_takes_over_when_the_leader_is_killed(self):
        leader, standby = self.find_roles()
        self.assertEqual(self.run_job("with-both"), {leader})
        leader.kill()
        self.assertEqual(self.run_job("without-the-leader"), {standby})
        leader.start()
        self.assert_leads(standby, leader)
        # And nothing happens when it is the one that stands by.
        leader.kill()
        self.assertEqual(self.run_job("without-the-standby"), {standby})
        self.assert_leads(standby)
        self.assertEqual(len(holders(self.writes())), 2, "the Lease changed hands once")

    def test_the_other_takes_over_when_the_leader_ends_in_order(self):
        leader, standby = self.find_roles()
        self.assertEqual(self.run_job("with-both"), {leader})
        self.assertEqual(leader.stop(), 0)
        self.assertEqual(self.run_job("without-the-leader"), {standby})
        self.assert_leads(standby)
        # Given up by the one before it was taken by the other.
        first, given_up, second = holders(self.writes())
        self.assertEqual(given_up, (first[0], ""))
        self.assertEqual(self.credentials[second[0]].name, standby.name)

    def test_a_leader_that_slept_through_its_lease_writes_nothing_more(self):
        leader, standby = self.find_roles()
        self.assertEqual(self.run_job("with-both"), {leader})
        with leader.paused():
            self.assertEqual(self.run_job("while-it-slept"), {standby})
        # tearDown finds what it wrote after it woke, if anything.
        self.assertEqual(self.run_job("after-it-woke"), {standby})
        self.assert_leads(standby)

    def test_a_lease_is_released_in_the_end(self):
        leader, standby = self.find_roles()
        for replica in (standby, leader):
            self.assertEqual(replica.stop(), 0)
        self.assertFalse(self.lease().get("holderIdentity"))
        gave_up = [writer for writer, holder in holders(self.writes()) if not holder]
        self.assertEqual(gave_up, [credential_of(leader.kubeconfig)])
