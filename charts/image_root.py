#!/usr/bin/env python3
"""Makes the root folder of the controller's image from a binary, on the Debian that built it.

    charts/image_root.py [--epoch SECONDS] BINARY FOLDER

The binary may be for another processor whose libraries that Debian has beside its own. FOLDER has
the stripped binary, the libraries that it is linked with, their licences, the certificate
authorities, a user, and usr/share/doc/sluice/sbom.spdx.json, which lists the packages.
All files are dated SECONDS after 1970 (default: 0).
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys

USER = 65532
PROCESSORS = {62: "x86_64", 183: "aarch64"}  # by the number in an ELF file
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
SBOM = "usr/share/doc/sluice/sbom.spdx.json"
# Packages of headers alone, which are compiled into the binary, where they are installed.
HEADERS = ("libboost1.83-dev", "libboost-dev", "libcli11-dev", "rapidjson-dev")
# The names that OpenSSL looks for.
LINKS = {
    "bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64",
    "usr/lib/ssl/cert.pem": "/etc/ssl/certs/ca-certificates.crt",
    "usr/lib/ssl/certs": "/etc/ssl/certs", "usr/lib/ssl/openssl.cnf": "/etc/ssl/openssl.cnf",
}  # fmt: skip
TEXTS = {
    "etc/passwd": f"root:x:0:0:root:/:/nologin\nsluice:x:{USER}:{USER}:sluice:/:/nologin\n",
    "etc/group": f"root:x:0:\nsluice:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def processor_of(binary):
    """As `uname -m` has it."""
    with open(binary, "rb") as file:
        head = file.read(20)
    machine = struct.unpack_from("<H", head, 18)[0] if head[:4] == b"\x7fELF" else None
    if machine not in PROCESSORS:
        raise SystemExit(f"image_root: {binary} is not a program for amd64 or arm64")
    return PROCESSORS[machine]


def foreign_libraries(binary, processor):
    """The same where the loader cannot run: by the names that the files state."""
    headers = output("readelf", "--program-headers", "--wide", binary)
    loader = re.search(r"Requesting program interpreter: (\S+?)\]", headers)
    if not loader:
        return []
    found, waiting = {loader[1]}, [str(binary)]
    while waiting:
        stated = output("readelf", "--dynamic", "--wide", waiting.pop())
        for name in re.findall(r"\(NEEDED\).*\[(\S+)\]", stated):
            places = (f"{folder}/{processor}-linux-gnu/{name}" for folder in ("/lib", "/usr/lib"))
            path = next(filter(os.path.exists, places), None)
            if name == os.path.basename(loader[1]):
                continue
            if path is None:
                raise SystemExit(f"image_root: cannot find a library: {name}")
            if path not in found:
                found.add(path)
                waiting.append(path)
    return sorted(found)


def linked_libraries(binary):
    """Absolute paths of the libraries and of the loader, as the loader finds them."""
    if processor_of(binary) != platform.machine():
        return foreign_libraries(binary, processor_of(binary))
    found = []
    for line in output("ldd", binary).splitlines():
        path = re.search(r"(?:=> )?(/\S+) \(0x", line)
        if "not found" in line:
            raise SystemExit(f"image_root: cannot find a library: {line.strip()}")
        if path:
            found.append(path[1])
    return sorted(set(found))


def strip(program):
    processor = processor_of(program)
    prefix = "" if processor == platform.machine() else f"{processor}-linux-gnu-"
    subprocess.run([f"{prefix}strip", "--strip-all", program], check=True)


def package_of(path):
    """The package that has a file. dpkg knows a file by its path from before /lib was /usr/lib."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr"), path):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    raise SystemExit(f"image_root: no package has {path}")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(os.path.realpath(source), target)


def described(package, files):
    """A package as SPDX describes it; `files` are in the image."""
    fields = ("Package", "Version", "Architecture", "source:Package", "source:Version", "Homepage")
    form = "\t".join(f"${{{field}}}" for field in fields)
    name, version, architecture, source, source_version, page = output(
        "dpkg-query", "-W", f"-f={form}", package
    ).split("\t")
    release = re.search(r'VERSION_ID="?([\d.]+)', pathlib.Path("/etc/os-release").read_text())[1]
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        **({"homepage": page} if page else {}),
        "sourceInfo": f"built from {source} {source_version}",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}"
            f"?arch={architecture}&distro=debian-{release}",
        }],
        **({"comment": "files: " + ", ".join(files)} if files else {}),
    }  # fmt: skip


def bill_of_materials(packages, version, digest, epoch):
    """SPDX 2.3. `packages`: (relation, description) of all but Sluice."""
    own = {
        "SPDXID": "SPDXRef-sluice",
        "name": "sluice",
        "versionInfo": version,
        "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "primaryPackagePurpose": "APPLICATION",
    }
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], relation, each["SPDXID"]) for relation, each in packages]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"sluice-{version}",
        "documentNamespace": f"https://sluice.dev/spdx/sluice-{version}-{digest}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: charts/image_root.py"],
        },
        "packages": [own, *(each for _, each in packages)],
        "relationships": [
            {"spdxElementId": a, "relationshipType": relation, "relatedSpdxElement": b}
            for a, relation, b in relations
        ],
    }


def is_installed(package):
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True
    )
    return "ok installed" in asked.stdout


def own_version():
    text = (pathlib.Path(__file__).resolve().parents[1] / "CMakeLists.txt").read_text()
    return re.search(r"project\(sluice VERSION ([\d.]+)", text)[1]


def make_root(binary, root, epoch):
    if root.exists() and any(root.iterdir()):
        raise SystemExit(f"image_root: {root} is not empty")
    libraries = linked_libraries(binary)
    if not libraries:
        raise SystemExit(f"image_root: {binary} is not linked dynamically")
    program = root / "usr/bin/sluice"
    copy(binary, program)
    strip(program)
    program.chmod(0o755)
    files = {}
    for path in libraries:
        target = "usr" + path if path.startswith("/lib") else path.lstrip("/")
        copy(path, root / target)
        (root / target).chmod(0o755)
        files.setdefault(package_of(path), []).append(target)
    # certificates and OpenSSL's configuration are made when these packages are installed
    for path in ("etc/ssl/certs/ca-certificates.crt", "etc/ssl/openssl.cnf"):
        copy("/" + path, root / path)
    for path, text in TEXTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for path, target in LINKS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / target.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    (root / "usr/lib64").mkdir(exist_ok=True)
    (root / "tmp").mkdir()
    packages = [("DYNAMIC_LINK", described(name, files[name])) for name in sorted(files)]
    kind = DEBIAN_NAMES[processor_of(binary)]
    compiled_in = [
        found for name in HEADERS
        if (found := next(filter(is_installed, (f"{name}:{kind}", f"{name}:all")), None))
    ]  # fmt: skip
    packages += [("STATIC_LINK", described(name, [])) for name in compiled_in]
    packages.append(
        ("CONTAINS", described("ca-certificates", ["etc/ssl/certs/ca-certificates.crt"]))
    )
    for _, each in packages:
        licence = pathlib.Path("/usr/share/doc", each["name"], "copyright")
        copy(licence, root / "usr/share/doc" / each["name"] / "copyright")
    own_licence = pathlib.Path(__file__).resolve().parents[1] / "LICENSE"
    copy(own_licence, root / "usr/share/doc/sluice/LICENSE")
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    bill = bill_of_materials(packages, own_version(), digest, epoch)
    (root / SBOM).write_text(json.dumps(bill, indent=1) + "\n")
    for folder, folders, names in os.walk(root, topdown=False):
        for name in (*names, *folders):
            path = pathlib.Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) and
                           "share" not in path.parts else 0o644)  # fmt: skip
            os.utime(path, (epoch, epoch), follow_symlinks=False)
    (root / "tmp").chmod(0o1777)
    os.utime(root, (epoch, epoch))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--epoch", type=int, default=0)
    options.add_argument("binary", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    given = options.parse_args()
    os.umask(0o022)
    make_root(given.binary, given.folder, given.epoch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
