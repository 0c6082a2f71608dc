"""`sluice capacity` on files and on a running cluster: capacity_test.py SLUICE"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

SLUICE = os.path.abspath(sys.argv.pop(1))
EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples/14_topology/1-queues.yaml"
NODE = """apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels:
    gpu.example.com/model: b200
    example.com/rack: {rack}
    kubernetes.io/hostname: {name}
spec: {{taints: [{{key: nvidia.com/gpu, effect: NoSchedule}}]}}
status:
  allocatable: {{cpu: 96, pods: 110, nvidia.com/gpu: 8}}
  conditions: [{{type: Ready, status: "{ready}"}}]
---
"""
NODES = "".join(
    NODE.format(name=f"{rack}-{i}", rack=rack, ready="False" if (rack, i) == ("b", 3) else "True")
    for rack in "ab"
    for i in (1, 2, 3)
)
TABLE = """\
FLAVOR  RESOURCE        QUOTA  NODES  USABLE  FOREIGN  USED  FREE  LARGEST FREE  \
LARGEST GANG      FRAGMENTED  VERDICT
b200    nvidia.com/gpu  48     48     40      0        0     40    8             \
flavor 5, rack 3  0 %         8 of quota without a node: 8 on b-3 (NotReady)

More quota than nodes can give
QUEUE               RESOURCE        DETAILS
clusterQueue/gangs  nvidia.com/gpu  quota 48, but the nodes of flavor b200 can give 40
"""


class CapacityTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "nodes.yaml").write_text(NODES)

    def run_sluice(self, *arguments):
        return subprocess.run(
            [SLUICE, "capacity", *arguments], cwd=self.folder, capture_output=True, text=True,
            timeout=60, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def test_the_table_of_files(self):
        run = self.run_sluice("-f", EXAMPLE, "-f", "nodes.yaml")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, TABLE)

    def test_a_running_cluster_says_the_same(self):
        dev = subprocess.Popen(
            [SLUICE, "dev", "-f", EXAMPLE, "--nodes", "nodes.yaml", "--quiet",
             "--write-kubeconfig", "kubeconfig"],
            cwd=self.folder, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.addCleanup(dev.wait)
        self.addCleanup(dev.terminate)
        end = time.monotonic() + 30
        while not (self.folder / "kubeconfig").exists() and time.monotonic() < end:
            time.sleep(0.05)
        run = self.run_sluice("--kubeconfig", "kubeconfig", "-o", "json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        flavors = json.loads(run.stdout)["flavors"]
        self.assertEqual(len(flavors), 1)
        # The simulated cluster makes each node of a file ready.
        self.assertEqual(
            (flavors[0]["quota"], flavors[0]["usable"], flavors[0]["verdict"]),
            ("48", "48", "nodes have all of it"),
        )

    def test_nodes_that_topologies_cannot_use_are_named(self):
        (self.folder / "nodes.yaml").write_text(NODES.replace("    example.com/rack: b\n", ""))
        run = self.run_sluice("-f", EXAMPLE, "-f", "nodes.yaml")
        self.assertIn("8 on b-1 (no label example.com/rack)", run.stdout)

    def test_faults_are_named(self):
        grows = EXAMPLE.read_text().replace(
            "metadata: {name: b200}",
            'metadata: {name: b200, annotations: {sluice.dev/may-grow-to: "many"}}',
        )
        (self.folder / "grows.yaml").write_text(grows)
        fault = (
            'error: ResourceFlavor b200: annotation sluice.dev/may-grow-to: "many" is not a number '
            "of nodes from 0 to 5000\n"
        )
        cases = (
            (("-f", "grows.yaml", "-f", "nodes.yaml"), fault),
            (("-f", "nowhere.yaml"), "error: nowhere.yaml: "),
            (("-f", "nodes.yaml", "--pod", "gpu"), 'error: --pod: "gpu" is not RESOURCE=AMOUNT\n'),
            (("--kubeconfig", "nowhere"), "error: --kubeconfig: file not found: nowhere\n"),
            (("-f", "nodes.yaml", "--kubeconfig", "x"), "error: --filename excludes --kubeconfig"),
        )
        for arguments, error in cases:
            with self.subTest(arguments):
                run = self.run_sluice(*arguments)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn(error, run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
