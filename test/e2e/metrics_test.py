"""Who may read the metrics: the API server says so of each token."""

import urllib.error

from case import ClusterCase

from objects import namespace


class MetricsTest(ClusterCase):
    def status(self, token=None):
        try:
            with self.controller.open_metrics(token) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_a_token_and_the_right_are_needed(self):
        self.assertEqual(self.status(), 401)
        self.assertEqual(self.status("made-up"), 401)
        space = f"{self.space}-scraper"
        self.cluster.apply(
            namespace(space),
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": "scraper", "namespace": space},
            },
        )
        self.addCleanup(self.cluster.plane.kubectl, "delete", "namespace", space, "--wait=false")
        token = self.cluster.plane.kubectl("create", "token", "scraper", "-n", space).strip()
        self.assertEqual(self.status(token), 403)
        self.assertEqual(self.status(self.controller.token()), 200)
