"""Runs `sluice dev` on a terminal of its own, watches its live view and ends it.

    live_view_test.py SLUICE
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

SLUICE = ""
PATIENCE = 60
QUEUES = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  cohortName: research
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-b}
spec:
  cohortName: research
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: a, namespace: default}
spec: {clusterQueue: team-a}
"""
JOB = """---
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: default, labels: {kueue.x-k8s.io/queue-name: a}}
spec:
  parallelism: 3
  completions: 3
  template:
    metadata: {annotations: {sluice.dev/run-seconds: "SECONDS"}}
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
"""
BROKEN = "---\napiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: x}\n"


class Screen:
    """The part of a terminal that the view uses, as an emulator has it."""

    def __init__(self, rows, columns):
        self.resize(rows, columns)
        self.is_other = False
        self.has_cursor = True
        self.colors = 0
        self.too_wide = []
        self.clears = 0
        self.rest = ""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.row = 0
        self.line = ""

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        for piece in re.split(r"(\x1b\[[?0-9;]*[A-Za-z])", text):
            start = piece.rfind("\x1b")
            if start >= 0 and not re.fullmatch(r"\x1b\[[?0-9;]*[A-Za-z]", piece):
                self.rest = piece[start:]
                piece = piece[:start]
            self.take(piece)

    def take(self, piece):
        if not piece.startswith("\x1b"):
            self.line += piece
            if len(self.line) > self.columns:
                self.too_wide.append(self.line)
        elif piece == "\x1b[?1049h":
            self.is_other = True
        elif piece == "\x1b[?1049l":
            self.is_other = False
        elif piece in ("\x1b[?25l", "\x1b[?25h"):
            self.has_cursor = piece.endswith("h")
        elif piece == "\x1b[2J":
            self.lines = [""] * self.rows
            self.clears += 1
            self.too_wide.clear()
        elif piece.endswith("m"):
            self.colors += 1
        elif piece.endswith("H"):
            self.row = int(piece[2:-1].split(";")[0]) - 1
            self.line = ""
        elif piece == "\x1b[K" and self.row < self.rows:
            self.lines[self.row] = self.line

    def text(self):
        return "\n".join(self.lines)


class Session:
    """`sluice dev` on a terminal."""

    def __init__(self, folder, arguments=(), rows=40, columns=120, environment=None):
        self.master, self.slave = pty.openpty()
        self.set_size(rows, columns)
        self.mode = termios.tcgetattr(self.slave)
        self.screen = Screen(rows, columns)
        self.raw = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        variables = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        variables |= {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | (environment or {})
        self.process = subprocess.Popen(
            [SLUICE, "dev", "--write-kubeconfig", os.path.join(folder, "dev.kubeconfig"),
             *arguments],
            stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=folder, env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def set_size(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        """Returns when what is drawn is for the new size: it begins with an empty screen."""
        clears = self.screen.clears
        self.screen.resize(rows, columns)
        self.set_size(rows, columns)
        self.wait(lambda text: self.screen.clears > clears)

    def read(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            text = self.decoder.decode(os.read(self.master, 65536))
            self.raw += text
            self.screen.feed(text)

    def wait(self, holds):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read(0.1)
            if holds(self.screen.text()):
                return
        raise AssertionError(f"not seen; the screen is\n{self.screen.text()}\nraw end: "
                             f"{self.raw[-2000:]!r}")

    def interrupt(self):
        os.write(self.master, b"\x03")
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        while select.select([self.master], [], [], 0.1)[0]:
            self.read(0.1)
        return self.process.poll()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


class LiveView(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, jobs, **options):
        manifest = os.path.join(self.folder, "objects.yaml")
        with open(manifest, "w", encoding="utf-8") as out:
            out.write(QUEUES + jobs)
        session = Session(self.folder, ["-f", manifest, *options.pop("arguments", [])], **options)
        self.addCleanup(session.close)
        return session

    def end(self, session):
        code = session.interrupt()
        self.assertEqual(code, 0)
        self.assertFalse(session.screen.is_other, "the other screen is left")
        self.assertTrue(session.screen.has_cursor, "the cursor is shown again")
        self.assertEqual(termios.tcgetattr(session.slave), session.mode)

    def test_bars_and_reasons_follow_the_jobs_and_the_terminal_comes_back(self):
        session = self.start(
            JOB.replace("NAME", "short").replace("SECONDS", "20")
            + JOB.replace("NAME", "long-1").replace("SECONDS", "600")
            + JOB.replace("NAME", "long-2").replace("SECONDS", "600")
        )
        # Two fit into the cohort, the second by borrowing; the third has to wait.
        session.wait(
            lambda text: "6 / 4  2 borrowed" in text
            and "WAITING 1" in text
            and "1 more needed" in text
        )
        text = session.screen.text()
        self.assertRegex(text, r"team-a +research +default +cpu +█+▓+ +6 / 4")
        self.assertRegex(text, r"team-b +research +default +cpu +░+ +0 / 4")
        self.assertRegex(
            text, r"default/long-2 +Job +insufficient unused quota for cpu .* 1 more needed"
        )
        self.assertRegex(text, r"default/short +Job +team-a +\d+s +cpu 3")
        self.assertIn("export KUBECONFIG=" + self.folder, text)
        self.assertTrue(session.screen.is_other)
        self.assertGreater(session.screen.colors, 0)
        # Once the short one has ended, nobody waits.
        session.wait(lambda text: "1 succeeded" in text and "0 waiting" in text)
        self.assertRegex(session.screen.text(), r"default/long-2 +Job +team-a")
        self.assertEqual(session.screen.too_wide, [])
        self.end(session)

    def test_the_view_follows_the_size_of_the_window(self):
        session = self.start(JOB.replace("NAME", "long").replace("SECONDS", "600"))
        session.wait(lambda text: "1 running" in text and "3 / 4" in text)
        for rows, columns in ((12, 50), (5, 20), (2, 10), (1, 1), (40, 200)):
            with self.subTest(rows=rows, columns=columns):
                session.resize(rows, columns)
                session.wait(lambda text: text.startswith("s"))
                for _ in range(5):
                    session.read(0.2)
                self.assertEqual(session.screen.too_wide, [])
                self.assertLess(session.screen.row, rows)
        session.wait(lambda text: re.search(r"cpu +█+░+ +3 / 4", text))
        self.end(session)

    def test_colors_are_left_out_where_they_are_not_wanted(self):
        session = self.start("", environment={"NO_COLOR": "1", "LC_ALL": "C"})
        session.wait(lambda text: "team-a" in text and "0 / 4" in text)
        self.assertEqual(session.screen.colors, 0)
        self.assertTrue(session.raw.isascii())
        self.end(session)

    def test_a_dumb_terminal_gets_plain_lines(self):
        session = self.start("", environment={"TERM": "dumb"})
        end = time.monotonic() + PATIENCE
        while "Ctrl-C ends it." not in session.raw and time.monotonic() < end:
            session.read(0.2)
        self.assertIn("sluice dev runs on https://127.0.0.1:", session.raw)
        self.assertNotIn("\x1b", session.raw)
        self.assertEqual(session.interrupt(), 0)

    def test_errors_are_shown_below_and_told_at_the_end(self):
        session = self.start(BROKEN)
        session.wait(lambda text: "LOG" in text and 'no matches for kind "Nothing"' in text)
        self.end(session)
        after = session.raw.rsplit("\x1b[?1049l", 1)[1]
        self.assertIn('no matches for kind "Nothing"', after)
        self.assertIn("the log is in " + os.path.join(self.folder, "dev.log"), after)

    def test_a_crash_gives_the_terminal_back(self):
        session = self.start("")
        session.wait(lambda text: "team-a" in text)
        session.process.send_signal(signal.SIGABRT)
        session.process.wait(PATIENCE)
        session.read(0.5)
        self.assertFalse(session.screen.is_other)
        self.assertTrue(session.screen.has_cursor)
        self.assertEqual(termios.tcgetattr(session.slave), session.mode)

    def check_given_back(self, session):
        end = time.monotonic() + PATIENCE
        while session.process.poll() is None and time.monotonic() < end:
            session.read(0.1)
        while select.select([session.master], [], [], 0.1)[0]:
            session.read(0.1)
        self.assertIsNotNone(session.process.poll(), "it has ended")
        self.assertFalse(session.screen.is_other)
        self.assertTrue(session.screen.has_cursor)
        self.assertNotIn("\x1b", session.raw.rsplit("\x1b[?1049l", 1)[1], "nothing is drawn after")
        self.assertEqual(termios.tcgetattr(session.slave), session.mode)

    def test_a_second_interrupt_at_any_moment_gives_the_terminal_back(self):
        for pause in (0, 0.005, 0.05, 0.2):
            with self.subTest(pause):
                session = self.start(JOB.replace("NAME", "j").replace("SECONDS", "60"))
                session.wait(lambda text: "team-a" in text)
                session.process.send_signal(signal.SIGINT)
                time.sleep(pause)
                if session.process.poll() is None:
                    session.process.send_signal(signal.SIGINT)
                self.check_given_back(session)
                self.assertIn(session.process.poll(), (0, -signal.SIGINT))

    def test_each_signal_that_ends_it_gives_the_terminal_back(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV):
            with self.subTest(number):
                session = self.start("")
                session.wait(lambda text: "team-a" in text)
                session.process.send_signal(number)
                self.check_given_back(session)

    def test_a_suspended_view_gives_the_terminal_back_until_it_goes_on(self):
        session = self.start("")
        session.wait(lambda text: "team-a" in text)
        os.write(session.master, b"\x1a")
        end = time.monotonic() + PATIENCE
        while session.screen.is_other and time.monotonic() < end:
            session.read(0.1)
        self.assertFalse(session.screen.is_other)
        while state_of(session.process.pid) != "T" and time.monotonic() < end:
            time.sleep(0.05)
        session.screen.resize(session.screen.rows, session.screen.columns)
        session.process.send_signal(signal.SIGCONT)
        session.wait(lambda text: "team-a" in text and "Ctrl-C" in text)
        self.assertTrue(session.screen.is_other)
        self.end(session)

    def test_quiet_shows_nothing(self):
        session = self.start("", arguments=["--quiet"])
        time.sleep(5)
        session.read(0.1)
        # Before the controller waits for signals, they end it as usual.
        self.assertIn(session.interrupt(), (0, -signal.SIGINT))
        self.assertNotIn("\x1b", session.raw)
        self.assertNotIn("sluice dev", session.raw)


if __name__ == "__main__":
    SLUICE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
