"""What the scenarios of requests are made of."""

NAMESPACE = "recorded"


def meta(name, **more):
    return {"name": name, "namespace": NAMESPACE, **more}


def obj(api, kind, name, cluster=False, metadata=None, **rest):
    about = {"name": name, **({} if cluster else {"namespace": NAMESPACE}), **(metadata or {})}
    return {"apiVersion": api, "kind": kind, "metadata": about, **rest}


def thing(spec=None, **metadata):
    rest = {} if spec is None else {"spec": spec}
    return obj("probe.io/v1", "Thing", "x", metadata=metadata, **rest)


def changed(**spec):
    def change(live):
        live["spec"].update(spec)
        return live

    return change


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
PORT = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": NUMBER,
        "protocol": {"type": "string", "default": "TCP"},
        "name": TEXT,
        "hosts": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    },
}
THING = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": TEXT,
                "b": TEXT,
                "n": NUMBER,
                "d": {"type": "string", "default": "filled"},
                "labels": {"type": "object", "additionalProperties": TEXT},
                "groups": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {"x": NUMBER, "y": NUMBER},
                    },
                },
                "list": {"type": "array", "items": TEXT},
                "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
                "ports": {
                    "type": "array",
                    "items": PORT,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
                "whole": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "properties": {"x": NUMBER, "y": NUMBER},
                },
                "deep": {
                    "type": "object",
                    "properties": {
                        "u": TEXT,
                        "v": {"type": "object", "properties": {"w": TEXT, "z": TEXT}},
                    },
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": TEXT,
                "conditions": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    "items": {
                        "type": "object",
                        "required": ["type"],
                        "properties": {"type": TEXT, "status": TEXT},
                    },
                },
            },
        },
    },
}
# What the functions on objects do not decide: other objects, the path of the request.
OTHERS = {"skip": True}
BOB = {"manager": "bob"}
FORCE_BOB = {"manager": "bob", "force": True}
ANN = {"manager": "ann"}
STATUS = {"manager": "ann", "subresource": "status"}


def things(file, *steps):
    return {
        "file": file,
        "group": "probe.io",
        "version": "v1",
        "kind": "Thing",
        "plural": "things",
        "name": "x",
        "schema": THING,
        "steps": list(steps),
    }


def builtin(file, api, kind, plural, name, *steps, cluster=False):
    group, _, version = api.rpartition("/")
    return {
        "file": file,
        "group": group,
        "version": version,
        "kind": kind,
        "plural": plural,
        "name": name,
        "cluster": cluster,
        "steps": list(steps),
    }


FULL = {
    "a": "1",
    "labels": {"k": "v"},
    "groups": {"g": {"x": 1}},
    "list": ["p", "q"],
    "set": ["s", "t"],
    "ports": [{"port": 80, "name": "web", "hosts": ["h"]}, {"port": 443, "protocol": "UDP"}],
    "whole": {"x": 1},
    "deep": {"u": "1", "v": {"w": "2"}},
    "free": {"any": {"thing": [1, {"a": "b"}]}},
}
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
