"""`sluice dev --step`, driven by a script: step_test.py SLUICE"""

import concurrent.futures
import datetime
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error

from stepped import MANIFEST, PATIENCE, Stepped, job

SLUICE = os.path.abspath(sys.argv.pop(1))
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads"
QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"


class Step(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *arguments):
        stepped = Stepped(SLUICE, self.folder, *arguments)
        self.addCleanup(stepped.close)
        return stepped

    def test_a_job_of_ten_minutes_is_finished_after_a_step_of_ten_minutes(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, job("long", 600))
        time.sleep(0.3)  # of the machine: nothing comes of it
        begun = stepped.time
        self.assertEqual(stepped.ask("GET", f"{JOBS}/long")["status"]["active"], 1)
        stepped.step("9m")
        self.assertEqual(stepped.conditions(f"{JOBS}/long"), set())
        machine = time.monotonic()
        printed = stepped.step("1m")
        self.assertIn("Complete", stepped.conditions(f"{JOBS}/long"))
        self.assertLess(time.monotonic() - machine, 1)
        workload = stepped.ask("GET", WORKLOADS)["items"][0]["metadata"]["name"]
        self.assertIn("Finished", stepped.conditions(f"{WORKLOADS}/{workload}"))
        self.assertTrue(any("Job default/long: Completed" in line for line in printed), printed)
        passed = (stepped.time - begun).total_seconds()
        self.assertTrue(600 <= passed <= 620, passed)

    def test_jobs_of_a_cron_job_queue_like_others(self):
        stepped = self.start()
        template = job("any", 90)
        del template["metadata"]["name"]
        spec = {"schedule": "*/10 * * * *", "jobTemplate": template}
        path = JOBS.replace("jobs", "cronjobs")
        stepped.ask("POST", path, {"metadata": {"name": "report"}, "spec": spec})
        stepped.ask("POST", JOBS, job("before", 660))
        stepped.step("10m")
        report = next(
            each["metadata"]["name"]
            for each in stepped.ask("GET", JOBS)["items"]
            if each["metadata"]["name"].startswith("report-")
        )
        self.assertTrue(stepped.ask("GET", f"{JOBS}/{report}")["spec"]["suspend"])
        self.assertNotIn("active", stepped.ask("GET", f"{JOBS}/{report}")["status"])
        stepped.step("5m")
        self.assertIn("Complete", stepped.conditions(f"{JOBS}/{report}"))
        status = stepped.ask("GET", f"{path}/report")["status"]
        self.assertIn("lastSuccessfulTime", status)

    def test_all_that_is_due_is_done_when_the_time_is_printed(self):
        stepped = self.start()
        # One after the other, each begun by the controller when the one before has ended.
        for number in range(8):
            stepped.ask("POST", JOBS, job(f"j{number}", 60))
        stepped.step("1h")
        for number in range(8):
            self.assertIn("Complete", stepped.conditions(f"{JOBS}/j{number}"), number)
        status = stepped.ask("GET", f"{QUEUES}/q")["status"]
        self.assertEqual((status["admittedWorkloads"], status["pendingWorkloads"]), (0, 0))
        for number in range(3):
            stepped.ask("POST", JOBS, job(f"k{number}", 60))
            stepped.step("1s")
            status = stepped.ask("GET", f"{QUEUES}/q")["status"]
            self.assertEqual((status["admittedWorkloads"], status["pendingWorkloads"]), (1, number))

    def test_an_empty_line_goes_to_what_is_due_next(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, job("short", 120, ttlSecondsAfterFinished=3600))
        begun = stepped.time
        stepped.step()
        passed = (stepped.time - begun).total_seconds()
        self.assertTrue(115 <= passed <= 130, passed)
        self.assertIn("Complete", stepped.conditions(f"{JOBS}/short"))
        stepped.step()
        passed = (stepped.time - begun).total_seconds()
        self.assertTrue(3700 <= passed <= 3740, passed)
        self.assertEqual(stepped.ask("GET", JOBS)["items"], [])
        begun = stepped.time
        self.assertIn("nothing is due", stepped.step())
        self.assertEqual(stepped.time, begun)

    def test_an_empty_line_ends_where_what_is_due_comes_to_nothing(self):
        stepped = self.start()
        quota = {"metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
        stepped.ask("POST", "/api/v1/namespaces/default/resourcequotas", quota)
        labels = {"app": "refused"}
        template = {"metadata": {"labels": labels}, "spec": job("x", 1)["spec"]["template"]["spec"]}
        template["spec"]["restartPolicy"] = "Always"
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        sets = "/apis/apps/v1/namespaces/default/replicasets"
        stepped.ask("POST", sets, {"metadata": {"name": "refused"}, "spec": spec})
        stepped.step("1m")
        begun = stepped.time
        self.assertIn("nothing changed: the events that were due had no effect", stepped.step())
        self.assertLess((stepped.time - begun).total_seconds(), 3600)

    def test_quota_beyond_nodes_is_told_after_ten_minutes(self):
        stepped = self.start("--nodes", "node: 2x cpu=16")
        queue = stepped.ask("GET", f"{QUEUES}/q")
        queue["spec"]["cohortName"] = "all"
        quota = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
        quota["nominalQuota"] = 40
        stepped.ask("PUT", f"{QUEUES}/q", queue)
        cohort = {"apiVersion": queue["apiVersion"], "kind": "Cohort", "metadata": {"name": "all"}}
        stepped.ask("POST", QUEUES.replace("clusterqueues", "cohorts"), cohort)
        stepped.step("9m")
        self.assertNotIn("QuotaExceedsNodes", stepped.conditions(f"{QUEUES}/q"))
        stepped.step("3m")
        conditions = stepped.ask("GET", f"{QUEUES}/q")["status"]["conditions"]
        told = next(each for each in conditions if each["type"] == "QuotaExceedsNodes")
        message = "cpu: quota 40, but the nodes of flavor default can give 32"
        self.assertEqual(
            (told["status"], told["reason"], told["message"]), ("True", "NodesLackQuota", message)
        )
        events = stepped.ask("GET", "/apis/events.k8s.io/v1/events")["items"]
        notes = {
            (each["regarding"]["kind"], each["note"])
            for each in events
            if each["reason"] == "NodesLackQuota"
        }
        self.assertEqual(notes, {("ClusterQueue", message), ("Cohort", message)})
        queue = stepped.ask("GET", f"{QUEUES}/q")
        queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = 32
        stepped.ask("PUT", f"{QUEUES}/q", queue)
        stepped.step("1m")
        self.assertNotIn("QuotaExceedsNodes", stepped.conditions(f"{QUEUES}/q"))

    def test_pods_that_no_node_could_hold_are_told_to_their_workload(self):
        stepped = self.start("--nodes", "node: 2x cpu=16")
        queue = stepped.ask("GET", f"{QUEUES}/q")
        queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = 100
        stepped.ask("PUT", f"{QUEUES}/q", queue)
        stepped.ask("POST", JOBS, job("wide", 9000, cpu=10, parallelism=3, completions=3))

        def told():
            events = stepped.ask("GET", "/apis/events.k8s.io/v1/events")["items"]
            return [
                (each["regarding"]["kind"], each["note"])
                for each in events
                if each["reason"] == "PodsExceedNodes"
            ]

        stepped.step("1m")
        self.assertEqual(told(), [])
        stepped.step("3m")
        message = "main: needs 3 x 10 cpu on one node each; nodes have 2 such"
        self.assertEqual(told(), [("Workload", message)])

    def test_a_deadline_of_the_controller_is_due(self):
        stepped = self.start()
        limited = job("limited", 100_000)
        limited["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] = "7200"
        stepped.ask("POST", JOBS, limited)
        begun = stepped.time
        stepped.step()
        passed = (stepped.time - begun).total_seconds()
        self.assertTrue(7190 <= passed <= 7210, passed)
        self.assertTrue(stepped.ask("GET", f"{JOBS}/limited")["spec"]["suspend"])

    def test_time_stands_still_between_steps(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, job("j", 5))
        time.sleep(6)
        pod = stepped.ask("GET", PODS)["items"][0]
        self.assertEqual(pod["status"]["phase"], "Running")
        stepped.step("5s")
        pod = stepped.ask("GET", PODS)["items"][0]
        self.assertEqual(pod["status"]["phase"], "Succeeded")

    def test_what_is_no_step_is_told_and_moves_nothing(self):
        stepped = self.start()
        begun = stepped.time
        for line in ("x", "10", "-5m", "0s", "10m extra", "9999999h", "\x1b[2J", "q q", "9" * 5000):
            with self.subTest(line[:20]):
                stepped.step(line)
                self.assertEqual(stepped.time, begun)
                told = stepped.process.stderr.readline()
                self.assertRegex(told, r'^error: ".*" is not a step; use an empty line, a duration')
                self.assertNotIn("\x1b", told)

    def test_it_fails_when_a_line_was_no_step_or_an_object_was_refused(self):
        bad = pathlib.Path(self.folder, "bad.yaml")
        bad.write_text(MANIFEST.replace("{name: q}", "{name: Q}"))
        for arguments, lines, code, told in (
            ((), "10m\n", 0, ""),
            ((), "10m\nten\n10m\n", 1, 'error: "ten" is not a step'),
            (("-f", bad), "10m\n", 1, f"error: {bad}:5: ClusterQueue Q: "),
        ):
            with self.subTest(told):
                run = subprocess.run(
                    [SLUICE, "dev", "--step", "--quiet", *arguments], cwd=self.folder, input=lines,
                    capture_output=True, text=True, timeout=PATIENCE, check=False,
                )  # fmt: skip
                self.assertEqual(run.returncode, code, run.stderr)
                self.assertTrue(run.stderr.startswith(told), run.stderr)

    def test_it_ends_by_q_by_the_end_of_its_input_and_by_signals(self):
        for end in (
            lambda it: (it.process.stdin.write("q\n"), it.process.stdin.flush()),
            lambda it: it.process.stdin.close(),
            lambda it: it.process.send_signal(signal.SIGTERM),
            lambda it: it.process.send_signal(signal.SIGINT),
        ):
            stepped = self.start()
            stepped.ask("POST", JOBS, job("j", 60))
            end(stepped)
            self.assertEqual(stepped.process.wait(PATIENCE), 0)
            stepped.process.stdin = None if stepped.process.stdin.closed else stepped.process.stdin

    def test_a_signal_ends_a_long_step(self):
        stepped = self.start()
        for number in range(20):
            stepped.ask("POST", JOBS, job(f"j{number}", 1, cpu="100m", backoffLimit=0))
        stepped.process.stdin.write("8760h\n" * 10)
        stepped.process.stdin.flush()
        time.sleep(0.2)
        stepped.process.send_signal(signal.SIGINT)
        self.assertEqual(stepped.process.wait(PATIENCE), 0)

    def test_lines_may_come_from_a_file(self):
        script = pathlib.Path(self.folder, "script")
        script.write_text("1h\n\n30m\nq\n1h\n")
        with script.open() as lines:
            run = subprocess.run(
                [SLUICE, "dev", "--step", "--quiet", "--write-kubeconfig",
                 f"{self.folder}/kubeconfig"],
                stdin=lines, capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        times = [
            datetime.datetime.fromisoformat(line.removeprefix("time: "))
            for line in run.stdout.splitlines()
        ]
        self.assertEqual(len(times), 4, run.stdout)
        self.assertEqual((times[3] - times[0]).total_seconds() // 60, 90)

    def test_what_cannot_be_stepped_is_refused(self):
        for option in ("--speed=60x", "--server-only", "--data=x"):
            run = subprocess.run(
                [SLUICE, "dev", "--step", option], cwd=self.folder, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            self.assertEqual(run.returncode, 2, option)
            told = f"error: --step cannot be used with {option.partition('=')[0]}\n"
            self.assertEqual(run.stderr, told)

    def listen(self):
        """A socket that takes connections and answers none."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        listening.settimeout(PATIENCE)
        return listening

    def add_webhook(self, stepped, listening, **more):
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/admit"
        hook = {
            "metadata": {"name": "mine"},
            "webhooks": [{
                "name": "mine.example.com", "sideEffects": "None",
                "admissionReviewVersions": ["v1"], "clientConfig": {"url": url},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                           "resources": ["configmaps"]}],
            } | more],
        }  # fmt: skip
        hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
        stepped.ask("POST", hooks, hook)
        return url

    def test_a_webhook_of_the_user_is_called(self):
        stepped = self.start()
        listening = self.listen()
        url = self.add_webhook(stepped, listening, failurePolicy="Fail", timeoutSeconds=30)
        with concurrent.futures.ThreadPoolExecutor() as threads:
            asked = threads.submit(stepped.ask, "POST", MAPS, {"metadata": {"name": "m"}})
            connection, _ = listening.accept()
            # The record of TLS by which a client begins.
            self.assertEqual(connection.recv(1), b"\x16")
            connection.close()
            with self.assertRaises(urllib.error.HTTPError) as refused:
                asked.result(PATIENCE)
        told = refused.exception.read().decode()
        self.assertIn('failed calling webhook \\"mine.example.com\\"', told)
        self.assertIn(url, told)
        stepped.step("1m")

    def test_time_stands_still_while_a_webhook_of_the_user_works(self):
        stepped = self.start()
        listening = self.listen()
        self.add_webhook(stepped, listening, failurePolicy="Ignore", timeoutSeconds=5)
        with concurrent.futures.ThreadPoolExecutor() as threads:
            asked = threads.submit(stepped.ask, "POST", MAPS, {"metadata": {"name": "m"}})
            connection, _ = listening.accept()
            self.addCleanup(connection.close)
            # After a minute of its time the server gives a request up.
            begun = stepped.time
            stepped.step("10m")
            self.assertGreaterEqual((stepped.time - begun).total_seconds(), 600)
            self.assertEqual(asked.result(PATIENCE)["metadata"]["name"], "m")

    def test_it_ends_while_a_webhook_of_the_user_works(self):
        for end in (
            lambda it: (it.process.stdin.write("q\n"), it.process.stdin.flush()),
            lambda it: (it.process.stdin.write("10m\n"), it.process.stdin.flush(),
                        time.sleep(0.3), it.process.send_signal(signal.SIGINT)),
        ):  # fmt: skip
            stepped = self.start()
            listening = self.listen()
            self.add_webhook(stepped, listening, failurePolicy="Fail", timeoutSeconds=30)
            with concurrent.futures.ThreadPoolExecutor() as threads:
                asked = threads.submit(stepped.ask, "POST", MAPS, {"metadata": {"name": "m"}})
                connection, _ = listening.accept()
                self.addCleanup(connection.close)
                end(stepped)
                self.assertEqual(stepped.process.wait(10), 0)
                self.assertIsNotNone(asked.exception(PATIENCE))


if __name__ == "__main__":
    unittest.main()
