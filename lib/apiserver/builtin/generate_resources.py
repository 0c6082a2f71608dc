#!/usr/bin/env python3
"""Makes resources.json, what discovery and tables say of the built-in resources.

A running kube-apiserver publishes it: names, verbs, subresources and columns of tables. This
script keeps the groups of open_api.json, without descriptions.

    generate_resources.py --kubectl PATH --kubeconfig FILE            asks a running API server
    generate_resources.py --kubectl PATH --kubeconfig FILE --check    compares with the file
"""

import argparse
import json
import pathlib
import subprocess
import sys
import urllib.request

TARGET = pathlib.Path(__file__).resolve().parent / "resources.json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class Server:
    """Reads from an API server through a proxy of kubectl."""

    def __init__(self, kubectl, kubeconfig):
        self.proxy = subprocess.Popen(
            [kubectl, "--kubeconfig", kubeconfig, "proxy", "--port", "0"], stdout=subprocess.PIPE
        )
        line = self.proxy.stdout.readline().decode()
        self.base = "http://" + line.split("Starting to serve on ")[1].strip()

    def get(self, path, accept):
        request = urllib.request.Request(self.base + path, headers={"Accept": accept})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def close(self):
        self.proxy.terminate()
        self.proxy.wait()


def groups_of_schemas():
    kinds = json.loads((TARGET.parent / "open_api.json").read_text())["kinds"]
    return {(kind["group"], kind["version"]) for kind in kinds}


def columns_of(server, root, resource):
    """The columns of the resource's table: [name, type, format, priority]."""
    if "list" not in resource["verbs"]:
        return []
    table = server.get(f"/{root}/{resource['resource']}?limit=1", TABLE)
    return [
        [c["name"], c["type"], c["format"], c["priority"]] for c in table["columnDefinitions"]
    ]


def generate(server):
    wanted = groups_of_schemas()
    out = []
    for path in ("/api", "/apis"):
        for group in server.get(path, DISCOVERY)["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                if (name, version["version"]) not in wanted:
                    continue
                root = f"apis/{name}/{version['version']}" if name else "api/v1"
                for resource in version["resources"]:
                    out.append(
                        {
                            "group": name,
                            "version": version["version"],
                            "discovery": resource,
                            "columns": columns_of(server, root, resource),
                        }
                    )
    lines = ",\n".join(json.dumps(entry, sort_keys=True) for entry in out)
    return f"[\n{lines}\n]\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    server = Server(options.kubectl, options.kubeconfig)
    try:
        text = generate(server)
    finally:
        server.close()
    if not options.check:
        TARGET.write_text(text)
        return 0
    if text != TARGET.read_text():
        print(f"error: {TARGET.name} is not what this API server says", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
