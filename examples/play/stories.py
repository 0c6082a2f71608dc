"""The examples, each with what its README promises. `expect` waits until it is so."""

import dataclasses
import gzip
import json
import pathlib
import typing

from scene import EXAMPLES

DEFINITIONS = EXAMPLES.parent / "test/e2e/definitions"


@dataclasses.dataclass
class Story:
    folder: str
    title: str
    spaces: tuple  # the namespaces of its jobs
    queues: tuple  # its ClusterQueues
    play: typing.Callable
    configuration: str = ""  # of the controller, where the story needs one of its own

    @property
    def number(self):
        return self.folder.partition("_")[0]


STORIES = []


def story(folder, title, spaces, queues, configuration=""):
    def add(play):
        STORIES.append(Story(folder, title, spaces, queues, play, configuration))
        return play

    return add


@story("01_single_queue", "one queue of 4 CPUs, three jobs of 2", ("single",), ("single",))
def single_queue(scene):
    scene.apply("1-queues.yaml", "2-jobs.yaml", "3-one-too-many.yaml")
    scene.expect({
        "single/first": "running .*: 2 cpu",
        "single/second": "running .*: 2 cpu",
        "single/third": "waiting .*insufficient unused quota for cpu .*, 2 more needed",
    })  # fmt: skip
    scene.show()
    scene.expect({f"single/{name}": "finished" for name in ("first", "second", "third")})
    scene.say("The third job had its turn when there was room.")
    scene.show()


@story("02_two_teams", "team A borrows from team B", ("team-a", "team-b"), ("team-a", "team-b"))
def two_teams(scene):
    scene.apply("1-queues.yaml", "2-team-a.yaml")
    scene.expect({"team-a/a-big": "running .*: 6 cpu"})
    scene.show()
    scene.say("Team B takes its own back:")
    scene.apply("3-team-b.yaml")
    scene.expect({
        "team-a/a-big": r"waiting preempted \(InCohortReclamation\)",
        "team-b/b-urgent": "running .*: 4 cpu",
    })  # fmt: skip
    scene.show()
    scene.expect({"team-b/b-urgent": "finished", "team-a/a-big": "running"})
    scene.say("When that is done, team A's job is back:")
    scene.show()


@story("03_priority_preemption", "the job of higher priority goes first", ("research",),
       ("research",))  # fmt: skip
def priority_preemption(scene):
    scene.apply("1-queues.yaml", "2-background.yaml")
    scene.expect({"research/background": "running .*: 4 cpu"})
    scene.apply("3-deadline.yaml")
    scene.expect({
        "research/background": r"waiting preempted \(InClusterQueue\)",
        "research/deadline": "running .*: 3 cpu",
    })  # fmt: skip
    scene.show()
    scene.expect({"research/deadline": "finished", "research/background": "running"})
    scene.say("The deadline is met, and the background job is back.")
    scene.show()


@story("04_published_gpu_manifests", "A100s and H100s, by Kueue's published manifests",
       ("ml-research",), ("ml-research",))  # fmt: skip
def published_gpu_manifests(scene):
    scene.apply("manifests.yaml")
    gpus = r"running admitted by ml-research on {}: \d+ cpu, {} nvidia.com/gpu"
    scene.expect({"ml-research/train-llm": gpus.format("a100-80gb", 16)})
    scene.say("The A100s are taken; the next job runs on H100s:")
    scene.apply("second-job.yaml")
    scene.expect({"ml-research/evaluate-llm": gpus.format("h100-80gb", 8)})
    pods = scene.cluster.client.get("/api/v1/namespaces/ml-research/pods")["items"]
    nodes = sorted(pod["spec"].get("nodeName", "") for pod in pods)
    wanted = ["gpu-a100-1", "gpu-a100-2", "gpu-h100-1"]
    scene.expect_that(lambda: nodes == wanted, f"pods on {wanted}, not {nodes}")
    scene.show()


@story("06_lending_limit", "a limit to what is lent", ("owner", "guest"), ("owner", "guest"))
def lending_limit(scene):
    scene.apply("1-queues.yaml", "2-wide.yaml", "3-narrow.yaml")
    scene.expect({
        "guest/wide": r"waiting .*current podset request \(4\) > maximum capacity \(3\)",
        "guest/narrow": "running .*: 3 cpu",
    })  # fmt: skip
    scene.apply("4-owner.yaml")
    scene.expect({"owner/own": "running .*: 3 cpu", "guest/narrow": "running"})
    scene.show()


@story("07_own_kind", "a kind of jobs of your own", ("science",), ("science",))
def own_kind(scene):
    scene.apply("1-definition.yaml", "2-rights.yaml", "3-queues.yaml", "config-map.yaml",
                "4-experiment.yaml")  # fmt: skip
    path = "/apis/science.example/v1alpha1/namespaces/science/experiments/pendulum"

    def state():
        return scene.cluster.client.get(path)["spec"]["state"]

    scene.expect({"science/pendulum": "admitted .* on science"})
    scene.expect_that(lambda: state() == "Go", "spec.state of the Experiment is Go")
    scene.show()
    # An Experiment has no controller anywhere: its user says how it goes.
    scene.write_status(path, {"phase": "Running"})
    scene.write_status(path, {"phase": "Done", "text": "it swings"})
    scene.expect({"science/pendulum": "finished Succeeded"})


@story("08_serving", "a notebook, a periodic job and a CI runner in one quota", ("serving",),
       ("serving",))  # fmt: skip
def serving(scene):
    scene.apply("1-queues.yaml", "2-notebook.yaml")
    scene.expect({"serving/jupyter": "admitted .*: 2 cpu"})
    scene.apply("3-training.yaml")
    scene.expect({"serving/train": "waiting .*insufficient unused quota for cpu"})
    scene.show()
    scene.say("The notebook rests:")
    scene.scale("serving", "jupyter", 0)
    scene.expect({"serving/train": "running .*: 3 cpu"})
    scene.say("Other jobs come, and it is wanted again:")
    scene.scale("serving", "jupyter", 1)
    scene.apply("4-report.yaml")
    scene.create_job("serving", "report-now", "report")
    scene.apply("5-ci-runner.yaml")
    scene.show()
    scene.expect({f"serving/{name}": "finished" for name in ("train", "report-now", "ci-runner")})
    scene.expect({"serving/jupyter": "admitted .*: 2 cpu"})
    scene.show()


@story("09_test_in_ci", "a change of quota, reviewed", ("forecast", "reports"),
       ("forecast", "reports"))  # fmt: skip
def reviewed_change(scene):
    scene.apply("queues.yaml", "jobs.yaml")
    scene.expect({
        "forecast/nightly": "running .*: 8 cpu",
        "reports/morning": "running .*: 4 cpu",
    })  # fmt: skip
    scene.show()
    scene.say("The proposed change, which `sluice test` refuses in CI, the night after:")
    scene.delete_job("forecast", "nightly")
    scene.apply("proposed-queues.yaml")
    scene.apply("jobs.yaml")
    scene.expect({
        "forecast/nightly":
            r"waiting .*current podset request \(8\) > maximum capacity \(6\)",
        "reports/morning": "running .*: 4 cpu",
    })  # fmt: skip
    scene.show()


@story("10_reclaim", "taking back what was lent, but not from everyone", ("physics", "chemistry"),
       ("physics", "chemistry"))  # fmt: skip
def reclaim(scene):
    scene.apply("1-queues.yaml", "2-chemistry.yaml")
    scene.expect({
        "chemistry/titration": "running .*: 3 cpu",
        "chemistry/catalogue": "running .*: 3 cpu",
    })  # fmt: skip
    scene.apply("3-physics.yaml")
    scene.expect({
        "chemistry/catalogue": r"waiting preempted \(InCohortReclamation\)",
        "physics/pendulum": "running .*: 3 cpu",
    })  # fmt: skip
    scene.apply("4-physics-again.yaml")
    scene.expect({
        "physics/optics": "waiting .*insufficient unused quota for cpu .*, 1 more needed",
        "chemistry/titration": "running",
    })  # fmt: skip
    scene.show()


@story("11_fair_sharing", "fair shares in an organisation of three levels",
       ("nlp", "vision", "ads"), ("nlp", "vision", "ads"), "configuration.yaml")  # fmt: skip
def fair_sharing(scene):
    def show():
        counts = {}
        for name, state, _ in scene.rows():
            team = counts.setdefault(name.partition("/")[0], {})
            team[state] = team.get(state, 0) + 1
        for team, states in counts.items():
            words = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
            scene.out.add(f"    {team}: {words}")

    scene.apply("1-queues.yaml", "2-nlp.yaml")
    scene.expect_running({"nlp": 12})
    show()
    scene.apply("3-vision.yaml")
    scene.expect_running({"nlp": 8, "vision": 4})
    show()
    scene.apply("4-ads.yaml")
    scene.expect_running({"nlp": 6, "vision": 3, "ads": 3})
    preempted = {"InCohortFairSharing"}
    scene.expect_that(
        lambda: preempted == {
            why.partition("(")[2].partition(")")[0]
            for name, _, why in scene.rows()
            if name.startswith("nlp/") and "preempted" in why
        },
        "jobs of nlp were preempted for the shares of others",
    )  # fmt: skip
    show()


@story("12_job_kinds", "PyTorchJob, JobSet and a group of pods", ("training",), ("training",))
def job_kinds(scene):
    for name in ("pytorchjobs.kubeflow.org", "jobsets.jobset.x-k8s.io"):
        file = pathlib.Path(DEFINITIONS / f"{name}.json.gz")
        scene.put(json.loads(gzip.decompress(file.read_bytes())))
    scene.apply("1-queues.yaml", "2-pytorchjob.yaml", "3-jobset.yaml")
    scene.expect({
        "training/finetune": "admitted .*: 3 cpu",
        "training/simulation": "admitted .*: 3 cpu",
    })  # fmt: skip
    scene.apply("4-pod-group.yaml")
    scene.expect({"training/evaluation": "waiting .*insufficient unused quota for cpu"})
    scene.show()
    if scene.cluster.is_real:
        end_other_kinds(scene)
    scene.expect({
        f"training/{name}": "finished" for name in ("finetune", "simulation", "evaluation")
    })  # fmt: skip
    scene.show()


def end_other_kinds(scene):
    """As the controllers of these kinds write it."""
    for path, kind in (
        ("/apis/kubeflow.org/v1/namespaces/training/pytorchjobs/finetune", "Succeeded"),
        ("/apis/jobset.x-k8s.io/v1alpha2/namespaces/training/jobsets/simulation", "Completed"),
    ):
        condition = {"type": kind, "status": "True", "reason": "Done", "message": "all is done"}
        condition["lastTransitionTime"] = "2026-01-01T00:00:00Z"
        scene.write_status(path, {"conditions": [condition]})


@story("14_topology", "gangs that share a rack, and a node that breaks", ("gangs",), ("gangs",))
def topology(scene):
    def racks(job):
        pods = scene.cluster.client.get("/api/v1/namespaces/gangs/pods")["items"]
        return sorted(
            pod["spec"].get("nodeName", "")
            for pod in pods
            if pod["metadata"]["labels"].get("batch.kubernetes.io/job-name") == job
            and pod.get("status", {}).get("phase") in ("Pending", "Running")
        )

    def expect_on(job, *nodes):
        scene.expect_that(lambda: racks(job) == list(nodes), f"{job} on {', '.join(nodes)}")
        scene.out.add(f"    {job}: {' '.join(nodes)}")

    scene.apply("1-queues.yaml", "2-gangs.yaml")
    expect_on("gang-1", "rack-a-1", "rack-a-2")
    expect_on("gang-2", "rack-b-1", "rack-b-2")
    scene.apply("3-one-too-many.yaml")
    scene.expect({"gangs/gang-3": "waiting .*allows to fit only 1 out of 2 pod"})
    scene.show()
    scene.say("A node breaks, and another one of its rack takes its place:")
    scene.taint("rack-a-1", "broken")
    expect_on("gang-1", "rack-a-2", "rack-a-3")
    scene.say("A rack is given back:")
    scene.delete_job("gangs", "gang-2")
    expect_on("gang-3", "rack-b-1", "rack-b-2")
    scene.show()
    scene.expect({"gangs/gang-3": "finished"})


@story("15_why", "why a job waits, and what starts it", ("studio",), ("studio",))
def why(scene):
    scene.apply("1-queues.yaml", "2-jobs.yaml")
    scene.expect({
        "studio/film": "running .*: 3 cpu",
        "studio/trailer": "waiting .*insufficient unused quota for cpu .*, 3 more needed",
    })  # fmt: skip
    answer = scene.sluice("why", "job/trailer", "-n", "studio")
    for promised in (
        "3 short in ClusterQueue studio on shared-nodes",
        "1 pod instead of 4 (1 cpu)",
        "toleration for example.com/night=yes:NoSchedule",
        "nominalQuota of studio in shared-nodes + 3",
    ):
        scene.expect_that(lambda: promised in answer, f"{promised} in the answer of sluice why")
    scene.say("The second change of the list:")
    scene.apply("3-trailer-at-night.yaml")
    scene.expect({"studio/trailer": "running .* on night-nodes: 4 cpu"})
    scene.show()
