#!/usr/bin/env python3
"""kubectl, helm and the Python client of Kubernetes against `sluice dev`: each command that its
users type.

    clients_test.py [--bin FOLDER] SLUICE              starts `sluice dev`
    clients_test.py [--bin FOLDER] --kubeconfig FILE   any cluster whose pods run; a real control
                                                       plane must pass, too

FOLDER has kubectl and helm. Without it test/control-plane/build.sh builds them.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "test/control-plane"))

from control_plane import die_with_parent, wait_until  # noqa: E402

SPACE = "clients"
WAIT = "60s"
DEPLOYMENT = textwrap.dedent("""\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, labels: {app: web}}
    spec:
      replicas: 2
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers: [{name: main, image: "example.com/web:1"}]
    """)
MAP = textwrap.dedent("""\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: NAME, labels: {app: maps}}
    data: {a: "1"}
    """)

FIRST = MAP.replace("NAME", "first, namespace: default").replace('"1"', '"<b> & \\u00e9"')


def python_with_client():
    """A Python that has the client; Debian's own has it, another one may not."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run([candidate, "-c", "import kubernetes"], capture_output=True)
        if tried.returncode == 0:
            return candidate
    return None


class ClientsTest(unittest.TestCase):
    folder = None  # of kubectl and helm
    sluice = None
    kubeconfig = None

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="sluice-clients-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        if cls.sluice is not None:
            cls.start()
        cls.environment = os.environ | {
            "KUBECONFIG": str(cls.kubeconfig),
            "HOME": str(cls.directory),
            "PATH": f"{cls.folder}:{os.environ['PATH']}",
        }
        cls.addClassCleanup(
            cls.run_command, "kubectl", "delete", "namespace", SPACE, "--ignore-not-found"
        )
        cls.kubectl("create", "namespace", SPACE)

    @classmethod
    def start(cls):
        cls.kubeconfig = cls.directory / "kubeconfig"
        cls.first = cls.directory / "first.yaml"
        cls.first.write_text(FIRST)
        command = [cls.sluice, "dev", "--quiet", "--port", "0", "-f", str(cls.first)]
        command += ["--write-kubeconfig", str(cls.kubeconfig)]
        cls.process = subprocess.Popen(command, preexec_fn=die_with_parent)
        cls.addClassCleanup(cls.stop)
        wait_until(cls.kubeconfig.exists, 30.0, "sluice dev")

    @classmethod
    def stop(cls):
        cls.process.send_signal(signal.SIGINT)
        cls.process.wait(30)

    @classmethod
    def run_command(cls, *command, text=None):
        return subprocess.run(
            command, env=cls.environment, input=text, capture_output=True, text=True, timeout=120
        )

    @classmethod
    def kubectl(cls, *arguments, text=None, code=0):
        """What the command printed, errors after the rest."""
        done = cls.run_command("kubectl", "--namespace", SPACE, *arguments, text=text)
        if done.returncode != code:
            raise AssertionError(
                f"kubectl {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout + done.stderr

    def apply_map(self, name, **options):
        self.addCleanup(self.kubectl, "delete", "configmap", name, "--ignore-not-found")
        return self.kubectl("apply", "-f", "-", text=MAP.replace("NAME", name), **options)

    def value(self, resource, path):
        return self.kubectl("get", resource, "-o", f"jsonpath={{{path}}}")

    def test_get_prints_tables_and_other_forms(self):
        self.apply_map("forms")
        table = self.kubectl("get", "configmaps").splitlines()
        self.assertEqual(table[0].split(), ["NAME", "DATA", "AGE"])
        row = next(line for line in table if line.startswith("forms"))
        self.assertEqual(row.split()[1], "1")
        whole = json.loads(self.kubectl("get", "cm", "forms", "-o", "json"))
        self.assertEqual(whole["data"], {"a": "1"})
        self.assertIn('a: "1"', self.kubectl("get", "cm/forms", "-o", "yaml"))
        self.assertEqual(self.value("cm/forms", ".data.a"), "1")
        self.assertEqual(self.kubectl("get", "cm", "forms", "-o", "name"), "configmap/forms\n")
        wide = self.kubectl("get", "nodes", "-o", "wide").splitlines()
        self.assertIn("INTERNAL-IP", wide[0])
        self.assertGreater(len(wide), 1)

    def test_get_selects_by_labels_fields_and_namespaces(self):
        self.apply_map("chosen")
        self.assertEqual(
            self.kubectl("get", "cm", "-l", "app=maps", "-o", "name"), "configmap/chosen\n"
        )
        self.assertIn("No resources found", self.kubectl("get", "cm", "-l", "app=others"))
        named = self.kubectl("get", "cm", "--field-selector", "metadata.name=chosen", "-o", "name")
        self.assertEqual(named, "configmap/chosen\n")
        everywhere = self.kubectl("get", "cm", "-A").splitlines()
        self.assertEqual(everywhere[0].split()[0], "NAMESPACE")
        self.assertTrue(any(line.split()[:2] == [SPACE, "chosen"] for line in everywhere))
        self.assertIn("not found", self.kubectl("get", "cm", "missing", code=1))

    def test_get_watches(self):
        self.apply_map("watched")
        command = ["kubectl", "-n", SPACE, "get", "cm", "watched", "-w"]
        command += ["-o", "jsonpath={.data}{'\\n'}"]
        watch = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.kill)
        self.assertEqual(json.loads(watch.stdout.readline()), {"a": "1"})
        self.kubectl("patch", "cm", "watched", "-p", '{"data":{"b":"2"}}')
        self.assertEqual(json.loads(watch.stdout.readline()), {"a": "1", "b": "2"})

    def test_apply_goes_on_from_the_files_of_the_start(self):
        if self.sluice is None:
            self.skipTest("a cluster that was not started with files")
        done = self.run_command("kubectl", "apply", "-f", str(self.first))
        self.assertEqual((done.stdout, done.stderr), ("configmap/first unchanged\n", ""))

    def test_create_apply_diff_and_delete(self):
        self.kubectl("create", "configmap", "made", "--from-literal=a=1")
        self.assertIn("already exists", self.kubectl("create", "configmap", "made", code=1))
        self.kubectl("delete", "configmap", "made")
        self.assertIn("created", self.apply_map("kept"))
        self.assertIn("unchanged", self.apply_map("kept"))
        other = MAP.replace("NAME", "kept").replace('a: "1"', 'a: "2"')
        self.assertIn('+  a: "2"', self.kubectl("diff", "-f", "-", text=other, code=1))
        self.assertEqual(self.kubectl("diff", "-f", "-", text=MAP.replace("NAME", "kept")), "")
        self.assertIn("configured", self.kubectl("apply", "-f", "-", text=other))
        self.assertEqual(self.value("cm/kept", ".data.a"), "2")

    def test_apply_at_the_server_owns_fields(self):
        text = MAP.replace("NAME", "owned")
        self.addCleanup(self.kubectl, "delete", "configmap", "owned")
        self.kubectl("apply", "--server-side", "--field-manager=one", "-f", "-", text=text)
        other = text.replace('a: "1"', 'a: "2"')
        arguments = ["apply", "--server-side", "--field-manager=two", "-f", "-"]
        self.assertIn('conflict with "one"', self.kubectl(*arguments, text=other, code=1))
        self.kubectl(*arguments, "--force-conflicts", text=other)
        self.assertEqual(self.value("cm/owned", ".data.a"), "2")

    def test_patches_of_three_kinds(self):
        self.apply_map("patched")
        self.kubectl("patch", "cm", "patched", "-p", '{"data":{"b":"2"}}')
        self.kubectl("patch", "cm", "patched", "--type=merge", "-p", '{"data":{"a":null}}')
        add = '[{"op":"add","path":"/data/c","value":"3"}]'
        self.kubectl("patch", "cm", "patched", "--type=json", "-p", add)
        self.assertEqual(json.loads(self.value("cm/patched", ".data")), {"b": "2", "c": "3"})

    def test_label_annotate_and_edit(self):
        self.apply_map("marked")
        self.kubectl("label", "cm", "marked", "colour=red")
        self.assertIn("--overwrite", self.kubectl("label", "cm", "marked", "colour=blue", code=1))
        self.kubectl("label", "cm", "marked", "colour=blue", "--overwrite")
        self.kubectl("annotate", "cm", "marked", "note=hello")
        self.assertEqual(self.value("cm/marked", ".metadata.labels.colour"), "blue")
        self.assertEqual(self.value("cm/marked", ".metadata.annotations.note"), "hello")
        editor = self.directory / "editor.sh"
        editor.write_text('#!/bin/sh\nsed -i \'s/a: "1"/a: "9"/\' "$1"\n')
        editor.chmod(0o755)
        edited = subprocess.run(
            ["kubectl", "-n", SPACE, "edit", "cm", "marked"],
            env=self.environment | {"KUBE_EDITOR": str(editor)},
            capture_output=True,
            text=True,
        )
        self.assertIn("configmap/marked edited", edited.stdout + edited.stderr)
        self.assertEqual(self.value("cm/marked", ".data.a"), "9")

    def test_a_deployment_rolls_out_scales_and_is_described(self):
        self.kubectl("apply", "-f", "-", text=DEPLOYMENT)
        self.addCleanup(self.kubectl, "delete", "deployment", "web")
        self.assertIn(
            "successfully rolled out",
            self.kubectl("rollout", "status", "deployment/web", f"--timeout={WAIT}"),
        )
        self.kubectl("wait", "deployment/web", "--for=condition=Available", f"--timeout={WAIT}")
        self.kubectl("scale", "deployment/web", "--replicas=3")
        ready = "--for=jsonpath={.status.readyReplicas}=3"
        self.kubectl("wait", "deployment/web", ready, f"--timeout={WAIT}")
        self.kubectl("set", "image", "deployment/web", "main=example.com/web:2")
        self.kubectl("rollout", "status", "deployment/web", f"--timeout={WAIT}")
        pods = self.kubectl("get", "pods", "-l", "app=web", "-o", "wide").splitlines()
        self.assertEqual(pods[0].split()[:3], ["NAME", "READY", "STATUS"])
        told = self.kubectl("describe", "deployment", "web")
        self.assertIn("3 desired | 3 updated | 3 total | 3 available", told)
        pod = pods[1].split()[0]
        self.assertIn("example.com/web:2", self.kubectl("describe", "pod", pod))
        self.assertIn("ScalingReplicaSet", self.kubectl("events", "--for", "deployment/web"))

    def test_a_service_has_an_address(self):
        self.kubectl("create", "service", "clusterip", "served", "--tcp=80")
        self.addCleanup(self.kubectl, "delete", "service", "served")
        self.assertRegex(self.value("service/served", ".spec.clusterIP"), r"^\d+\.\d+\.\d+\.\d+$")

    def test_a_quota_refuses_what_exceeds_it(self):
        space = f"{SPACE}-quota"
        self.kubectl("create", "namespace", space)
        self.addCleanup(self.kubectl, "delete", "namespace", space)
        self.kubectl("-n", space, "create", "quota", "small", "--hard=secrets=1")
        used = ["-n", space, "get", "quota", "small", "-o", "jsonpath={.status.used.secrets}"]
        wait_until(lambda: self.kubectl(*used) == "0", 30.0, "the status of the quota")
        self.kubectl("-n", space, "create", "secret", "generic", "one")
        refusal = self.kubectl("-n", space, "create", "secret", "generic", "two", code=1)
        self.assertIn("exceeded quota: small, requested: secrets=1, used: secrets=1", refusal)
        self.kubectl("-n", space, "delete", "secret", "one")
        wait_until(lambda: self.kubectl(*used) == "0", 30.0, "the status of the quota")

    def test_a_policy_denies_what_its_expression_forbids(self):
        policy = textwrap.dedent(f"""\
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicy
            metadata: {{name: no-secrets-of-bob}}
            spec:
              matchConstraints:
                resourceRules:
                  - apiGroups: [""]
                    apiVersions: [v1]
                    operations: [CREATE]
                    resources: [secrets]
              variables:
                - {{name: who, expression: "object.metadata.name"}}
              validations:
                - expression: "!variables.who.startsWith('bob')"
                  messageExpression: "'not ' + variables.who"
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicyBinding
            metadata: {{name: no-secrets-of-bob}}
            spec:
              policyName: no-secrets-of-bob
              validationActions: [Deny]
              matchResources:
                namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {SPACE}}}}}
            """)
        self.kubectl("apply", "-f", "-", text=policy)
        self.addCleanup(self.kubectl, "delete", "-f", "-", text=policy)
        wait_until(self.is_bob_denied, 30.0, "the policy")
        self.kubectl("create", "secret", "generic", "alice", "--dry-run=server")

    def is_bob_denied(self):
        done = self.run_command(
            "kubectl", "-n", SPACE, "create", "secret", "generic", "bobs", "--dry-run=server"
        )
        return done.returncode == 1 and "denied request: not bobs" in done.stderr

    def test_discovery_and_explanations(self):
        names = self.kubectl("api-resources", "-o", "name").split()
        for name in ("pods", "jobs.batch", "storageclasses.storage.k8s.io"):
            self.assertIn(name, names)
        self.assertIn("apps/v1", self.kubectl("api-versions").split())
        self.assertIn("completions", self.kubectl("explain", "job.spec"))
        self.assertIn("does not exist", self.kubectl("explain", "job.spec.nothing", code=1))
        self.assertIn("is running at", self.kubectl("cluster-info"))
        self.assertIn("Server Version", self.kubectl("version"))
        self.assertEqual(self.kubectl("auth", "can-i", "create", "jobs").strip(), "yes")
        self.assertIn("Username", self.kubectl("auth", "whoami"))

    def test_other_users_may_do_what_their_roles_say(self):
        self.kubectl("create", "role", "looks", "--verb=get,list", "--resource=pods")
        self.addCleanup(self.kubectl, "delete", "role", "looks")
        self.kubectl("create", "rolebinding", "looks", "--role=looks", "--user=bob")
        self.addCleanup(self.kubectl, "delete", "rolebinding", "looks")
        self.assertEqual(self.kubectl("auth", "can-i", "get", "pods", "--as=bob").strip(), "yes")
        refused = self.kubectl("auth", "can-i", "delete", "pods", "--as=bob", code=1)
        self.assertEqual(refused.strip(), "no")
        self.kubectl("get", "pods", "--as=bob")
        self.assertIn(
            'User "bob" cannot list resource "secrets"',
            self.kubectl("get", "secrets", "--as=bob", code=1),
        )

    def test_a_service_account_comes_in_with_its_token(self):
        self.kubectl("create", "serviceaccount", "robot")
        self.addCleanup(self.kubectl, "delete", "serviceaccount", "robot")
        token = self.kubectl("create", "token", "robot", "--duration=10m").strip()
        as_robot = ["--token", token, "--kubeconfig", str(self.directory / "robot")]
        config = json.loads(self.kubectl("config", "view", "--raw", "-o", "json"))
        config["users"] = []
        (self.directory / "robot").write_text(json.dumps(config))
        user = f"system:serviceaccount:{SPACE}:robot"
        self.assertIn(user, self.kubectl("auth", "whoami", *as_robot))
        refused = self.kubectl("get", "pods", *as_robot, code=1)
        self.assertIn(f'User "{user}" cannot list resource "pods"', refused)
        account = f"--serviceaccount={SPACE}:robot"
        self.kubectl("create", "rolebinding", "robot", "--clusterrole=view", account)
        self.addCleanup(self.kubectl, "delete", "rolebinding", "robot")
        self.kubectl("get", "pods", *as_robot)
        refused = self.kubectl("get", "pods", *as_robot, "--as=bob", code=1)
        self.assertIn("cannot impersonate resource", refused)
        refused = self.kubectl("get", "pods", *as_robot[2:], "--token=a.b.c", code=1)
        self.assertIn("must be logged in", refused)

    def test_versions_that_go_out_of_use_warn(self):
        queues = self.kubectl("get", "clusterqueues.v1beta1.kueue.x-k8s.io")
        self.assertIn("Warning: This version is deprecated. Use v1beta2 instead.", queues)
        self.assertNotIn("Warning", self.kubectl("get", "clusterqueues.v1beta2.kueue.x-k8s.io"))
        self.assertIn("Warning: v1 Endpoints is deprecated", self.kubectl("get", "endpoints"))

    def test_a_job_runs_to_its_end(self):
        self.kubectl("create", "job", "short", "--image=any", "--", "sleep", "1")
        self.addCleanup(self.kubectl, "delete", "job", "short")
        self.kubectl("wait", "job/short", "--for=condition=Complete", "--timeout=90s")
        self.assertEqual(self.kubectl("get", "job", "short").splitlines()[1].split()[2], "1/1")

    def test_a_definition_brings_a_kind(self):
        definition = textwrap.dedent("""\
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: toys.clients.sluice.dev}
            spec:
              group: clients.sluice.dev
              scope: Namespaced
              names: {plural: toys, singular: toy, kind: Toy, shortNames: [ty]}
              versions:
                - name: v1
                  served: true
                  storage: true
                  additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
                  schema:
                    openAPIV3Schema:
                      type: object
                      properties:
                        spec:
                          type: object
                          properties: {size: {type: integer, minimum: 1}}
            """)
        self.kubectl("apply", "-f", "-", text=definition)
        self.addCleanup(self.kubectl, "delete", "crd", "toys.clients.sluice.dev")
        self.kubectl("wait", "crd/toys.clients.sluice.dev", "--for=condition=Established")
        toy = "{apiVersion: clients.sluice.dev/v1, kind: Toy, metadata: {name: t}, spec: {size: N}}"
        self.assertIn(
            "should be greater than or equal to 1",
            self.kubectl("apply", "-f", "-", text=toy.replace("N", "0"), code=1),
        )
        self.kubectl("apply", "-f", "-", text=toy.replace("N", "4"))
        self.assertEqual(self.kubectl("get", "ty").splitlines()[1].split()[:2], ["t", "4"])
        self.assertIn("size", self.kubectl("explain", "toy.spec"))

    def helm(self, *arguments):
        done = self.run_command("helm", "--namespace", SPACE, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_helm_installs_upgrades_and_uninstalls(self):
        chart = str(HERE / "chart")
        self.helm("install", "hi", chart, "--wait", f"--timeout={WAIT}")
        self.assertEqual(self.value("cm/hi-greeting", ".data.greeting"), "hello")
        self.helm("upgrade", "hi", chart, "--set", "greeting=bye,replicas=2", "--wait")
        self.assertEqual(self.value("cm/hi-greeting", ".data.greeting"), "bye")
        self.assertEqual(self.value("deployment/hi", ".status.readyReplicas"), "2")
        listed = json.loads(self.helm("list", "-o", "json"))
        self.assertEqual([(each["name"], each["revision"]) for each in listed], [("hi", "2")])
        self.helm("rollback", "hi", "1", "--wait")
        self.assertEqual(self.value("cm/hi-greeting", ".data.greeting"), "hello")
        self.helm("uninstall", "hi", "--wait")
        self.assertIn("not found", self.kubectl("get", "deployment", "hi", code=1))

    def test_the_python_client(self):
        python = python_with_client()
        self.assertIsNotNone(python, "no Python has the module kubernetes: python3-kubernetes")
        done = self.run_command(
            python,
            str(HERE / "python_client.py"),
            str(self.kubeconfig),
            SPACE,
            *(["queues"] if self.sluice else []),
        )
        self.assertEqual(done.stdout.strip(), "ok", done.stderr)


def build_clients():
    script = ROOT / "test/control-plane/build.sh"
    return subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", help="the folder of kubectl and helm; default: they are built")
    parser.add_argument("--kubeconfig", type=pathlib.Path)
    parser.add_argument("sluice", nargs="?")
    options, rest = parser.parse_known_args()
    if (options.sluice is None) == (options.kubeconfig is None):
        parser.error("either SLUICE or --kubeconfig")
    ClientsTest.folder = options.bin or build_clients()
    ClientsTest.sluice = options.sluice
    ClientsTest.kubeconfig = options.kubeconfig
    ran = unittest.main(argv=[sys.argv[0], *rest], verbosity=2, exit=False).result
    failed = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - failed} passed, {failed} failed", flush=True)
    return 1 if failed or not ran.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
