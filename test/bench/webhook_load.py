#!/usr/bin/env python3
"""Admission reviews a second of the webhook for Jobs, against a webhook that allows all.

Both are paths of one running controller, asked in turns: /mutate-batch-v1-job gives a new Job what
it lacks, /mutate-ray-io-v1-rayjob reads the review and allows it. The controller has one core to
itself, the program that asks has another.

    cmake --preset release && cmake --build --preset release --target sluice review_load
    test/bench/webhook_load.py --rounds 5
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from throughput import ACCOUNT, ROOT, Measured, Server

PATHS = {"Jobs": "/mutate-batch-v1-job", "no-op": "/mutate-ray-io-v1-rayjob"}


def ask(options, port, path):
    command = [options.load, f"--port={port}", f"--path={path}", f"--reviews={options.reviews}"]
    command.append(f"--connections={options.connections}")
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reviews", type=int, default=20000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    options.load = options.build / "test/bench/review_load"
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-webhook-"))
    controller = None
    try:
        with Server(directory, 1) as plane:
            kubeconfig = plane.service_account_kubeconfig(*ACCOUNT, directory / "kubeconfig")
            controller = Measured(options.build / "controller/sluice", kubeconfig, directory)
            controller.start()
            time.sleep(2)
            for thread in os.listdir(f"/proc/{controller.process.pid}/task"):
                os.sched_setaffinity(int(thread), {0})
            os.sched_setaffinity(0, {1})
            ratios = []
            for _ in range(options.rounds):
                seen = {
                    name: ask(options, controller.webhook_port, path)
                    for name, path in PATHS.items()
                }
                ratios.append(seen["Jobs"]["rate"] / seen["no-op"]["rate"])
                for name, each in seen.items():
                    print(
                        f"{name:6} {each['rate']:7.0f} a second, median {each['p50_ms']:.2f} ms, "
                        f"99 % {each['p99_ms']:.2f} ms"
                    )
            print(f"median of the ratios: {statistics.median(ratios):.2f}")
    finally:
        if controller:
            controller.kill()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
