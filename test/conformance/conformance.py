#!/usr/bin/env python3
"""Runs the same requests against a real kube-apiserver and the embedded one, and compares the
replies: status, warnings, and the whole body.

    conformance.py --kubectl KUBECTL REAL_KUBECONFIG EMBEDDED_KUBECONFIG

What differs in every run (uids, times, resourceVersions, generated names) is made the same in both
first. Differences that are known stand in differences.txt with their reasons; any other one fails
the run, and so does a known one that is no more.
"""

import argparse
import base64
import difflib
import fnmatch
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

import definition_requests
import kind_requests
import refusal_requests
import request_script

KNOWN = pathlib.Path(__file__).resolve().parent / "differences.txt"
WAIT_MAX = 30.0

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
GENERATED = re.compile(r"\b(gen|kube-api-access)-[a-z0-9]{5}\b")
VERSION_IN_TEXT = re.compile(r"(in record \(|current: |resourceVersion\W+)\d+")
VOLATILE = {"resourceVersion": "VERSION", "continue": "TOKEN", "storageVersionHash": "HASH"}


class Server:
    """An API server by its kubeconfig."""

    def __init__(self, kubeconfig, kubectl):
        command = [kubectl, "--kubeconfig", kubeconfig, "config", "view", "--raw", "--flatten"]
        text = subprocess.run([*command, "-o", "json"], check=True, capture_output=True).stdout
        config = json.loads(text)
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"]
        url = urllib.parse.urlsplit(cluster["server"])
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        tls = ssl.create_default_context(cadata=authority)
        self.headers = {"User-Agent": "conformance/v1"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        else:
            with tempfile.NamedTemporaryFile() as pair:
                for name in ("client-certificate-data", "client-key-data"):
                    pair.write(base64.b64decode(user[name]))
                pair.flush()
                tls.load_cert_chain(pair.name)
        self.connection = http.client.HTTPSConnection(
            url.hostname, url.port, timeout=30, context=tls
        )

    def send(self, request):
        """Status, warnings, body."""
        headers = {**self.headers, "Accept": request.accept}
        payload = request.payload()
        if payload is not None:
            headers["Content-Type"] = request.content_type
        try:
            self.connection.request(request.method, request.path, payload, headers)
            answer = self.connection.getresponse()
            body = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            return 0, [], f"no answer: {error}"
        return answer.status, answer.headers.get_all("Warning") or [], body

    def ask(self, request):
        deadline = time.monotonic() + WAIT_MAX
        while True:
            reply = self.send(request)
            is_there = not request.until or request.until in sorted_text(reply[2])
            if is_there or time.monotonic() > deadline:
                return reply
            time.sleep(0.1)


def sorted_text(body):
    try:
        return json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"))
    except ValueError:
        return body


def same_text(text):
    text = TIME.sub("TIME", UID.sub("UID", text))
    return VERSION_IN_TEXT.sub(r"\1VERSION", GENERATED.sub(r"\1-NAME", text))


def normal(node, name=""):
    """The value without what differs in every run."""
    if isinstance(node, dict):
        # Descriptions of tables' columns are left out of the embedded server.
        return {
            key: normal(value, key)
            for key, value in node.items()
            if not (key == "description" and "priority" in node)
        }
    if isinstance(node, list):
        return [normal(item, name) for item in node]
    if not isinstance(node, str):
        return node
    if name in VOLATILE and node:
        return VOLATILE[name]
    return "AGE" if name == "cells" and re.fullmatch(r"\d+[smh].*", node) else same_text(node)


def lines_of(reply):
    """The reply as lines: a body of JSON, the lines of a watch, or plain text."""
    status, warnings, body = reply
    lines = [f"status {status}"] + sorted(same_text(warning) for warning in warnings)
    try:
        values = [json.loads(body)]
    except ValueError:
        try:
            values = [json.loads(line) for line in body.splitlines()]
        except ValueError:
            return lines + same_text(body).splitlines()
    for value in values:
        lines += json.dumps(normal(value), indent=1, sort_keys=True).splitlines()
    return lines


def read_known():
    """The known differences: NAME: REASON a line, where the name may be a pattern."""
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    entries = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {pattern: reason for pattern, _, reason in entries}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("real")
    parser.add_argument("embedded")
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("--all", action="store_true", help="show known differences too")
    options = parser.parse_args()
    known = read_known()
    real = Server(options.real, options.kubectl)
    embedded = Server(options.embedded, options.kubectl)
    new, different, compared = 0, [], 0
    script = (
        request_script.REQUESTS
        + definition_requests.REQUESTS
        + refusal_requests.REQUESTS
        + kind_requests.REQUESTS
        + request_script.ENDINGS
    )
    for request in script:
        expected, found = lines_of(real.ask(request)), lines_of(embedded.ask(request))
        compared += request.is_compared
        if expected == found or not request.is_compared:
            continue
        different.append(request.name)
        is_known = any(fnmatch.fnmatchcase(request.name, pattern) for pattern in known)
        new += not is_known
        if is_known and not options.all:
            continue
        print(f"--- {request.name}: {request.method} {request.path}")
        for line in difflib.unified_diff(expected, found, "real", "embedded", n=1, lineterm=""):
            print(f"    {line[:6000]}")
    healed = [p for p in known if not any(fnmatch.fnmatchcase(name, p) for name in different)]
    for pattern in healed:
        print(f"error: {KNOWN.name}: {pattern}: there is no such difference any more")
    failed = new + len(healed)
    print(f"{compared - new} passed, {failed} failed ({len(different) - new} known differences)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
