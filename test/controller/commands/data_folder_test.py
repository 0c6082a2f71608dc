"""`sluice dev --data DIR` from one run to the next: data_folder_test.py SLUICE"""

import base64
import json
import os
import pathlib
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

SLUICE = os.path.abspath(sys.argv.pop(1))
PATIENCE = 60
MAPS = "/api/v1/namespaces/default/configmaps"
QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
QUEUE = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}}
"""


class Server:
    """One run of `sluice dev`."""

    def __init__(self, folder, arguments=("--server-only",)):
        self.config = pathlib.Path(folder) / "dev.kubeconfig"
        self.config.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [SLUICE, "dev", "--write-kubeconfig", self.config, "--data", f"{folder}/data",
             *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for line in self.process.stdout:
            if "Ctrl-C" in line:
                break
        config = json.loads(self.config.read_text())
        cluster = config["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.token = config["users"][0]["user"]["token"]
        self.authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=self.authority)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, context=self.context, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def create_map(self, name):
        body = {"metadata": {"name": name}, "data": {"x": "y" * 200}}
        return self.ask("POST", MAPS, body)["metadata"]

    def end(self, number):
        self.process.send_signal(number)
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(PATIENCE)


class DataFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = pathlib.Path(self.folder) / "data/snapshot.jsonl"

    def start(self, *arguments):
        server = Server(self.folder, arguments or ("--server-only",))
        self.addCleanup(lambda: server.process.poll() is not None or server.end(signal.SIGKILL))
        return server

    def refused(self):
        run = subprocess.run(
            [SLUICE, "dev", "--server-only", "--write-kubeconfig", f"{self.folder}/other",
             "--data", f"{self.folder}/data"],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def test_what_is_there_when_it_ends_is_there_again(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                server = self.start()
                made = server.create_map(f"m{int(number)}")
                self.assertEqual(server.end(number), 0)
                again = self.start()
                found = again.ask("GET", f"{MAPS}/m{int(number)}")["metadata"]
                self.assertEqual(found["uid"], made["uid"])
                self.assertEqual(found["resourceVersion"], made["resourceVersion"])
                self.assertEqual(again.end(signal.SIGINT), 0)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)

    def test_the_whole_cluster_goes_on(self):
        manifest = pathlib.Path(self.folder) / "queue.yaml"
        manifest.write_text(QUEUE)
        server = self.start("-f", str(manifest), "--nodes", "n: 2x cpu=4")
        uid = server.ask("GET", f"{QUEUES}/q")["metadata"]["uid"]
        nodes = {n["metadata"]["uid"] for n in server.ask("GET", "/api/v1/nodes")["items"]}
        server.end(signal.SIGINT)
        # The webhooks are those of the new controller: a change of the queue goes through them.
        again = self.start("-f", str(manifest), "--nodes", "n: 2x cpu=4", "--nodes", "m: 1x cpu=1")
        found = again.ask("GET", f"{QUEUES}/q")
        self.assertEqual(found["metadata"]["uid"], uid)
        for attempt in range(20):  # the controller writes it too
            found["spec"]["stopPolicy"] = "Hold"
            try:
                again.ask("PUT", f"{QUEUES}/q", found)
                break
            except urllib.error.HTTPError as refused:
                if refused.code != 409 or attempt == 19:
                    raise
            found = again.ask("GET", f"{QUEUES}/q")
        now = {n["metadata"]["uid"] for n in again.ask("GET", "/api/v1/nodes")["items"]}
        self.assertEqual(len(now - nodes), 1)
        self.assertEqual(nodes - now, set())
        again.end(signal.SIGINT)

    def test_the_admission_objects_of_users_stay(self):
        hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
        policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
        policy = {
            "matchConstraints": {"resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
                 "operations": ["CREATE"]}]},
            "validations": [{"expression": "true"}],
        }  # fmt: skip
        for arguments in ((), ("--nodes", "n: 1x cpu=4")):
            with self.subTest(arguments):
                server = self.start(*arguments)
                server.ask("POST", hooks, {"metadata": {"name": "kueue-mine"}, "webhooks": []})
                server.ask("POST", policies, {"metadata": {"name": "kueue-mine"}, "spec": policy})
                server.end(signal.SIGINT)
                for again in ((), arguments):
                    server = self.start(*again)
                    for path in (hooks, policies):
                        server.ask("DELETE" if again else "GET", f"{path}/kueue-mine")
                    server.end(signal.SIGINT)
                self.file.unlink()

    def test_webhooks_of_an_earlier_controller_lead_nobody_astray(self):
        hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
        server = self.start("--nodes", "n: 1x cpu=4")
        names = {item["metadata"]["name"] for item in server.ask("GET", hooks)["items"]}
        self.assertEqual(names, {"kueue-validating-webhook-configuration"})
        server.end(signal.SIGINT)
        server = self.start()  # without controller
        self.assertEqual(server.ask("GET", hooks)["items"], [])
        name = {"metadata": {"name": "kueue-validating-webhook-configuration"}, "webhooks": []}
        server.ask("POST", hooks, name)
        server.end(signal.SIGINT)
        server = self.start()
        self.assertEqual(len(server.ask("GET", hooks)["items"]), 1, "that is the user's")
        server.end(signal.SIGINT)

    def test_kinds_are_converted_also_without_the_controller_of_an_earlier_run(self):
        old = QUEUES.replace("v1beta2", "v1beta1")
        kind = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue"}
        queue = kind | {"spec": {"namespaceSelector": {}, "cohort": "root"}}
        server = self.start("--nodes", "n: 1x cpu=4")
        server.ask("POST", old, {"metadata": {"name": "a"}} | queue)
        server.end(signal.SIGINT)
        server = self.start()  # without controller
        self.assertEqual(server.ask("GET", f"{old}/a")["spec"]["cohort"], "root")
        server.ask("POST", old, {"metadata": {"name": "b"}} | queue)
        self.assertEqual(server.ask("GET", f"{QUEUES}/b")["spec"]["cohortName"], "root")
        server.end(signal.SIGINT)
        server = self.start("--nodes", "n: 1x cpu=4")
        self.assertEqual(len(server.ask("GET", old)["items"]), 2)
        server.end(signal.SIGINT)

    def test_each_namespace_has_the_authority_of_this_run(self):
        def authorities(server):
            maps = server.ask("GET", "/api/v1/configmaps")["items"]
            return {
                item["metadata"]["namespace"]: item["data"]["ca.crt"]
                for item in maps
                if item["metadata"]["name"] == "kube-root-ca.crt"
            }

        server = self.start()
        server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "mine"}})
        before = authorities(server)
        self.assertIn("mine", before)
        server.end(signal.SIGINT)
        server = self.start()
        after = authorities(server)
        self.assertEqual(set(after), set(before))
        self.assertEqual(set(after.values()), {server.authority})
        self.assertNotIn(server.authority, before.values())
        server.end(signal.SIGINT)

    def test_no_address_is_given_twice(self):
        pods = "/api/v1/namespaces/default/pods"

        def add_pod(server, name):
            container = {"name": "c", "image": "x"}
            spec = {"containers": [container], "restartPolicy": "Never"}
            server.ask("POST", pods, {"metadata": {"name": name}, "spec": spec})
            end = time.monotonic() + PATIENCE
            while not server.ask("GET", f"{pods}/{name}")["status"].get("podIP"):
                self.assertLess(time.monotonic(), end, "the pod has no address")
                time.sleep(0.02)

        addresses, hosts = [], []
        for turn in range(3):
            server = self.start("--nodes", f"n{turn}: 2x cpu=4")
            add_pod(server, f"p{turn}")
            addresses = [pod["status"]["podIP"] for pod in server.ask("GET", pods)["items"]]
            hosts = [
                node["status"]["addresses"][0]["address"]
                for node in server.ask("GET", "/api/v1/nodes")["items"]
            ]
            server.end(signal.SIGINT)
        self.assertEqual((len(addresses), len(set(addresses))), (3, 3), addresses)
        self.assertEqual((len(hosts), len(set(hosts))), (6, 6), hosts)

    def test_kept_nodes_are_not_joined_by_others(self):
        for arguments in (("--nodes", "gpu: 2x cpu=4"), ("--run-seconds", "1")):
            server = self.start(*arguments)
            nodes = server.ask("GET", "/api/v1/nodes")["items"]
            self.assertEqual([node["metadata"]["name"] for node in nodes], ["gpu-1", "gpu-2"])
            server.end(signal.SIGINT)

    def test_a_watch_from_before_is_told_to_list_again(self):
        server = self.start()
        server.create_map("m")
        version = server.ask("GET", MAPS)["metadata"]["resourceVersion"]
        server.end(signal.SIGINT)
        again = self.start()
        event = again.ask("GET", f"{MAPS}?watch=true&resourceVersion={version}")
        self.assertEqual((event["type"], event["object"]["code"]), ("ERROR", 410))
        again.end(signal.SIGINT)

    def test_a_damaged_file_is_refused_and_stays(self):
        server = self.start()
        server.create_map("m")
        server.end(signal.SIGINT)
        whole = self.file.read_bytes()
        for content, reason in (
            (whole[: len(whole) // 2], "it is truncated"),
            (whole.replace(b"yyy", b"yzy", 1), "its checksum does not match"),
            (b"", "it is truncated"),
            (b"kind: ConfigMap\n", "it is not a snapshot of sluice dev"),
        ):
            with self.subTest(reason):
                self.file.write_bytes(content)
                told = self.refused()
                self.assertEqual(len(told.splitlines()), 1, told)
                self.assertTrue(told.startswith(f"error: {self.file}: {reason}"), told)
                self.assertEqual(self.file.read_bytes(), content)
        self.file.unlink()
        self.file.mkdir()
        self.assertIn(f"{self.file} cannot be read: Is a directory", self.refused())

    def test_two_processes_do_not_share_a_folder(self):
        server = self.start()
        self.assertEqual(
            self.refused(), f"error: {self.folder}/data is in use by another process\n"
        )
        server.end(signal.SIGKILL)
        self.start().end(signal.SIGINT)

    def test_a_folder_that_cannot_be_made_is_told(self):
        pathlib.Path(self.folder, "data").write_text("a file")
        self.assertIn(f"error: {self.folder}/data cannot be created", self.refused())

    def test_a_cluster_that_cannot_be_kept_is_told_and_fails(self):
        for arguments in (("--server-only",), ("--nodes", "n: 1x cpu=4")):
            with self.subTest(arguments):
                server = self.start(*arguments)
                obstacle = pathlib.Path(f"{self.file}.new")
                end = time.monotonic() + PATIENCE
                while not obstacle.is_dir():
                    self.assertLess(time.monotonic(), end)
                    try:
                        obstacle.mkdir()
                    except FileExistsError:
                        time.sleep(0.01)  # it is being written
                server.create_map("m")
                server.process.send_signal(signal.SIGINT)
                told = server.process.stdout.read()
                server.process.stdout.close()
                self.assertEqual(server.process.wait(PATIENCE), 1, told)
                self.assertIn(
                    f"error: cannot save the cluster: {obstacle} cannot be written: "
                    "Is a directory\n", told,
                )  # fmt: skip
                obstacle.rmdir()
                self.file.unlink(missing_ok=True)

    def test_a_kill_at_any_moment_leaves_a_whole_snapshot(self):
        kept = 0
        for turn in range(6):
            server = self.start()
            names = {item["metadata"]["name"] for item in server.ask("GET", MAPS)["items"]}
            # What was there once is there: nothing goes back further than the last start.
            self.assertGreaterEqual(len(names), kept)
            kept = len(names)
            written = []

            def write(server=server, turn=turn, written=written):
                try:
                    for number in range(100000):
                        server.create_map(f"t{turn}-{number:05}")
                        written.append(number)
                except (OSError, urllib.error.URLError, ValueError):
                    pass  # it was killed

            writer = threading.Thread(target=write)
            writer.start()
            time.sleep(1.0 + 0.37 * turn)
            server.end(signal.SIGKILL)
            writer.join(PATIENCE)
            self.assertGreater(len(written), 0)
            after = self.start()
            there = sorted(
                item["metadata"]["name"]
                for item in after.ask("GET", MAPS)["items"]
                if item["metadata"]["name"].startswith(f"t{turn}-")
            )
            # A moment of what was written: no gaps, and nothing that never was.
            self.assertEqual(there, [f"t{turn}-{number:05}" for number in range(len(there))])
            self.assertLessEqual(len(there), len(written) + 1)
            kept = len(after.ask("GET", MAPS)["items"])
            after.end(signal.SIGINT)
        self.assertGreater(kept, 0)


if __name__ == "__main__":
    unittest.main()
