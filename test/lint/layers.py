#!/usr/bin/env python3
"""Which folder may include which: the table, and the third-party headers of some folders.

layers.py    writes the sentence `May include:` of each folder's README.md from the table
"""

import os
import re
import sys
import textwrap

# Folder -> the folders above it in the table that it may include besides itself, each of which it
# does include. A folder that is not here is a fault, so a new one starts with the question where it
# stands.
LAYERS = {
    "base": "",
    "json": "base",
    "yaml": "base json",
    "api/meta": "base json",
    "api/core": "api/meta",
    "api/kueue": "base json api/meta api/core",
    "api/insight": "api/meta",
    "api/schema": "base json api/meta api/core api/kueue",
    "engine/types": "base",
    "engine/names": "base engine/types",
    "engine/topology": "base engine/types engine/names",
    "engine/quota": "base engine/types engine/topology",
    "engine/state": "base engine/types engine/names engine/topology engine/quota",
    "engine/placement": "engine/types engine/topology engine/state",
    "engine/preemption": "base engine/types engine/quota engine/state engine/placement",
    "engine/flavors": "base engine/types engine/quota engine/state engine/placement"
    " engine/preemption",
    "engine/cycle": "base engine/types engine/quota engine/state engine/preemption engine/flavors",
    "engine": "engine/types engine/state engine/placement engine/cycle",
    "engine/driver": "engine/types engine/state engine",
    "engine/trial": "engine/types engine/state engine",
    "kube/core": "base json api/schema",
    "journal": "base json kube/core engine/types engine/state engine engine/driver",
    "config": "base json api/meta api/kueue",
    "job_kinds": "base json yaml api/meta api/schema config",
    "job_kinds/derived": "base json api/meta job_kinds",
    "validation": "base json api/meta api/core api/kueue config",
    "workload/pods": "api/meta api/core api/kueue engine/types",
    "workload/capacity": "base api/meta api/core api/kueue engine/types workload/pods",
    "workload/translation": "api/meta api/core api/kueue engine/types config validation"
    " workload/pods workload/capacity",
    "workload/status": "base api/meta api/kueue engine/types engine/state engine workload/pods"
    " workload/capacity workload/translation",
    "workload/explanation": "engine/types engine/quota engine/state engine/preemption"
    " engine/flavors workload/pods",
    "insight": "base api/meta api/core api/insight api/kueue engine/types engine/quota engine/state"
    " engine engine/trial workload/pods workload/translation workload/status workload/explanation",
    "metrics": "base api/kueue",
    "webhook": "base json api/meta api/core api/kueue kube/core config validation"
    " workload/capacity",
    "cel/values": "base json kube/core config",
    "cel/syntax": "base cel/values",
    "cel/functions": "base cel/values cel/syntax",
    "cel/evaluation": "base cel/values cel/syntax cel/functions",
    "cel/rules": "base json cel/values cel/evaluation",
    "net/loop": "base",
    "net/transport": "base net/loop",
    "net/http": "base net/loop net/transport",
    "kube/runtime": "base json api/meta api/core api/kueue kube/core",
    "kube/client": "base json yaml api/meta kube/core net/loop net/transport net/http kube/runtime",
    "serving": "base json api/meta api/core kube/core net/loop net/transport net/http kube/client",
    "apiserver/objects": "base json api/meta cel/values",
    "apiserver/schema": "base json api/meta cel/values apiserver/objects",
    "apiserver/fields": "base json apiserver/objects apiserver/schema",
    "apiserver/protobuf": "base json kube/core apiserver/objects",
    "apiserver/types": "base json yaml api/meta kube/core apiserver/objects apiserver/schema"
    " apiserver/protobuf",
    "apiserver/rules": "base json api/meta api/core config apiserver/objects apiserver/types",
    "apiserver/defaults": "base json api/kueue kube/core apiserver/objects apiserver/schema"
    " apiserver/types apiserver/rules",
    "apiserver/table": "base json api/meta apiserver/objects apiserver/types",
    "apiserver/state": "base json api/meta api/kueue webhook cel/evaluation cel/rules"
    " apiserver/objects apiserver/schema apiserver/types apiserver/rules apiserver/table",
    "apiserver/access": "base json api/meta kube/core apiserver/objects apiserver/types"
    " apiserver/state",
    "apiserver/admission": "base json cel/values cel/evaluation apiserver/objects apiserver/fields"
    " apiserver/types apiserver/rules apiserver/defaults apiserver/state",
    "apiserver/operations": "base json api/meta kube/core apiserver/objects apiserver/schema"
    " apiserver/fields apiserver/types apiserver/rules apiserver/defaults apiserver/table"
    " apiserver/state apiserver/access apiserver/admission",
    "apiserver/subresources": "base json api/meta apiserver/objects apiserver/fields"
    " apiserver/types apiserver/table apiserver/state apiserver/access apiserver/admission"
    " apiserver/operations",
    "apiserver": "base json kube/core config apiserver/objects apiserver/protobuf apiserver/types"
    " apiserver/state apiserver/access apiserver/admission apiserver/operations"
    " apiserver/subresources",
    "apiserver/http": "base json kube/core net/loop net/transport net/http kube/client"
    " apiserver/types apiserver/state apiserver/access apiserver/operations apiserver/subresources"
    " apiserver",
    "sim/objects": "base json api/meta",
    "sim/pods": "base json api/meta api/core apiserver/objects apiserver/rules apiserver/state"
    " sim/objects",
    "sim/job": "base json api/meta sim/objects",
    "sim/apps": "json api/meta sim/objects sim/pods sim/job",
    "sim/kinds": "base json api/meta api/kueue job_kinds job_kinds/derived apiserver/rules"
    " sim/objects sim/pods",
    "sim": "base json api/meta job_kinds apiserver/state apiserver sim/objects sim/pods sim/job"
    " sim/apps sim/kinds",
    "controller/reconcile": "base json api/meta api/core api/kueue kube/core config workload/pods"
    " workload/translation workload/status kube/runtime",
    "controller/reconcilers": "base api/meta api/core api/kueue config workload/pods"
    " workload/translation workload/status workload/capacity kube/runtime controller/reconcile",
    "controller/jobs/job": "base json api/meta api/core api/kueue kube/core validation"
    " workload/pods workload/translation controller/reconcile",
    "controller/jobs/members": "base json api/meta api/core api/kueue validation workload/pods"
    " controller/reconcile controller/jobs/job",
    "controller/jobs/admission": "base json api/meta api/core api/kueue config validation webhook"
    " controller/reconcile controller/jobs/job controller/jobs/members",
    "controller/jobs/reconciliation": "base api/meta api/core api/kueue kube/core validation"
    " workload/pods workload/translation controller/reconcile controller/jobs/job"
    " controller/jobs/members controller/jobs/admission",
    "controller/jobs/batch_job": "api/meta api/kueue validation controller/jobs/job"
    " controller/jobs/members controller/jobs/admission",
    "controller/jobs/described": "json api/meta api/kueue kube/core job_kinds job_kinds/derived"
    " validation controller/reconcile controller/jobs/job controller/jobs/admission",
    "controller/jobs/pod": "base api/meta api/core api/kueue validation controller/reconcile"
    " controller/jobs/job controller/jobs/members controller/jobs/admission"
    " controller/jobs/reconciliation",
    "controller/jobs/serving": "base json api/meta api/core api/kueue validation workload/pods"
    " controller/reconcile controller/jobs/job controller/jobs/members controller/jobs/admission"
    " controller/jobs/reconciliation controller/jobs/pod",
    "controller/kinds": "base api/core api/kueue engine/types engine/state kube/core job_kinds"
    " workload/pods workload/capacity workload/translation kube/runtime controller/reconcile"
    " controller/reconcilers controller/jobs/job controller/jobs/members controller/jobs/reconciliation"
    " controller/jobs/batch_job controller/jobs/described controller/jobs/pod"
    " controller/jobs/serving",
    "controller/scheduler": "base json api/kueue engine/types engine/state engine/driver kube/core"
    " workload/pods workload/translation workload/status controller/reconcile controller/kinds",
    "controller/insight": "base json api/meta api/insight api/kueue api/schema kube/core insight"
    " net/transport net/http serving controller/reconcile controller/jobs/job"
    " controller/jobs/reconciliation",
    "controller/visibility": "base json api/meta api/insight api/kueue engine/state"
    " workload/status net/transport net/http kube/client serving controller/reconcile"
    " controller/insight",
    "controller/process/writes": "base json api/meta api/kueue kube/core net/loop kube/runtime"
    " kube/client controller/reconcile",
    "controller/process/runner": "base api/kueue workload/pods metrics kube/runtime"
    " controller/reconcile controller/jobs/job controller/kinds",
    "controller/process/metrics": "base api/meta api/kueue engine/types engine/state workload/pods"
    " workload/translation workload/capacity metrics journal net/loop kube/runtime"
    " controller/reconcile controller/reconcilers controller/process/runner",
    "controller/process/webhooks": "base json api/core api/insight api/kueue config metrics webhook"
    " net/loop net/transport net/http kube/client serving controller/jobs/admission controller/jobs/pod",
    "controller/process": "base json api/meta api/core api/kueue engine/types engine/state"
    " engine/driver config job_kinds journal workload/translation workload/capacity metrics webhook"
    " net/loop"
    " net/transport net/http kube/client"
    " serving controller/reconcile controller/reconcilers controller/jobs/members"
    " controller/jobs/described controller/jobs/pod controller/kinds controller/scheduler"
    " controller/insight controller/visibility controller/process/writes"
    " controller/process/runner"
    " controller/process/metrics controller/process/webhooks",
    "controller/commands/schedule": "base json yaml api/meta api/core api/kueue api/schema"
    " engine/types engine/state engine/driver config job_kinds workload/pods"
    " workload/capacity workload/translation workload/status workload/explanation webhook"
    " cel/rules apiserver/schema apiserver/rules",
    "controller/commands/controller": "base json yaml api/meta config job_kinds journal net/loop"
    " net/transport"
    " kube/client controller/kinds controller/process/webhooks controller/process",
    "controller/commands/offline": "base json api/meta api/insight insight net/loop kube/core"
    " kube/client workload/status controller/commands/schedule controller/commands/controller",
    "controller/commands/capacity": "json yaml workload/pods workload/capacity"
    " controller/commands/schedule controller/commands/controller controller/commands/offline",
    "controller/commands/why": "base yaml api/meta api/kueue api/insight kube/client"
    " controller/commands/schedule controller/commands/offline",
    "controller/commands/queue": "base yaml api/meta api/kueue api/insight"
    " controller/commands/schedule controller/commands/offline",
    "controller/commands/top": "base json yaml api/meta api/kueue controller/commands/schedule"
    " controller/commands/offline",
    "controller/commands/whatif": "base json yaml api/meta api/kueue api/insight kube/core config"
    " job_kinds insight controller/insight controller/kinds controller/process"
    " controller/commands/schedule controller/commands/offline controller/commands/why",
    "controller/commands/replay": "base api/meta insight journal controller/commands/schedule"
    " controller/commands/why",
    "controller/commands/config": "base json yaml api/kueue config job_kinds workload/pods"
    " controller/jobs/reconciliation controller/kinds"
    " controller/process/webhooks controller/process controller/commands/schedule",
    "controller/commands/cluster": "base json yaml api/meta api/kueue api/schema kube/core config"
    " job_kinds net/loop net/transport net/http apiserver/fields apiserver/types apiserver/state"
    " apiserver/operations apiserver apiserver/http sim/objects sim/pods sim controller/process"
    " controller/commands/schedule controller/commands/controller",
    "controller/commands/live_view": "base api/meta api/core api/kueue net/loop apiserver/state"
    " sim/objects sim/pods",
    "controller/commands/dev": "base json api/meta config net/loop net/transport"
    " controller/commands/schedule controller/commands/controller controller/commands/cluster"
    " controller/commands/live_view",
    "controller/commands/test": "base json yaml api/meta api/kueue config apiserver/state"
    " sim/objects sim/pods controller/commands/schedule controller/commands/controller"
    " controller/commands/cluster",
    "controller": "base controller/commands/schedule controller/commands/controller"
    " controller/commands/capacity controller/commands/config controller/commands/dev"
    " controller/commands/queue controller/commands/replay controller/commands/test controller/commands/top"
    " controller/commands/whatif controller/commands/why",
}

# What the engine sees of base: assertions, containers, ids, times. It reports no errors.
ENGINE_BASE = (
    "base/assert.hpp",
    "base/clock.hpp",
    "base/cow.hpp",
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
        "lib/net/transport/tls_context.hpp",
        "lib/base/sha1.cpp",
        "lib/base/sha256.cpp",
        "lib/kube/core/base64.cpp",
    ),
    "boost/container": ("lib/base/",),
    "boost/asio": ("lib/net/", "lib/serving/", "lib/kube/client/", "lib/apiserver/http/",
                   "controller/"),
    "boost/locale": ("lib/base/",),
    "boost/url": ("lib/net/*.cpp", "lib/kube/core/resource_path.cpp"),
    "boost/uuid": ("lib/net/*.cpp",),
    "boost/system": ("lib/base/", "lib/net/", "lib/kube/client/", "controller/"),
    "re2/": ("lib/cel/values/regex.cpp",),
    "boost/crc": ("lib/journal/frames.cpp",),
    "zstd.h": ("lib/journal/frames.cpp",),
    "spdlog/": ("lib/base/log.cpp",),
    "CLI/": ("controller/",),
    "catch2/": (),
    "fmt/": ("lib/", "controller/"),
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(path):
    """The layer a path of the tree or of an #include belongs to, or None for a file of no layer."""
    parts = path.removeprefix("lib/").split("/")[:-1]
    for depth in range(len(parts), 0, -1):
        folder = "/".join(parts[:depth])
        if folder in LAYERS and (folder != "controller" or len(parts) == 1):
            return folder
    return "/".join(parts[:2]) if parts else None


def _is_engine(folder):
    return folder.split("/")[0] == "engine"


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
    if _is_engine(own) and target == "base" and included not in ENGINE_BASE:
        return f"engine sees of base only {', '.join(ENGINE_BASE)}"
    return None


def _system_fault(path, own, included):
    if _is_engine(own) and ("/" in included or included.endswith(".h")):
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


def place_of(folder):
    """Where the layer is in the tree."""
    return folder if folder.split("/")[0] == "controller" else "lib/" + folder


def sentence(folder):
    """The line of the folder's README.md that says what it may include."""
    allowed = ", ".join(f"`{name}`" for name in LAYERS[folder].split())
    text = f"May include: {allowed or 'no other folder'}."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def table_faults(texts):
    """Yields (path, text) for each right that is not used, and each README.md that says another
    thing than the table. `texts`: path -> text of the sources and README.md files of the tree.
    """
    used = set()
    for path, text in texts.items():
        if path.endswith((".cpp", ".hpp")):
            for match in _INCLUDE.finditer(text):
                used.add((folder_of(path), folder_of(match.group(2))))
    seen = []
    for folder, allowed in LAYERS.items():
        for name in allowed.split():
            if name not in seen:
                yield "test/lint/layers.py", f"{folder} may include {name}, which is not above it"
            elif (folder, name) not in used:
                yield "test/lint/layers.py", f"{folder} may include {name}, and does not"
        seen.append(folder)
        readme = f"{place_of(folder)}/README.md"
        if readme not in texts:
            yield readme, "does not exist"
        elif sentence(folder) not in texts[readme]:
            yield readme, "does not say what the table says: run test/lint/layers.py"


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    for folder in LAYERS:
        path = os.path.join(root, place_of(folder), "README.md")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = re.sub(
            r"May include:.*?\.(?=\s)", lambda _, name=folder: sentence(name), before, count=1,
            flags=re.DOTALL
        )
        if "May include:" not in after:
            sys.exit(f"{path} has no sentence that begins with `May include:`")
        if after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)


if __name__ == "__main__":
    main()
