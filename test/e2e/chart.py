"""The chart as helm renders it, for the tests that look at what it makes."""

import os
import subprocess
import tempfile

import yaml

from control_plane import find_binaries

from cluster import ROOT

CHART = ROOT / "charts/sluice"
SPACE = "queueing"
KUEUE_NAMES = CHART / "values-kueue-names.yaml"


def helm(*arguments, check=True, kubeconfig=None):
    environment = dict(os.environ, PATH=f"{find_binaries()}:{os.environ['PATH']}")
    command = ["helm", *map(str, arguments)]
    if kubeconfig:
        command.append(f"--kubeconfig={kubeconfig}")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def template(*arguments, release="sluice", check=True):
    return helm(
        "template", release, CHART, "-n", SPACE, "--kube-version=1.33.0", *arguments, check=check
    )


def rendered(*arguments, release="sluice"):
    """The objects that the chart makes, by kind and name."""
    done = template(*arguments, release=release)
    objects = [item for item in yaml.safe_load_all(done.stdout) if item]
    return {(item["kind"], item["metadata"]["name"]): item for item in objects}


def rendered_for(values, *arguments, release="sluice"):
    """The objects that the chart makes for a file of values."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(values, file)
        file.flush()
        return rendered("-f", file.name, *arguments, release=release)


def rendered_with(configuration, *arguments):
    """The objects that the chart makes for a configuration of the controller."""
    config = {"controllerManagerConfigYaml": configuration}
    return rendered_for({"managerConfig": config}, *arguments)


def refusal_of(*arguments):
    """Why helm does not render the chart with these arguments."""
    done = template(*arguments, check=False)
    if done.returncode == 0:
        raise AssertionError(f"helm renders the chart with {arguments}")
    return done.stderr
