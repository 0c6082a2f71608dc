#!/usr/bin/env python3
"""Writes default_roles.json: the ClusterRoles and ClusterRoleBindings that a cluster has from its
beginning and that concern its users, as a real API server made them.

    lib/apiserver/builtin/generate_roles.py --kubeconfig FILE [--kubectl KUBECTL]

Those of Kubernetes' own parts (system:kube-scheduler and the like) are left out: no such part asks
the embedded server.
"""

import argparse
import json
import pathlib
import subprocess

OUT = pathlib.Path(__file__).resolve().parent / "default_roles.json"
ROLES = [
    "cluster-admin", "admin", "edit", "view", "system:basic-user", "system:discovery",
    "system:public-info-viewer", "system:service-account-issuer-discovery",
]
BINDINGS = [
    "cluster-admin", "system:basic-user", "system:discovery", "system:public-info-viewer",
    "system:service-account-issuer-discovery",
]
KEPT = ("aggregationRule", "rules", "roleRef", "subjects")


def reduced(item):
    metadata = {key: item["metadata"][key] for key in ("name", "labels", "annotations")
                if key in item["metadata"]}
    return {"kind": item["kind"], "metadata": metadata,
            **{key: item[key] for key in KEPT if key in item}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--kubectl", default="kubectl")
    options = parser.parse_args()
    items = []
    for kind, names in (("clusterrole", ROLES), ("clusterrolebinding", BINDINGS)):
        command = [options.kubectl, "--kubeconfig", options.kubeconfig, "get", kind, *names]
        items += json.loads(subprocess.check_output([*command, "-o", "json"]))["items"]
    lines = [json.dumps(reduced(item), separators=(",", ":"), sort_keys=True) for item in items]
    OUT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{OUT.name}: {len(lines)} objects")


if __name__ == "__main__":
    main()
