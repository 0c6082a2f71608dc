"""A cluster for tests: `sluice dev` as long as the tests run. Needs $SLUICE, or sluice on PATH."""

import os
import pathlib
import subprocess
import tempfile
import time


class SluiceDev:
    """with SluiceDev() as cluster: … cluster.kubeconfig …"""

    def __init__(self, *options, patience=30.0):
        self.options, self.patience = options, patience

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-dev-")
        self.kubeconfig = pathlib.Path(self.folder.name) / "kubeconfig"
        self.process = subprocess.Popen(
            [os.environ.get("SLUICE", "sluice"), "dev", "--quiet", "--port", "0",
             "--write-kubeconfig", self.kubeconfig, *self.options],
        )  # fmt: skip
        deadline = time.monotonic() + self.patience
        # It is there when the cluster is ready.
        while not self.kubeconfig.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError("sluice dev did not become ready; see what it printed")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
