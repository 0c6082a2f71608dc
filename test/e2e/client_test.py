"""The client of lib/kube against the real API server: test/kube/real_server_test.cpp run here."""

import os
import subprocess

from case import ClusterCase
from cluster import SetupError, find_binary


def find_client_test():
    """The test program of the build folder that the controller under test comes from."""
    build = find_binary().parent.parent
    program = build / "test/kube/kube_real_server_test"
    if not os.access(program, os.X_OK):
        raise SetupError(f"{program} is missing: cmake --build {build} --target {program.name}")
    return program


class ClientTest(ClusterCase):
    def test_the_client_speaks_with_the_real_server(self):
        done = subprocess.run(
            [str(find_client_test())],
            env={**os.environ, "SLUICE_TEST_KUBECONFIG": str(self.cluster.plane.kubeconfig)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("All tests passed", done.stdout)
