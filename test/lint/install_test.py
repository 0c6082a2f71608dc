#!/usr/bin/env python3
"""Runs test/install_dependencies.sh in every order of its modes: what is installed is new enough.

    install_test.py             on small package sources of its own, without a network
    install_test.py --debian    on the package lists that this machine has of Debian 12

Nothing is installed. apt's own resolver decides, in a dry run, and its decision is written into a
list of installed packages that begins empty.
"""

import hashlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = "test/install_dependencies.sh"
MODES = ("build", "", "go")
IMAGE = ("buildah", "mmdebstrap")  # which the mode `image` alone asks for
# What only a build for another processor asks for.
CROSS = re.compile(r"binutils-|libstdc\+\+-")
# Which packages there are for each processor, and beside each other.
OF_EACH_PROCESSOR = re.compile(r"lib.*-dev|catch2")
HEADERS = ("rapidjson-dev", "libcli11-dev")  # for all processors

# Package, version, what it depends on and conflicts with. A package of the script that is not here
# is in the first suite, in the oldest version that the script takes.
DEBIAN_12 = (
    ("libspdlog-dev", "1:1.10.0+ds-0.4", "libfmt-dev (>= 9.0.0), catch2", ""),
    ("catch2", "2.13.10-1", "", ""),
    ("libboost1.74-dev", "1.74.0+ds1-21", "", ""),
    ("golang-1.19-go", "1.19.8-2", "", ""),
)
BACKPORTS = (
    ("catch2", "3.7.1-0.4~bpo12+1", "", ""),
    ("libboost1.83-dev", "1.83.0-4.2~bpo12+1", "", "libboost1.74-dev"),
    ("libboost-url1.83-dev", "1.83.0-4.2~bpo12+1", "libboost1.83-dev", ""),
    ("golang-1.23-go", "1.23.5-1~bpo12+1", "", ""),
)
DEBIAN_13 = (
    ("libspdlog-dev", "1:1.15.1+ds-1", "libfmt-dev, catch2", ""),
    ("catch2", "3.7.1-0.6", "", ""),
)

SOURCES = """Types: deb
URIs: {folder}/debian/
Suites: {suite}
Components: main
"""
# Fields of a package source that dpkg does not accept in its list of installed packages.
ARCHIVE = re.compile(r"^(Filename|Size|MD5sum|SHA\d+|Description-md5): .*\n?", re.MULTILINE)
# Programs that the script calls. $PLACE is the folder of the machine that is imitated; `update`
# without lists of one's own would ask the network.
PROGRAMS = {
    "sudo": 'exec "$@"',
    "id": 'echo "${USER_ID:-0}"',
    "dpkg-query": 'exec /usr/bin/dpkg-query --admindir="$PLACE/dpkg" "$@"',
    "dpkg": """case $1 in
--configure) sed -i 's/ok half-configured/ok installed/' "$PLACE/dpkg/status" ;;
--add-architecture) echo "APT::Architectures { \\"$2\\"; };" >>"$PLACE/apt.conf" ;;
*) exec /usr/bin/dpkg "$@" ;;
esac""",
    "apt-cache": 'exec /usr/bin/apt-cache -c "$PLACE/apt.conf" "$@"',
    "apt-get": f'exec {sys.executable} {pathlib.Path(__file__).resolve()} --apt-get "$@"',
}


def oldest_versions():
    """The script's table: package -> version."""
    text = (ROOT / SCRIPT).read_text()
    table = re.search(r"oldest=\((.*?)\)\n", text, re.DOTALL)[1]
    return dict(re.findall(r"\[([a-z0-9.+-]+)\]=(\S+)", table))


def any_version():
    return re.search(r"^for p in (.*); do oldest", (ROOT / SCRIPT).read_text(), re.MULTILINE)[
        1
    ].split()


def at_least(version, oldest):
    compare = ["/usr/bin/dpkg", "--compare-versions", version, "ge", oldest]
    return subprocess.run(compare).returncode == 0


def stanza(name, version, depends, conflicts, **more):
    fields = {"Package": name, "Version": version, "Architecture": "amd64", "Maintainer": "none",
              "Description": "none", "Depends": depends, "Conflicts": conflicts} | more  # fmt: skip
    return "".join(f"{key}: {value}\n" for key, value in fields.items() if value) + "\n"


def name_of(fields):
    """As apt names a package: with its processor where that is not the machine's."""
    name = re.search(r"^Package: (.*)", fields, re.MULTILINE)[1]
    processor = re.search(r"^Architecture: (.*)", fields, re.MULTILINE)[1]
    return f"{name}:{processor}" if processor == "arm64" else name


def apt_get(arguments):
    """Does what `apt-get install` would: asks apt for a dry run, and notes what it would do."""
    place = pathlib.Path(os.environ["PLACE"])
    if arguments[0] == "update":
        if not (place / "own-lists").exists():
            return subprocess.call(["/usr/bin/apt-get", "-c", place / "apt.conf", *arguments])
        return 0
    if "half-configured" in (place / "dpkg/status").read_text():
        print("E: dpkg was interrupted")
        return 100
    dry = subprocess.run(["/usr/bin/apt-get", "-c", place / "apt.conf", "-s", *arguments],
                         stdout=subprocess.PIPE, text=True)  # fmt: skip
    sys.stdout.write(dry.stdout)
    if dry.returncode:
        return dry.returncode
    status = place / "dpkg/status"
    installed = {
        name_of(each): each for each in status.read_text().split("\n\n") if each.strip()
    }
    for name in re.findall(r"^Remv (\S+)", dry.stdout, re.MULTILINE):
        del installed[name]
    new = re.findall(r"^Inst (\S+) (?:\[\S+\] )?\((\S+) ", dry.stdout, re.MULTILINE)
    if new:
        shown = subprocess.run(
            ["/usr/bin/apt-cache", "-c", place / "apt.conf", "show",
             *(f"{name}={version}" for name, version in new)],
            check=True, capture_output=True, text=True).stdout  # fmt: skip
        for each in shown.split("\n\n"):
            if each.strip():
                fields = ARCHIVE.sub("", each.strip())
                installed[name_of(each)] = "Status: install ok installed\n" + fields
    status.write_text("".join(each.strip() + "\n\n" for each in installed.values()))
    return 0


def offered(package, processor):
    """A stanza of a package source, or nothing where the processor has no such package."""
    more = {"Filename": f"{package[0]}.deb", "Size": "1", "SHA256": "0" * 64}
    if package[0] in HEADERS:
        return stanza(*package, **more, Architecture="all")
    if OF_EACH_PROCESSOR.fullmatch(package[0]):
        more |= {"Architecture": processor, "Multi-Arch": "same"}
    elif processor != "amd64":
        return ""
    return stanza(*package, **more)


class Machine:
    """A folder that the script takes for a machine, which has Debian in version `codename`."""

    def __init__(self, folder, codename="bookworm", has_own_lists=False):
        self.folder = folder
        self.codename = codename
        for each in ("dpkg/updates", "dpkg/info", "etc/apt/sources.list.d", "programs", "state",
                     "cache/archives/partial"):  # fmt: skip
            (folder / each).mkdir(parents=True)
        (folder / "dpkg/status").touch()
        (folder / "etc/os-release").write_text(f"VERSION_CODENAME={codename}\n")
        own = folder / "etc/apt"
        (folder / "apt.conf").write_text(
            f'Dir::State::status "{folder}/dpkg/status";\nDir::Cache "{folder}/cache";\n'
            'APT::Architecture "amd64";\nAPT::Architectures { "amd64"; };\nAPT::Sandbox::User "";\n'
            # These sources are not signed.
            'Acquire::AllowInsecureRepositories "true";\nAPT::Get::AllowUnauthenticated "true";\n'
            + ("" if has_own_lists else
               f'Dir::State "{folder}/state";\nDir::Etc "{own}";\n'
               'Dir::Etc::main "none";\nDir::Etc::parts "none";\n')
        )  # fmt: skip
        if has_own_lists:
            (folder / "own-lists").touch()
        for name, body in PROGRAMS.items():
            (folder / "programs" / name).write_text("#!/bin/sh\n" + body + "\n")
            (folder / "programs" / name).chmod(0o755)
        text = (ROOT / SCRIPT).read_text().replace("/etc/", f"{folder}/etc/")
        (folder / "install.sh").write_text(text)

    def offer(self, suite, packages):
        """Makes a package source; the one of the machine's own version is known to it."""
        place = self.folder / "debian/dists" / suite
        names = {name for name, *_ in packages}
        if suite == self.codename:
            missing = {**oldest_versions(), **dict.fromkeys(any_version(), "1")}
            in_backports = {name for name, *_ in BACKPORTS} if suite == "bookworm" else set()
            packages = (*packages, *((name, version, "", "") for name, version in missing.items()
                                     if name not in names | in_backports))  # fmt: skip
            self.add_source(suite)
        optional = "NotAutomatic: yes\nButAutomaticUpgrades: yes\n"
        not_automatic = "" if suite == self.codename else optional
        place.mkdir(parents=True)
        release = (
            f"Origin: Debian\nSuite: {suite}\nCodename: {suite}\nComponents: main\n"
            "Architectures: amd64 arm64\nDate: Fri, 01 Jan 2021 00:00:00 UTC\n"
            f"{not_automatic}SHA256:\n"
        )
        for processor in ("amd64", "arm64"):
            listed = place / f"main/binary-{processor}/Packages"
            listed.parent.mkdir(parents=True)
            listed.write_text("".join(offered(each, processor) for each in packages))
            digest = hashlib.sha256(listed.read_bytes()).hexdigest()
            release += f" {digest} {listed.stat().st_size} main/binary-{processor}/Packages\n"
        (place / "Release").write_text(release)

    def add_source(self, suite):
        (self.folder / f"etc/apt/sources.list.d/{suite}.sources").write_text(
            SOURCES.format(folder=f"file:{self.folder}", suite=suite)
        )

    def put(self, name, version, status="install ok installed", depends=""):
        with (self.folder / "dpkg/status").open("a") as file:
            file.write(stanza(name, version, depends, "", Status=status))

    def installed(self):
        found = subprocess.run(
            ["/usr/bin/dpkg-query", f"--admindir={self.folder}/dpkg", "-W",
             "-f=${binary:Package} ${Version}\n"],
            check=True, capture_output=True, text=True)  # fmt: skip
        lines = (line.split() for line in found.stdout.splitlines())
        return {name.removesuffix(":amd64"): version for name, version in lines}

    def install(self, mode, **variables):
        """(exit code, output) of the script."""
        ended = subprocess.run(
            ["/usr/bin/env", "bash", self.folder / "install.sh", *mode.split()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | variables | {
                "PLACE": str(self.folder),
                "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
            })  # fmt: skip
        return ended.returncode, ended.stdout


class InstallTest(unittest.TestCase):
    is_debian = False

    def machine(self, codename="bookworm"):
        folder = tempfile.TemporaryDirectory(prefix="sluice-install-")
        self.addCleanup(folder.cleanup)
        made = Machine(pathlib.Path(folder.name), codename, self.is_debian)
        if not self.is_debian:
            made.offer(codename, DEBIAN_12 if codename == "bookworm" else DEBIAN_13)
            if codename == "bookworm":
                made.offer("bookworm-backports", BACKPORTS)
        return made

    def expect_new_enough(self, machine, mode):
        installed = machine.installed()
        oldest = oldest_versions()
        for name, version in installed.items():
            is_asked_for = name in oldest and (name in IMAGE) == (mode == "image")
            is_asked_for = is_asked_for and not CROSS.match(name)
            if is_asked_for and not (mode == "build" and name == "catch2"):
                self.assertTrue(at_least(version, oldest[name]), f"{name} {version} after '{mode}'")
        if mode == "image":
            self.assertLessEqual(set(IMAGE), set(installed))
            return
        self.assertIn("cmake", installed)
        if mode != "build":
            self.assertIn("catch2", installed)
        if mode == "go":
            self.assertRegex(" ".join(installed), "golang-(1.23-)?go")

    def play(self, machine, modes):
        for at, mode in enumerate(modes):
            code, output = machine.install(mode)
            self.assertEqual(code, 0, f"{modes}: {output}")
            self.expect_new_enough(machine, mode if at == 0 else max(modes[: at + 1], key=RANK.get))
            before = machine.installed()
            code, output = machine.install(mode)
            self.assertEqual((code, output), (0, "install: everything is there\n"), modes)
            self.assertEqual(machine.installed(), before)

    def test_modes_in_every_order(self):
        with_image = (("image", "build", ""), ("build", "image", "go", "image"))
        for modes in (*itertools.permutations(MODES), *with_image):
            with self.subTest(modes=modes):
                self.play(self.machine(), modes)

    def test_modes_on_debian_13(self):
        if self.is_debian:
            self.skipTest("the package lists are those of Debian 12")
        for modes in (("build", ""), ("", "build", "go")):
            with self.subTest(modes=modes):
                self.play(self.machine("trixie"), modes)

    def test_libraries_of_another_processor_come_beside_the_own(self):
        if self.is_debian:
            self.skipTest("the package lists are those of amd64")
        own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True)
        if own.stdout != "amd64\n":
            self.skipTest("the package sources are those of an amd64 machine")
        for codename, boost, library in (("bookworm", "libboost1.83-dev", "libstdc++-12-dev"),
                                         ("trixie", "libboost-dev", "libstdc++-14-dev")):
            for modes in (("build arm64",), ("build", "build arm64"), ("build arm64", "build")):
                machine = self.machine(codename)
                for mode in modes:
                    code, output = machine.install(mode)
                    self.assertEqual(code, 0, output)
                    before = machine.installed()
                    again = machine.install(mode)
                    self.assertEqual(again, (0, "install: everything is there\n"), modes)
                    self.assertEqual(machine.installed(), before)
                with self.subTest(codename=codename, modes=modes):
                    there = machine.installed()
                    foreign = {"libssl-dev:arm64", f"{boost}:arm64", f"{library}:arm64"}
                    programs = {"cmake", "binutils-aarch64-linux-gnu", *HEADERS}
                    self.assertLessEqual(foreign | programs, set(there))
                    self.assertEqual("libssl-dev" in there, "build" in modes)
                    self.assertNotIn("cmake:arm64", there)
                    self.assertTrue(at_least(there[f"{boost}:arm64"], "1.83"))

    def test_other_processors_and_modes_are_refused(self):
        machine = self.machine()
        for mode in ("build mips", "go arm64", "image arm64"):
            code, output = machine.install(mode)
            self.assertEqual(code, 2, mode)
            self.assertIn("with `arm64` or `amd64` after it", output)
        self.assertEqual(machine.installed(), {})

    def test_replaces_old_packages_of_any_name(self):
        for codename in ("bookworm",) if self.is_debian else ("bookworm", "trixie"):
            for status in ("install ok installed", "install ok half-configured"):
                machine = self.machine(codename)
                if codename == "bookworm":
                    others = ("clang", "lld", "llvm", "clang-format", "clang-tidy", "golang-go",
                              "libboost-dev", "libboost-url-dev", "libclang-rt-dev")  # fmt: skip
                else:
                    others = [name for name in oldest_versions() if re.search(r"\d\d|1\.\d", name)]
                for name in oldest_versions().keys() - set(others):
                    machine.put(name, "0:0.1", status)
                with self.subTest(codename=codename, status=status):
                    self.play(machine, ("image", "go", "build"))

    def test_replaces_packages_that_conflict(self):
        machine = self.machine()
        machine.put("libboost1.74-dev", "1.74.0+ds1-21")
        self.play(machine, ("build", ""))
        self.assertNotIn("libboost1.74-dev", machine.installed())

    def test_fails_and_names_what_no_source_has(self):
        machine = self.machine()
        machine.put("cmake", "3.18.4", "hold ok installed")
        code, output = machine.install("build")
        self.assertNotEqual(code, 0, output)
        self.assertIn("cmake", output)
        if self.is_debian:
            return
        machine = self.machine("trixie")
        listed = machine.folder / "debian/dists/trixie"
        shutil.rmtree(listed)
        machine.offer("trixie", (("catch2", "3.4.0-1", "", ""),))
        code, output = machine.install("")
        self.assertEqual(code, 1, output)
        self.assertIn("install: catch2 3.7 or newer is needed; 3.4.0-1 is installed\n", output)

    def test_without_root_and_sudo_nothing_begins(self):
        machine = self.machine()
        (machine.folder / "programs/sudo").unlink()
        tools = machine.folder / "programs"
        for name in ("bash", "sed", "grep", "env"):
            (tools / name).symlink_to(shutil.which(name))
        code, output = machine.install("build", USER_ID="1000", PATH=str(tools))
        if shutil.which("sudo"):
            self.skipTest("sudo is installed here")
        self.assertEqual(code, 2, output)
        self.assertIn("run this as root, since sudo is not installed: cmake", output)
        self.assertEqual(machine.installed(), {})

    def test_asks_for_what_the_build_asks_for(self):
        cmake = (ROOT / "CMakeLists.txt").read_text()
        toolchain = (ROOT / "lib/toolchain.cmake").read_text()
        oldest = oldest_versions()
        packages = {"Boost": "libboost1.83-dev", "OpenSSL": "libssl-dev", "Catch2": "catch2"}
        asked = dict(re.findall(r"find_package\((\w+) ([\d.]+)", cmake))
        self.assertEqual(set(asked), set(packages))
        for name, version in asked.items():
            self.assertEqual(oldest[packages[name]], version, name)
        self.assertEqual(
            oldest["cmake"], re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", cmake)[1]
        )
        clang = re.search(r"version VERSION_GREATER_EQUAL (\d+)", toolchain)[1]
        for name in ("clang", "clang-16"):
            self.assertEqual(oldest[name], f"1:{clang}")


RANK = {"image": -1, "build": 0, "": 1, "go": 2}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--apt-get"]:
        sys.exit(apt_get(sys.argv[2:]))
    InstallTest.is_debian = sys.argv[1:] == ["--debian"]
    unittest.main(argv=sys.argv[:1], verbosity=2)
