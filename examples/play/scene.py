"""What a story can do and see: one example on one cluster, and the lines that it shows."""

import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from show_jobs import JOB_HEADS, QUEUE_HEADS, job_rows, queue_rows, table

from client import ApiError, read_objects

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent
# What an answer to a new definition, or to its webhook, says until it is in force.
NOT_YET = re.compile(r"no matches for kind|failed calling webhook")
STEP = 0.1
NUMBERS_LATE = 6.0


class Unexpected(Exception):
    """An example did not do what it says; the message tells what was waited for."""


class Cluster:
    """Where stories are played. `kubectl` is a program or None; `is_real`: the controllers of other
    projects' kinds are not there, and what they would write is written here."""

    def __init__(self, client, kubeconfig, patience, binary, kubectl=None, is_real=False):
        self.client, self.kubeconfig, self.kubectl = client, kubeconfig, kubectl
        self.binary = binary
        self.is_real, self.patience = is_real, patience
        self.problem = lambda: None  # says why nothing can work any more

    def run_kubectl(self, *arguments):
        environment = os.environ | {
            "KUBECONFIG": str(self.kubeconfig),
            # Discovery is cached by server address, and the ports of clusters come round again.
            "KUBECACHEDIR": str(pathlib.Path(self.kubeconfig).parent / "kubectl-cache"),
        }
        done = subprocess.run(
            [self.kubectl, *map(str, arguments)],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise ApiError(0, done.stderr.strip())
        return done.stdout.splitlines()


class Lines:
    """What a story shows, line by line; read while it is played."""

    def __init__(self):
        self.lines, self.is_over = [], False
        self.changed = threading.Condition()

    def add(self, *lines):
        with self.changed:
            self.lines += lines
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def __iter__(self):
        count = 0
        while True:
            with self.changed:
                self.changed.wait_for(lambda: len(self.lines) > count or self.is_over)
                fresh = self.lines[count:]
            if not fresh:
                return
            count += len(fresh)
            yield from fresh


class Scene:
    def __init__(self, cluster, folder, spaces, queues):
        self.cluster, self.folder = cluster, folder
        self.spaces, self.queues = spaces, queues
        self.out = Lines()

    # --- doing ---

    def say(self, text):
        self.out.add("", f"  {text}")

    def retry(self, attempt, what):
        """Does what a definition that came a moment ago may not allow yet."""
        deadline = time.monotonic() + self.cluster.patience
        while True:
            try:
                return attempt()
            except ApiError as error:
                if not NOT_YET.search(str(error)) or time.monotonic() > deadline:
                    raise Unexpected(f"{what}: {error}") from None
            time.sleep(STEP)

    def apply(self, *names):
        for name in names:
            path = EXAMPLES / self.folder / name
            shown = f"examples/{self.folder}/{name}"
            self.out.add(f"  $ kubectl apply -f {shown}")
            if self.cluster.kubectl:
                done = self.retry(lambda: self.cluster.run_kubectl("apply", "-f", path), shown)
            else:
                done = [
                    self.retry(lambda: self.cluster.client.apply(item), shown)
                    for item in read_objects(path)
                ]
            self.out.add(*(f"    {line}" for line in shorten(done)))

    def put(self, item):
        """An object that no file of the example has."""
        self.retry(lambda: self.cluster.client.apply(item), item["metadata"]["name"])

    def scale(self, namespace, name, replicas):
        self.out.add(f"  $ kubectl scale -n {namespace} statefulset/{name} --replicas={replicas}")
        path = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}/scale"
        self.cluster.client.patch(path, {"spec": {"replicas": replicas}})

    def create_job(self, namespace, name, cron_job):
        """As `kubectl create job --from` does."""
        self.out.add(f"  $ kubectl create job -n {namespace} --from=cronjob/{cron_job} {name}")
        jobs = f"/apis/batch/v1/namespaces/{namespace}"
        template = self.cluster.client.get(f"{jobs}/cronjobs/{cron_job}")["spec"]["jobTemplate"]
        metadata = {"name": name, "labels": template["metadata"]["labels"]}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}
        self.cluster.client.request("POST", f"{jobs}/jobs", job | {"spec": template["spec"]})

    def delete_job(self, namespace, name):
        self.out.add(f"  $ kubectl delete job -n {namespace} {name}")
        path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
        self.cluster.client.request("DELETE", path, {"propagationPolicy": "Background"})

    def taint(self, node, key):
        self.out.add(f"  $ kubectl taint node {node} {key}=yes:NoExecute")
        path = f"/api/v1/nodes/{node}"
        taints = self.cluster.client.get(path)["spec"].get("taints", [])
        taints.append({"key": key, "value": "yes", "effect": "NoExecute"})
        self.cluster.client.patch(path, {"spec": {"taints": taints}})

    def write_status(self, path, status):
        """In the place of a controller that this cluster does not have."""
        self.cluster.client.patch(f"{path}/status", {"status": status})

    # --- seeing ---

    def sluice(self, *arguments):
        """What a command of sluice prints about the cluster."""
        self.out.add(f"  $ sluice {' '.join(arguments)}")
        done = subprocess.run(
            [self.cluster.binary, *arguments, "--kubeconfig", self.cluster.kubeconfig],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 2:
            raise Unexpected(done.stderr.strip())
        self.out.add(*(f"    {line}" for line in done.stdout.splitlines()))
        return done.stdout

    def rows(self):
        found = job_rows(self.cluster.client.look())
        return [row for row in found if row[0].partition("/")[0] in self.spaces]

    def expect(self, wanted):
        """Waits until each job's state and reason are as said: {"space/name": pattern}."""
        self.until(lambda: self.differences(wanted))

    def differences(self, wanted):
        now = {name: f"{state} {why}" for name, state, why in self.rows()}
        return [
            f"{name}: {pattern}; it is: {now.get(name, 'not there')}"
            for name, pattern in wanted.items()
            if not re.match(pattern, now.get(name, ""))
        ]

    def expect_running(self, wanted):
        """Waits until so many jobs of each namespace run: {"space": number}."""

        def differ():
            states = [(name.partition("/")[0], state) for name, state, _ in self.rows()]
            counts = {space: states.count((space, "running")) for space in wanted}
            return [] if counts == wanted else [f"jobs that run: {wanted}; it is: {counts}"]

        self.until(differ)

    def expect_that(self, holds, what):
        self.until(lambda: [] if holds() else [what])

    def until(self, differ):
        """Waits until nothing differs any more."""
        deadline = time.monotonic() + self.cluster.patience
        while True:
            try:
                left = differ()
            except ApiError as error:
                left = [str(error)]
            if not left:
                return
            if problem := self.cluster.problem():
                raise Unexpected(problem)
            if time.monotonic() > deadline:
                raise Unexpected(
                    f"waited {self.cluster.patience:.0f} s for " + "\n  and for ".join(left)
                )
            time.sleep(STEP)

    def show(self):
        """Tables of jobs and queues, once the queues' numbers, which are written in batches, are
        those of the jobs."""
        deadline = time.monotonic() + NUMBERS_LATE
        while True:
            jobs = self.rows()
            items = self.cluster.client.look()
            queues = [row for row in queue_rows(items) if row[0] in self.queues]
            counts = {row[0]: (int(row[-2]), int(row[-1])) for row in queues}
            if [sum(each) for each in zip(*counts.values())] == count_states(jobs):
                break
            if time.monotonic() > deadline:
                break
            time.sleep(STEP)
        width = shutil.get_terminal_size((100, 40)).columns
        self.out.add("", *table(JOB_HEADS, jobs, width), "", *table(QUEUE_HEADS, queues))


def count_states(jobs):
    """[admitted, waiting]"""
    states = [state for _, state, _ in jobs]
    admitted = sum(states.count(each) for each in ("admitted", "starting", "running"))
    return [admitted, states.count("waiting")]


def shorten(lines):
    return lines if len(lines) <= 8 else [*lines[:3], f"… and {len(lines) - 3} more"]
