"""The client of lib/kube, and a kind of jobs known only at run time, against the real API server:
test/kube/real_server_test.cpp and test/controller/run_time_kind_real_test.cpp run here."""

import os
import subprocess

from case import ClusterCase
from cluster import SetupError, find_binary


def find_program(path):
    """A test program of the build folder that the controller under test comes from."""
    build = find_binary().parent.parent
    program = build / path
    if not os.access(program, os.X_OK):
        raise SetupError(f"{program} is missing: cmake --build {build} --target {program.name}")
    return program


class ClientTest(ClusterCase):
    def run_program(self, path):
        done = subprocess.run(
            [str(find_program(path))],
            env={**os.environ, "SLUICE_TEST_KUBECONFIG": str(self.cluster.plane.kubeconfig)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("All tests passed", done.stdout)

    def test_the_client_speaks_with_the_real_server(self):
        self.run_program("test/kube/kube_real_server_test")

    def test_jobs_of_a_kind_known_only_at_run_time(self):
        self.run_program("test/controller/run_time_kind_real_test")
