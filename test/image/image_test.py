#!/usr/bin/env python3
"""The image holds a hardened program, and the program starts in it as the Deployment starts it.

    image_test.py PROGRAM                      makes the image's root folder from a program first
    image_test.py --archive FILE.tar PROGRAM   of what charts/build_image.sh made

PROGRAM is also the API server.

The user, the command, the mounts and the memory limit are those of
examples/deploy/in-cluster/controller.yaml. The API server is `sluice dev --server-only`. Both are
in a network of their own, so that the ports are free. Needs root.
"""

import argparse
import base64
import ctypes
import fcntl
import hashlib
import io
import json
import os
import pathlib
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import elf
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "examples/deploy/in-cluster/controller.yaml"
ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"
LARGEST = 40_000_000  # bytes of an archive
SECONDS = 60.0  # reached by a failure only
LIBC = ctypes.CDLL(None, use_errno=True)
READ_ONLY, BIND, REMOUNT, NO_SUID, NO_DEVICES = 1, 4096, 32, 2, 4
BOUNDING_SET_DROP, NO_NEW_PRIVILEGES = 24, 38


def mount(source, target, kind=None, flags=0, data=None):
    words = [None if each is None else str(each).encode() for each in (source, target, kind, data)]
    if LIBC.mount(words[0], words[1], words[2], flags, words[3]) != 0:
        raise OSError(ctypes.get_errno(), f"mount {source} on {target}")


def bring_loopback_up():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def bytes_of(quantity):
    return int(quantity.removesuffix("Mi")) << 20


class Deployment:
    """What the manifest says of the container."""

    def __init__(self):
        found = {each["kind"]: each for each in yaml.safe_load_all(MANIFEST.read_text()) if each}
        self.configuration = found["ConfigMap"]["data"]["controller_manager_config.yaml"]
        pod = found["Deployment"]["spec"]["template"]["spec"]
        (self.container,) = pod["containers"]
        self.account = pod["serviceAccountName"]
        self.namespace = found["Deployment"]["metadata"]["namespace"]
        self.user = pod["securityContext"]["runAsUser"]
        self.grace = pod["terminationGracePeriodSeconds"]
        self.memory = bytes_of(self.container["resources"]["limits"]["memory"])
        self.mounts = {each["name"]: each["mountPath"] for each in self.container["volumeMounts"]}
        self.command = self.container["command"] + self.container["args"]


def own_machine():
    return elf.Elf(pathlib.Path(sys.executable).resolve().read_bytes()).machine


def packed(root):
    """All of a folder that a layer has: names, modes, owners, dates, bytes."""
    command = ["tar", "--create", "--sort=name", "--numeric-owner", "--directory", root, "."]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def memory_group(limit):
    """A file for the ids of processes that may have so much memory together; None: no right to."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            folder, setting = f"/sys/fs/cgroup/memory{path}", "memory.limit_in_bytes"
        elif controllers == "":
            folder, setting = f"/sys/fs/cgroup{path}", "memory.max"
        else:
            continue
        try:
            group = pathlib.Path(folder) / f"sluice-image-test-{os.getpid()}"
            group.mkdir()
            (group / setting).write_text(str(limit))
            return group / "cgroup.procs"
        except OSError:
            continue
    return None


class Server:
    """`sluice dev --server-only` with the definitions and the controller's rights."""

    def __init__(self, program, folder):
        self.kubeconfig = folder / "kubeconfig"
        self.process = subprocess.Popen(
            [program, "dev", "--server-only", "--quiet", "--write-kubeconfig", self.kubeconfig,
             "-f", ROOT / "crds", "-f", ROOT / "examples/deploy/rbac.yaml"],
            stdin=subprocess.DEVNULL)  # fmt: skip
        is_over = self.process.poll
        wait_for(lambda: self.kubeconfig.exists() or is_over() is not None, "a kubeconfig")
        text = json.loads(self.kubeconfig.read_text())
        cluster = text["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.authority = base64.b64decode(cluster["certificate-authority-data"])
        self.token = text["users"][0]["user"]["token"]

    def account_token(self, namespace, account):
        """As the kubelet asks for it."""
        asked = urllib.request.Request(
            f"{self.url}/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token",
            data=b'{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}',
            headers={"Authorization": f"Bearer {self.token}",
                     "Content-Type": "application/json"})  # fmt: skip
        context = ssl.create_default_context(cadata=self.authority.decode())
        with urllib.request.urlopen(asked, context=context, timeout=SECONDS) as answer:
            return json.load(answer)["status"]["token"]


def wait_for(is_done, what):
    deadline = time.monotonic() + SECONDS
    while not is_done():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        time.sleep(0.02)


def prepare_mounts(root, deployment, server, folder):
    """What kubelet and the container's runtime mount."""
    volume = folder / "account"
    volume.mkdir()
    (volume / "token").write_text(server.account_token(deployment.namespace, deployment.account))
    (volume / "ca.crt").write_bytes(server.authority)
    (volume / "namespace").write_text(deployment.namespace)
    (folder / "configuration").write_text(deployment.configuration)
    for path in (ACCOUNT, "proc", "dev"):
        (root / path).mkdir(parents=True, exist_ok=True)
    configuration = root / deployment.mounts["manager-config"].lstrip("/")
    configuration.touch()
    mount(root, root, flags=BIND)
    mount("proc", root / "proc", "proc")
    mount("dev", root / "dev", "tmpfs", data="mode=755")
    for name in ("null", "urandom"):
        (root / "dev" / name).touch()
        mount(f"/dev/{name}", root / "dev" / name, flags=BIND)
    mount(volume, root / ACCOUNT, flags=BIND)
    mount(folder / "configuration", configuration, flags=BIND)
    scratch = root / deployment.mounts["scratch"].lstrip("/")
    mount("scratch", scratch, "tmpfs", NO_SUID | NO_DEVICES, "mode=777,size=64m")
    mount(None, root, flags=REMOUNT | BIND | READ_ONLY)


def start(root, deployment, server, group):
    """The container's process."""
    host, port = server.url.removeprefix("https://").split(":")

    def enter():
        if group is None:
            resource.setrlimit(resource.RLIMIT_DATA, (deployment.memory, deployment.memory))
        else:
            group.write_text(str(os.getpid()))
        os.chroot(root)
        os.chdir("/")
        for capability in range(64):
            LIBC.prctl(BOUNDING_SET_DROP, capability, 0, 0, 0)
        LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        os.setgroups([])
        os.setgid(deployment.user)
        os.setuid(deployment.user)

    return subprocess.Popen(
        deployment.command, executable=f"/usr/bin/{deployment.command[0]}", preexec_fn=enter,
        env={"PATH": "/usr/bin", "KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)  # fmt: skip


def answer_of(path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:8081{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class Archive:
    """An image as the OCI describes it."""

    def __init__(self, path):
        self.size = path.stat().st_size
        with tarfile.open(path) as archive:
            self.blobs = {
                each.name: archive.extractfile(each).read() for each in archive if each.isfile()
            }
        (described,) = json.loads(self.blobs["index.json"])["manifests"]
        self.name = described["annotations"]["org.opencontainers.image.ref.name"]
        self.manifest = self.json_of(described)
        self.config = self.json_of(self.manifest["config"])

    def blob(self, described):
        return self.blobs["blobs/" + described["digest"].replace(":", "/")]

    def json_of(self, described):
        return json.loads(self.blob(described))

    def members(self):
        for layer in self.manifest["layers"]:
            with tarfile.open(fileobj=io.BytesIO(self.blob(layer))) as files:
                yield from files

    def unpack(self, folder):
        for layer in self.manifest["layers"]:
            with tarfile.open(fileobj=io.BytesIO(self.blob(layer))) as files:
                files.extractall(folder)


class ImageTest(unittest.TestCase):
    archive = None
    program = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sluice-image-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.folder.chmod(0o755)
        cls.root = cls.folder / "root"
        if cls.archive is not None:
            cls.archive.unpack(cls.root)
        else:
            subprocess.run([ROOT / "charts/image_root.py", cls.program, cls.root], check=True)
        cls.packages = json.loads((cls.root / "usr/share/doc/sluice/sbom.spdx.json").read_text())

    def test_program_and_libraries_are_hardened(self):
        data = (self.root / "usr/bin/sluice").read_bytes()
        forbidden = (str(ROOT), "/src/lib", "/src/controller") if self.archive else ()
        for promise, fault in elf.faults(data, forbidden):
            with self.subTest(promise=promise):
                self.assertIsNone(fault)

    def test_bill_of_materials_names_every_library(self):
        listed = " ".join(each.get("comment", "") for each in self.packages["packages"])
        libraries = [each for each in self.root.rglob("*.so*") if each.is_file()]
        self.assertGreater(len(libraries), 5)
        for each in libraries:
            self.assertIn(str(each.relative_to(self.root)), listed)
        ids = [each["SPDXID"] for each in self.packages["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for each in self.packages["relationships"]:
            self.assertIn(each["relatedSpdxElement"], ids)
        for each in self.packages["packages"][1:]:
            self.assertTrue((self.root / "usr/share/doc" / each["name"] / "copyright").exists())

    def test_two_roots_are_one(self):
        digests = set()
        for name in ("first", "second"):
            root = self.folder / name
            command = [ROOT / "charts/image_root.py", "--epoch", "86400", self.program, root]
            subprocess.run(command, check=True)
            digests.add(hashlib.sha256(packed(root)).hexdigest())
        self.assertEqual(len(digests), 1)

    def test_nothing_may_be_written_by_the_user(self):
        for each in self.root.rglob("*"):
            found = each.lstat()
            if not each.is_symlink() and each.name != "tmp":
                self.assertEqual((found.st_uid, found.st_gid), (0, 0), each)
                self.assertEqual(found.st_mode & 0o6022, 0, each)

    def test_archive(self):
        self.assertLessEqual(self.archive.size, LARGEST)
        self.assertRegex(self.archive.name, r"^docker\.io/library/sluice:\d")
        self.assertEqual(self.archive.config["os"], "linux")
        processor = self.archive.config["architecture"]
        for path in (self.root / "usr/bin/sluice", *self.root.rglob("*.so*")):
            if not path.is_symlink():
                self.assertEqual(processor, elf.MACHINES[elf.Elf(path.read_bytes()).machine], path)
        self.assertEqual(self.archive.config["config"]["User"], "65532:65532")
        self.assertEqual(self.archive.config["config"]["Entrypoint"], ["sluice"])
        dates = {each.mtime for each in self.archive.members()}
        self.assertEqual(len(dates), 1, dates)

    def test_starts_as_the_deployment_starts_it(self):
        if elf.Elf((self.root / "usr/bin/sluice").read_bytes()).machine != own_machine():
            self.skipTest("the image is for another processor")
        deployment = Deployment()
        server = Server(self.program, self.folder)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.terminate)
        prepare_mounts(self.root, deployment, server, self.folder)
        self.addCleanup(subprocess.run, ["umount", "--recursive", "--lazy", self.root], check=True)
        group = memory_group(deployment.memory)
        if group is not None:
            self.addCleanup(group.parent.rmdir)
        process = start(self.root, deployment, server, group)
        try:
            wait_for(lambda: answer_of("/healthz") == 200 or process.poll() is not None, "/healthz")
            wait_for(lambda: answer_of("/readyz") == 200 or process.poll() is not None, "/readyz")
            self.assertIsNone(process.poll(), "the controller ended")
            self.expect_confined(process.pid, deployment)
            process.send_signal(signal.SIGTERM)
            process.wait(deployment.grace)
        finally:
            process.kill()
            log = process.communicate()[0]
            sys.stderr.write(log)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("ead-only file system", log)

    def expect_confined(self, pid, deployment):
        status = dict(
            line.split(":\t", 1)
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
            if ":\t" in line
        )  # fmt: skip
        self.assertEqual(set(status["Uid"].split()), {str(deployment.user)})
        self.assertEqual(set(status["Gid"].split()), {str(deployment.user)})
        self.assertEqual(status["NoNewPrivs"], "1")
        for name in ("CapEff", "CapPrm", "CapBnd"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertLess(int(status["VmHWM"].split()[0]) << 10, deployment.memory)
        flags = os.statvfs(f"/proc/{pid}/root").f_flag
        self.assertTrue(flags & os.ST_RDONLY, "the root folder may be written")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--archive", type=pathlib.Path)
    options.add_argument("program", type=pathlib.Path)
    given = options.parse_args()
    if os.geteuid() != 0:
        print("skipped: the image: it takes root\n0 passed, 0 failed, 1 skipped")
        return 0
    if os.environ.get("SLUICE_IMAGE_TEST") != "inside":
        os.execvpe("unshare", ["unshare", "--mount", "--net", "--fork", "--kill-child",
                               sys.executable, *sys.argv],
                   os.environ | {"SLUICE_IMAGE_TEST": "inside"})  # fmt: skip
    bring_loopback_up()
    ImageTest.archive = given.archive and Archive(given.archive)
    ImageTest.program = given.program.resolve()
    if given.archive is None:
        del ImageTest.test_archive
    ran = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result
    failed, skipped = len(ran.failures) + len(ran.errors), len(ran.skipped)
    passed = max(0, ran.testsRun - failed - skipped)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
