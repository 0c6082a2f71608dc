"""The journal of a controller, and `sluice replay` of it."""

import pathlib
import signal
import subprocess

from case import ClusterCase


class JournalTest(ClusterCase):
    def replay(self, *arguments):
        return subprocess.run(
            [self.controller.binary, "replay", *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def record(self, folder):
        arguments = list(self.controller.arguments)
        self.addCleanup(self.restart, arguments)
        self.restart([*arguments, f"--journal-dir={folder}", "--journal-full"])

    def restart(self, arguments):
        if self.controller.is_running():
            self.controller.stop()
        self.controller.arguments = arguments
        self.controller.start()

    def test_a_journal_replays_after_a_kill_and_explains_what_was(self):
        folder = self.controller.directory / "journal"
        self.record(folder)
        queue = self.make_queue(1)
        self.submit("running", queue)
        self.wait_running("running")
        self.submit("waiting", queue)
        self.wait_pending("waiting")
        name = self.workload("waiting")["metadata"]["name"]
        self.wait(
            lambda: (self.controller.metric("sluice_journal_bytes_total") or 0) > 0,
            "entries are on the disk",
        )
        self.controller.kill()
        self.controller.start()
        self.cluster.end_job(self.space, "running")
        self.wait_running("waiting")
        self.controller.stop()
        replayed = self.replay(folder, "--verify")
        self.assertEqual((replayed.returncode, replayed.stderr), (0, ""), replayed.stdout)
        self.assertIn("every decision is the same", replayed.stdout)
        self.assertRegex(replayed.stdout, r"^[2-9] segments, ")
        why = self.replay(folder, "--why", f"{self.space}/{name}")
        self.assertEqual(why.returncode, 0, why.stderr)
        self.assertIn("was admitted to ClusterQueue", why.stdout)
        text = b"".join(path.read_bytes() for path in pathlib.Path(folder).iterdir())
        self.assertNotIn(b"image", text)

    def test_a_journal_that_cannot_be_written_is_refused_at_the_start(self):
        wrong = self.controller.directory / "a-file"
        wrong.write_text("")
        for flags, said in (
            ((f"--journal-dir={wrong}",), "--journal-dir="),
            ((f"--journal-dir={wrong}-folder", "--journal-size=1Mi"), "at least 16Mi"),
            ((f"--journal-dir={wrong}-folder", "--journal-size=much"), "at least 16Mi"),
        ):
            with self.subTest(flags):
                ended = subprocess.run(
                    [self.controller.binary, "controller",
                     "--kubeconfig", self.cluster.plane.kubeconfig, *flags],
                    capture_output=True, text=True, check=False, timeout=30,
                )  # fmt: skip
                self.assertEqual(ended.returncode, 2)
                self.assertIn(said, ended.stderr)
