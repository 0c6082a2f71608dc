"""The kubeconfig of `sluice dev` while several run: kubeconfig_test.py SLUICE"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SLUICE = os.path.abspath(sys.argv.pop(1))
PATIENCE = 60
COMMAND = [SLUICE, "dev", "--server-only", "--quiet"]
HOOK = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: slow}}
webhooks:
- name: slow.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  clientConfig: {{url: "https://127.0.0.1:{port}/"}}
  rules: [{{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}}]
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\n"


class Kubeconfig(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = pathlib.Path(self.folder, "sluice-dev.kubeconfig")

    def start(self, *arguments):
        process = subprocess.Popen(
            [*COMMAND, *arguments], cwd=self.folder, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_file(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.file.read_text()
            except FileNotFoundError:  # a new one takes the place of the earlier one
                self.assertLess(time.monotonic(), end, "there is no kubeconfig")
                time.sleep(0.01)

    def end(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        return process.wait(PATIENCE)

    def test_a_second_one_leaves_that_of_the_first_alone(self):
        first = self.start()
        text = self.wait_for_file()
        second = subprocess.run(
            COMMAND, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        self.assertEqual(second.returncode, 2)
        self.assertEqual(
            second.stderr,
            "error: sluice-dev.kubeconfig belongs to a running sluice dev; stop it, or choose "
            "another file with --write-kubeconfig\n",
        )
        self.assertEqual(self.file.read_text(), text)
        self.assertEqual(self.end(first), 0)
        self.assertEqual(self.file.read_text(), text, "it stays")

    def test_that_of_one_that_has_ended_is_replaced(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                first = self.start()
                text = self.wait_for_file()
                self.end(first, number)
                second = self.start()
                end = time.monotonic() + PATIENCE
                while self.wait_for_file() == text:
                    self.assertLess(time.monotonic(), end, "it is not replaced")
                self.assertEqual(self.end(second), 0)
        self.assertEqual(os.listdir(self.folder), [self.file.name], "nothing else is left")

    def test_of_several_that_begin_at_once_one_has_it(self):
        for _ in range(5):
            running = [self.start() for _ in range(4)]
            server = json.loads(self.wait_for_file())["clusters"][0]["cluster"]["server"]
            end = time.monotonic() + PATIENCE
            while len([one for one in running if one.poll() is None]) > 1:
                self.assertLess(time.monotonic(), end, "several run")
                time.sleep(0.01)
            codes = [one.poll() for one in running if one.poll() is not None]
            self.assertTrue(set(codes) <= {1, 2}, codes)
            now = json.loads(self.file.read_text())["clusters"][0]["cluster"]["server"]
            self.assertEqual(now, server)
            winner = next(one for one in running if one.poll() is None)
            self.assertEqual(self.end(winner), 0)
            self.assertEqual(os.listdir(self.folder), [self.file.name])
            self.file.unlink()

    def test_what_lies_beside_it_is_not_followed(self):
        other = pathlib.Path(self.folder, "other")
        other.write_text("mine")
        pathlib.Path(f"{self.file}.new").symlink_to(other)
        process = self.start()
        self.wait_for_file()
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(other.read_text(), "mine")
        self.assertEqual(self.end(process), 0)

    def start_that_waits(self):
        """One that applies files, and waits for the webhook that has the connection."""
        hook = socket.create_server(("127.0.0.1", 0))
        hook.settimeout(PATIENCE)
        self.addCleanup(hook.close)
        files = [pathlib.Path(self.folder, name) for name in ("hook.yaml", "map.yaml")]
        files[0].write_text(HOOK.format(port=hook.getsockname()[1]))
        files[1].write_text(MAP)
        process = self.start("-f", files[0], "-f", files[1])
        call, _ = hook.accept()
        self.addCleanup(call.close)
        return process, call

    def test_one_that_is_killed_while_it_applies_files_leaves_nothing(self):
        process, _ = self.start_that_waits()
        self.end(process, signal.SIGKILL)
        self.assertEqual(sorted(os.listdir(self.folder)), ["hook.yaml", "map.yaml"])

    def test_a_link_to_nothing_is_told(self):
        self.file.symlink_to("nowhere")
        run = subprocess.run(
            COMMAND, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        self.assertEqual(run.returncode, 2)
        self.assertEqual(
            run.stderr,
            "error: sluice-dev.kubeconfig is a symbolic link to a missing file; remove it, "
            "or choose another file with --write-kubeconfig\n",
        )
        self.assertEqual(os.listdir(self.folder), [self.file.name])

    def test_one_that_is_ended_while_it_applies_files_hands_out_nothing(self):
        process, call = self.start_that_waits()
        process.send_signal(signal.SIGINT)
        time.sleep(1)  # it has the signal before it has the answer
        call.close()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(process.stderr.read(), "")
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
