"""Which folder may include which: the table, and the third-party headers of some folders."""

import re

# Folder -> the folders it may include besides itself. A folder that is not here is a fault, so a
# new one starts with the question where it stands.
LAYERS = {
    "base": "",
    "json": "base",
    "yaml": "base json",
    "api": "base json",
    "engine": "base",
    "config": "base json api",
    "job_kinds": "base json yaml api config",
    "validation": "base json api config",
    "workload": "base json api config validation engine",
    "metrics": "base json api",
    "webhook": "base json api config validation kube/core",
    "cel": "base json api config kube/core",
    "net": "base",
    "kube/core": "base json api",
    "kube/runtime": "base json api kube/core",
    "kube/client": "base json yaml api kube/core kube/runtime net",
    "serving": "base json api kube/core kube/client net",
    "apiserver": "base json yaml api config validation cel kube/core kube/client net webhook",
    "sim": "base json yaml api engine workload config job_kinds metrics webhook cel net kube/core"
    " kube/runtime kube/client apiserver controller/jobs controller/reconcilers controller/scheduler"
    " controller/process",
    "controller/reconcilers": "base json api engine workload config metrics kube/core"
    " kube/runtime kube/client",
    "controller/jobs": "base json api engine workload config job_kinds validation webhook"
    " kube/core kube/runtime controller/reconcilers",
    # A kind's entry names its reconciler and what the engine is told of it.
    "controller/kinds": "base json api engine workload config job_kinds validation webhook"
    " kube/core kube/runtime"
    " controller/reconcilers controller/jobs",
    # The scheduler reads the same stores and writes the same status as the reconcilers.
    "controller/scheduler": "base json api engine workload config metrics kube/core"
    " kube/runtime kube/client controller/reconcilers controller/jobs controller/kinds",
    "controller/visibility": "base json api engine workload net serving kube/core kube/runtime"
    " kube/client controller/reconcilers",
    "controller/process": "base json yaml api engine workload config job_kinds validation metrics"
    " webhook cel net serving kube/core kube/runtime kube/client apiserver controller/reconcilers controller/jobs"
    " controller/kinds controller/scheduler controller/visibility",
    "controller/commands": "base json yaml api engine workload config job_kinds metrics webhook"
    " cel net kube/core kube/runtime kube/client apiserver sim controller/reconcilers"
    " controller/jobs controller/kinds controller/scheduler controller/process",
    "controller": "base controller/commands",
}

# What the engine sees of base: assertions, containers, ids, times. It reports no errors.
ENGINE_BASE = (
    "base/assert.hpp",
    "base/clock.hpp",
    "base/small_vector.hpp",
    "base/strong_id.hpp",
)

# Third-party prefix -> where it may be included: a file, a folder ending in /, *.cpp of a folder.
THIRD_PARTY = {
    "rapidjson/": ("lib/json/",),
    "yaml-cpp/": ("lib/yaml/",),
    "boost/beast": ("lib/net/*.cpp",),
    "openssl/": (
        "lib/net/*.cpp",
        "lib/base/sha1.cpp",
        "lib/base/sha256.cpp",
        "lib/kube/core/base64.cpp",
    ),
    "boost/container": ("lib/base/",),
    "boost/asio": ("lib/net/", "lib/serving/", "lib/kube/client/", "lib/apiserver/answer.hpp",
                   "lib/apiserver/http_front.hpp", "lib/apiserver/http_front.cpp",
                   "lib/apiserver/in_process_client.hpp", "lib/apiserver/in_process_client.cpp",
                   "lib/apiserver/webhook_client.hpp", "controller/"),
    "boost/locale": ("lib/base/",),
    "boost/url": ("lib/net/*.cpp", "lib/kube/core/resource_path.cpp"),
    "boost/uuid": ("lib/net/*.cpp",),
    "boost/system": ("lib/base/", "lib/net/", "lib/kube/client/", "controller/"),
    "re2/": ("lib/apiserver/*.cpp", "lib/cel/regex.cpp"),
    "spdlog/": ("lib/base/log.cpp",),
    "CLI/": ("controller/",),
    "catch2/": (),
    "fmt/": ("lib/", "controller/"),
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(path):
    """The layer a path of the tree or of an #include belongs to, or None for a file of no layer."""
    parts = path.removeprefix("lib/").split("/")[:-1]
    if not parts:
        return None
    if parts[0] in ("kube", "controller") and len(parts) > 1:
        return "/".join(parts[:2])
    return parts[0]


def _allowed(path, places):
    for place in places:
        if place.endswith("/*.cpp"):
            if path.startswith(place[: -len("*.cpp")]) and path.endswith(".cpp"):
                return True
        elif path == place or (place.endswith("/") and path.startswith(place)):
            return True
    return False


def _project_fault(path, own, included):
    target = folder_of(included)
    if target is None or included.startswith("."):
        return f'"{included}" is not written from the include root'
    if target not in LAYERS:
        return f'"{included}" is of no known folder'
    if target != own and target not in LAYERS[own].split():
        return f"{own} may not include {target}"
    if own == "engine" and target == "base" and included not in ENGINE_BASE:
        return f"engine sees of base only {', '.join(ENGINE_BASE)}"
    return None


def _system_fault(path, own, included):
    if own == "engine" and ("/" in included or included.endswith(".h")):
        return f"engine includes the standard library alone, not <{included}>"
    for prefix, places in THIRD_PARTY.items():
        if included.startswith(prefix) and not _allowed(path, places):
            return f"<{included}> is not for this folder"
    return None


def faults(path, stripped):
    """Yields (offset, text) for each include of a lib/ or controller/ file that breaks the table.

    `stripped` is the source without comments but with its literals.
    """
    own = folder_of(path)
    if own not in LAYERS:
        yield 0, f"folder {own} has no row in test/lint/layers.py"
        return
    for match in _INCLUDE.finditer(stripped):
        check = _project_fault if match.group(1) == '"' else _system_fault
        fault = check(path, own, match.group(2))
        if fault:
            yield match.start(), fault
