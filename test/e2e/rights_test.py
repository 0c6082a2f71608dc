"""The rights of examples/deploy/rbac.yaml: what a run without trouble never asks for."""

from case import ClusterCase

ACCOUNT = "system:serviceaccount:kueue-system:sluice-controller-manager"
# What the controller writes, it asks for where the watch is late or an answer was lost.
WRITTEN = (
    ["jobs.batch"]
    + [
        f"{kind}.kueue.x-k8s.io"
        for kind in (
            "admissionchecks",
            "clusterqueues",
            "cohorts",
            "localqueues",
            "resourceflavors",
            "workloads",
        )
    ]
)


class RightsTest(ClusterCase):
    def test_what_is_written_may_be_read_again(self):
        for resource in WRITTEN:
            with self.subTest(resource):
                answer = self.cluster.plane.kubectl(
                    "auth", "can-i", "get", resource, f"--as={ACCOUNT}", "--all-namespaces"
                )
                self.assertEqual(answer.strip(), "yes")
