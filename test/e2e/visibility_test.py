"""What waits where, as users ask the API server for it: kubectl over the aggregated API."""

import json
import re
import time

from aggregated import publish_apis
from case import ClusterCase
from control_plane import ControlPlaneError, wait_until

from objects import local_queue, priority_class

GROUP = "visibility.kueue.x-k8s.io"
VERSIONS = ("v1beta1", "v1beta2")


class VisibilityTest(ClusterCase):
    def setUp(self):
        super().setUp()
        publish_apis(self, *((version, GROUP) for version in VERSIONS))

    def kubectl(self, *arguments):
        return self.cluster.plane.kubectl(*arguments)

    def ask(self, path, *options, version="v1beta2"):
        return json.loads(
            self.kubectl("get", "--raw", f"/apis/{GROUP}/{version}/{path}", *options)
        )

    def pending(self, path, **options):
        return [
            (
                item["metadata"]["name"],
                item["positionInClusterQueue"],
                item["positionInLocalQueue"],
            )
            for item in self.ask(path, **options)["items"]
        ]

    def make_line(self):
        """A full queue of 1 CPU, behind which four Jobs of two LocalQueues wait; returns it."""
        queue = self.make_queue(1)
        other = f"{queue}-other"
        self.cluster.apply(
            local_queue(other, self.space, queue),
            priority_class(f"{queue}-urgent", 1000),
        )
        self.addCleanup(self.kubectl, "delete", "workloadpriorityclass", f"{queue}-urgent")
        self.submit("running", queue)
        self.wait_running("running")
        for name, local, priority in (
            ("first", queue, None),
            ("second", other, None),
            ("third", queue, None),
            ("urgent", other, f"{queue}-urgent"),
        ):
            self.submit(name, local, priority=priority)
            self.wait_pending(name)
            # Creation times have seconds.
            time.sleep(1.1)
        return queue

    def test_who_waits_where(self):
        queue = self.make_line()
        jobs = ("first", "second", "third", "urgent")
        named = {self.workload(each)["metadata"]["name"]: each for each in jobs}

        def places(path, **options):
            return [(named[name], *rest) for name, *rest in self.pending(path, **options)]

        whole = [("urgent", 0, 0), ("first", 1, 0), ("second", 2, 1), ("third", 3, 1)]
        path = f"clusterqueues/{queue}/pendingworkloads"
        self.wait(lambda: places(path) == whole, "all four wait in order")
        self.assertEqual(places(path, version="v1beta1"), whole)
        self.assertEqual(places(f"{path}?limit=2&offset=1"), whole[1:3])
        self.assertEqual(places(f"{path}?limit=-1"), [])
        local = f"namespaces/{self.space}/localqueues/{queue}/pendingworkloads"
        self.assertEqual(places(local), [whole[1], whole[3]])
        self.assertEqual(places(f"{local}?offset=1"), [whole[3]])

        item = self.ask(path)["items"][0]
        self.assertEqual(item["priority"], 1000)
        self.assertEqual(item["localQueueName"], f"{queue}-other")
        owner = item["metadata"]["ownerReferences"][0]
        self.assertEqual((owner["kind"], owner["name"]), ("Job", "urgent"))
        self.assertEqual(item["metadata"]["namespace"], self.space)

        self.end("running")
        self.wait(lambda: places(path)[0][0] == "first", "the urgent one has gone")

    def test_the_api_server_checks_the_certificate(self):
        secret = json.loads(
            self.kubectl("get", "secret", "-n", "kueue-system", "kueue-webhook-server-cert", "-o",
                         "json")
        )  # fmt: skip
        for version in VERSIONS:
            made = json.loads(self.kubectl("get", "apiservice", f"{version}.{GROUP}", "-o", "json"))
            self.assertEqual(made["spec"]["caBundle"], secret["data"]["ca.crt"])
            self.assertNotIn("insecureSkipTLSVerify", made["spec"])

    def test_a_queue_that_no_one_has_is_not_found(self):
        for path, kind in (
            ("clusterqueues/none/pendingworkloads", "clusterqueue"),
            (f"namespaces/{self.space}/localqueues/none/pendingworkloads", "localqueue"),
        ):
            with self.assertRaisesRegex(ControlPlaneError, f'{kind}.{GROUP} "none" not found'):
                self.ask(path)

    def test_only_those_with_the_right_may_see(self):
        queue = self.make_queue(1)
        path = f"/apis/{GROUP}/v1beta2/clusterqueues/{queue}/pendingworkloads"
        with self.assertRaisesRegex(ControlPlaneError, "Forbidden"):
            self.kubectl("get", "--raw", path, "--as=someone")
        role = f"{queue}-viewer"
        self.kubectl(
            "create", "clusterrole", role, "--verb=get",
            f"--resource=clusterqueues.{GROUP}/pendingworkloads",
        )  # fmt: skip
        self.addCleanup(self.kubectl, "delete", "clusterrole", role)
        self.kubectl("create", "clusterrolebinding", role, f"--clusterrole={role}", "--user=viewer")
        self.addCleanup(self.kubectl, "delete", "clusterrolebinding", role)
        self.assertEqual(json.loads(self.kubectl("get", "--raw", path, "--as=viewer"))["items"], [])

    def test_the_api_is_discovered(self):
        shown = self.kubectl("api-resources", f"--api-group={GROUP}", "--cached=false")
        self.assertNotIn("error", shown)
        group = json.loads(self.kubectl("get", "--raw", f"/apis/{GROUP}"))
        self.assertEqual(group["preferredVersion"]["version"], "v1beta2")
        names = {each["name"]: each["verbs"] for each in self.ask("")["resources"]}
        self.assertEqual(names["clusterqueues/pendingworkloads"], ["get"])
        self.assertEqual(names["localqueues"], [])

    def test_the_openapi_of_the_cluster_holds_it(self):
        path = f"/apis/{GROUP}/v1beta2/clusterqueues/{{name}}/pendingworkloads"

        def is_in_v2():
            document = json.loads(self.kubectl("get", "--raw", "/openapi/v2"))
            if path not in document["paths"]:
                return False
            for reference in re.findall(r'"#/definitions/([^"]+)"', json.dumps(document)):
                self.assertIn(reference, document["definitions"])
            return True

        wait_until(is_in_v2, 60.0, "the document of version 2 has the path")

        def url_in_v3():
            index = json.loads(self.kubectl("get", "--raw", "/openapi/v3"))["paths"]
            return index.get(f"apis/{GROUP}/v1beta2", {}).get("serverRelativeURL")

        wait_until(url_in_v3, 60.0, "the index of version 3 has the document")
        document = json.loads(self.kubectl("get", "--raw", url_in_v3()))
        self.assertIn(path, document["paths"])
        for reference in re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)):
            self.assertIn(reference, document["components"]["schemas"])
