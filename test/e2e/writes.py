"""Which replica wrote what, as the API server's audit log has it.

All replicas work for one service account, but each with a token of its own, whose id stands in the
log. So it can be told which of them wrote, without asking them.
"""

import base64
import json
import pathlib
from dataclasses import dataclass

LEASE = "c1f6bfd2.kueue.x-k8s.io"
# What every replica may write, leading or not: where its webhook is, what that is trusted by, and
# who may read its metrics.
ANYONES = (
    "customresourcedefinitions",
    "mutatingwebhookconfigurations",
    "secrets",
    "subjectaccessreviews",
    "tokenreviews",
    "validatingwebhookconfigurations",
)
VERBS = ("create", "update", "patch", "delete", "deletecollection")


def audit_policy(namespace, account):
    """Writes of the service account alone; those of leases with what was written."""
    user = f"system:serviceaccount:{namespace}:{account}"
    common = {"users": [user], "verbs": list(VERBS)}
    leases = [{"group": "coordination.k8s.io", "resources": ["leases"]}]
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "Request", "resources": leases} | common,
            {"level": "Metadata"} | common,
            {"level": "None"},
        ],
    }


def credential_of(kubeconfig):
    """The id of the token in a kubeconfig, as the audit log names it."""
    token = json.loads(pathlib.Path(kubeconfig).read_text())["users"][0]["user"]["token"]
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return f"JTI={claims['jti']}"


@dataclass(frozen=True)
class WriteRequest:
    """One request. `holder` is the holder that a write of the lease names, else None."""

    received: str  # to the microsecond
    credential: str
    verb: str
    resource: str
    namespace: str
    name: str
    code: int
    holder: str | None = None

    @property
    def is_done(self):
        return 200 <= self.code < 300

    def __str__(self):
        target = "/".join(part for part in (self.namespace, self.name) if part)
        return f"{self.received} {self.verb} {self.resource} {target} ({self.code})"


def parse_line(line):
    event = json.loads(line)
    target = event["objectRef"]
    credentials = event["user"]["extra"]["authentication.kubernetes.io/credential-id"]
    holder = None
    if target["resource"] == "leases" and target.get("name", LEASE) == LEASE:
        holder = event.get("requestObject", {}).get("spec", {}).get("holderIdentity") or ""
    return WriteRequest(
        received=event["requestReceivedTimestamp"],
        credential=credentials[0],
        verb=event["verb"],
        resource=target["resource"],
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        code=event["responseStatus"]["code"],
        holder=holder,
    )


def read_writes(log, credentials):
    """The requests made with one of `credentials`, in the order in which the API server took them
    up: a replica that acts on an answer is later than the request of it.
    """
    lines = pathlib.Path(log).read_text().split("\n")
    # The last one may not be whole yet.
    requests = [parse_line(line) for line in lines[:-1]]
    return sorted(
        (each for each in requests if each.credential in credentials),
        key=lambda each: each.received,
    )


def holders(requests):
    """(credential, holder) for each time that the lease changed hands; no holder: it was given
    up."""
    found = []
    for each in requests:
        if each.holder is not None and each.is_done:
            if not found or found[-1] != (each.credential, each.holder):
                found.append((each.credential, each.holder))
    return found


def find_foreign_writes(requests):
    """What was written by a replica that did not hold the lease, also what was refused."""
    found, leader = [], None
    for each in requests:
        if each.holder is not None:
            if each.is_done:
                leader = each.credential if each.holder else None
        elif each.resource not in ANYONES and each.credential != leader:
            found.append(f"written by a replica that does not lead: {each}")
    return found
