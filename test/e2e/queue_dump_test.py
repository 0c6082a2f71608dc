"""SIGUSR2 makes the controller log what its queues hold."""

import signal

from case import ClusterCase


class QueueDumpTest(ClusterCase):
    def lines(self, queue):
        return [
            line
            for line in self.controller.log.read_text().splitlines()
            if "ClusterQueue" in line and queue in line and "waiting=" in line
        ]

    def test_signals_in_a_row_log_each_queue_and_end_nothing(self):
        queue = self.make_queue(1)
        self.submit("runs", queue)
        self.wait_running("runs")
        self.submit("waits", queue)
        # The scheduler has looked at it, so it is in the queue.
        self.wait_for("waits", "QuotaReserved", "False")
        holder = self.workload("runs")["metadata"]["name"]
        pending = self.workload("waits")["metadata"]["name"]
        for _ in range(20):
            self.controller.process.send_signal(signal.SIGUSR2)
        self.wait(lambda: self.lines(queue), "the queue is in the log")
        held, waiting = self.lines(queue)[0].split("waiting=")
        self.assertIn(holder, held)
        self.assertNotIn(pending, held)
        self.assertIn(pending, waiting)
        self.controller.check()
        before = len(self.lines(queue))
        self.controller.process.send_signal(signal.SIGUSR2)
        self.wait(lambda: len(self.lines(queue)) > before, "it answers the next signal too")
        self.end("runs")
        self.wait_running("waits")
        before = len(self.lines(queue))
        self.controller.process.send_signal(signal.SIGUSR2)
        self.wait(lambda: len(self.lines(queue)) > before, "it answers after a Job has ended")
        self.assertNotIn(holder, self.lines(queue)[-1])
