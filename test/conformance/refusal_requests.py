"""Requests that are refused for what they say of other objects: selectors of labels, affinities,
how pods spread, disruption budgets, and policies of admission."""

import request_script as script

R = script.Request
CONTAINERS = [{"name": "main", "image": "any"}]
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
JOBS = f"/apis/batch/v1/namespaces/{script.NS}/jobs"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
SELECTORS = {
    "operator": {"matchExpressions": [{"key": "a", "operator": "Odd"}]},
    "no values": {"matchExpressions": [{"key": "a", "operator": "In"}]},
    "values": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
    "key": {"matchExpressions": [{"key": "a b", "operator": "Exists"}]},
    "label": {"matchLabels": {"a b": "c"}},
}


def dry(collection, api_version, kind, **spec):
    body = {
        "apiVersion": api_version, "kind": kind, "metadata": {"name": "refused"}, "spec": spec
    }
    return f"{collection}?dryRun=All", body


def pod(**spec):
    return dry(script.PODS, "v1", "Pod", containers=CONTAINERS, **spec)


def template(**spec):
    return {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": CONTAINERS, **spec}}


def on_nodes(*expressions, **fields):
    term = {"matchExpressions": list(expressions), **fields}
    return pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}})


def preferring(weight, **preference):
    preference = preference or {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    term = {"weight": weight, "preference": preference}
    return pod(affinity={"nodeAffinity": {PREFERRED: [term]}})


def near(kind="podAffinity", **term):
    return pod(affinity={kind: {REQUIRED: [{"topologyKey": "k", **term}]}})


def spread(**constraint):
    usual = {"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule"}
    return {**usual, **constraint}


def spreading(*constraints):
    return pod(topologySpreadConstraints=list(constraints))


def policy(**spec):
    rule = {
        "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]
    }
    usual = {
        "matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "true"}]
    }
    collection = f"{ADMISSION}/validatingadmissionpolicies"
    return dry(
        collection, f"{ADMISSION[6:]}", "ValidatingAdmissionPolicy", **{**usual, **spec}
    )


def matching(**members):
    rule = {
        "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
        **members,
    }
    return policy(matchConstraints={"resourceRules": [rule]})


def binding(**spec):
    usual = {"policyName": "p", "validationActions": ["Deny"]}
    collection = f"{ADMISSION}/validatingadmissionpolicybindings"
    return dry(
        collection, f"{ADMISSION[6:]}", "ValidatingAdmissionPolicyBinding", **{**usual, **spec}
    )


def selecting(selector):
    """Each kind whose selector is checked so, with this one."""
    labels = {**selector, "matchLabels": {"a": "b", **selector.get("matchLabels", {})}}
    return {
        "job": dry(
            JOBS, "batch/v1", "Job", manualSelector=True, selector=labels,
            template=template(restartPolicy="Never"),
        ),
        "affinity": near(labelSelector=selector),
        "anti-affinity": near("podAntiAffinity", namespaceSelector=selector),
        "spread": spreading(spread(labelSelector=selector)),
        "policy": policy(
            matchConstraints={**policy()[1]["spec"]["matchConstraints"],
                              "objectSelector": selector}
        ),
        "binding": binding(matchResources={"namespaceSelector": selector}),
    }


NODE_FIELD = {"key": "metadata.name", "operator": "In", "values": ["a"]}
PLACEMENTS = {
    "no terms": pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}),
    "operator": on_nodes({"key": "a", "operator": "Odd"}),
    "two numbers": on_nodes({"key": "a", "operator": "Gt", "values": ["1", "2"]}),
    "no number": on_nodes({"key": "a", "operator": "Lt"}),
    "number": on_nodes({"key": "a", "operator": "Gt", "values": ["1"]}),
    "field": on_nodes(matchFields=[NODE_FIELD]),
    "other field": on_nodes(matchFields=[{**NODE_FIELD, "key": "other"}]),
    "field operator": on_nodes(matchFields=[{**NODE_FIELD, "operator": "Exists"}]),
    "two fields": on_nodes(matchFields=[{**NODE_FIELD, "values": ["a", "b"]}]),
    "field of no node": on_nodes(matchFields=[{**NODE_FIELD, "values": ["A b"]}]),
    "weight": preferring(100),
    "no weight": preferring(0),
    "too much weight": preferring(101),
    "preference": preferring(5, matchExpressions=[{"key": "a", "operator": "Odd"}]),
    "topology key": near(topologyKey="a b"),
    "no topology key": near(topologyKey=""),
    "namespace": near(namespaces=["A_b"]),
    "label keys": near(matchLabelKeys=["a"]),
    "no skew": spreading(spread(maxSkew=0)),
    "spread over nothing": spreading(spread(topologyKey="")),
    "spread when": spreading(spread(whenUnsatisfiable="Odd")),
    "no domains": spreading(spread(minDomains=0)),
    "domains anyway": spreading(spread(minDomains=2, whenUnsatisfiable="ScheduleAnyway")),
    "affinity policy": spreading(spread(nodeAffinityPolicy="Odd")),
    "taints policy": spreading(spread(nodeTaintsPolicy="Odd")),
    "spread by label keys": spreading(spread(matchLabelKeys=["a"])),
    "spread twice": spreading(spread(), spread()),
}
PARAM = {"name": "a", "parameterNotFoundAction": "Deny"}
POLICIES = {
    "no constraints": policy(matchConstraints=None),
    "no rules": policy(matchConstraints={"resourceRules": []}),
    "operation": matching(operations=["ODD"]),
    "no operation": matching(operations=[]),
    "all resources and one": matching(resources=["*", "pods"]),
    "no group": matching(apiGroups=[]),
    "scope": matching(scope="Odd"),
    "names": matching(resourceNames=["x", "x"]),
    "no validations": policy(validations=[]),
    "failure policy": policy(failurePolicy="Odd"),
    "no expression": policy(validations=[{"expression": ""}]),
    "reason": policy(validations=[{"expression": "true", "reason": "Odd"}]),
    "empty message": policy(validations=[{"expression": "true", "message": " "}]),
    "message in lines": policy(validations=[{"expression": "true", "message": "a\nb"}]),
    "condition of no name": policy(matchConditions=[{"expression": "true"}]),
    "condition twice": policy(matchConditions=[{"name": "a", "expression": "true"}] * 2),
    "variable": policy(variables=[{"name": "a-b", "expression": "1"}]),
    "variable of no name": policy(variables=[{"name": "", "expression": "1"}]),
    "variable of no value": policy(variables=[{"name": "a", "expression": ""}]),
    "variable twice": policy(variables=[{"name": "a", "expression": "1"}] * 2),
    "annotation": policy(auditAnnotations=[{"key": "a b", "valueExpression": "'x'"}]),
    "annotation twice": policy(auditAnnotations=[{"key": "a", "valueExpression": "'x'"}] * 2),
    "no parameter kind": policy(paramKind={"apiVersion": "", "kind": ""}),
    "parameter kind": policy(paramKind={"apiVersion": "a/b/c", "kind": "X"}),
    "binding of nothing": binding(policyName=""),
    "binding of no name": binding(policyName="A b"),
    "no actions": binding(validationActions=[]),
    "action": binding(validationActions=["Odd"]),
    "action twice": binding(validationActions=["Deny", "Deny"]),
    "deny and warn": binding(validationActions=["Deny", "Warn"]),
    "parameter": binding(paramRef=PARAM),
    "no parameter": binding(paramRef={"parameterNotFoundAction": "Deny"}),
    "parameter by both": binding(paramRef={**PARAM, "selector": {}}),
    "parameter without action": binding(paramRef={"name": "a"}),
    "parameter action": binding(paramRef={**PARAM, "parameterNotFoundAction": "Odd"}),
    "binding rules": binding(matchResources={"resourceRules": [{"operations": ["ODD"]}]}),
}

EXIT_CODES = {"operator": "In", "values": [1]}
CONDITION = {"type": "DisruptionTarget", "status": "True"}


def failing(*rules, policy="Never", **spec):
    return dry(
        JOBS, "batch/v1", "Job", podFailurePolicy={"rules": list(rules)},
        template={"spec": {"containers": CONTAINERS, "restartPolicy": policy}}, **spec,
    )


def by_exit(**codes):
    return failing({"action": "FailJob", "onExitCodes": {**EXIT_CODES, **codes}})


def succeeding(*rules, **spec):
    usual = {"completionMode": "Indexed", "completions": 5, "parallelism": 2}
    return dry(
        JOBS, "batch/v1", "Job", successPolicy={"rules": list(rules)},
        template={"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}},
        **{**usual, **spec},
    )


BY_EXIT = {"action": "FailJob", "onExitCodes": EXIT_CODES}
JOB_POLICIES = {
    "exit codes": by_exit(),
    "conditions": failing({"action": "Ignore", "onPodConditions": [CONDITION]}),
    "restarted": failing(BY_EXIT, policy="OnFailure"),
    "action": failing({**BY_EXIT, "action": "Odd"}),
    "no action": failing({"onExitCodes": EXIT_CODES}),
    "nothing": failing({"action": "Count"}),
    "both": failing({**BY_EXIT, "onPodConditions": [CONDITION]}),
    "operator": by_exit(operator="Odd"),
    "no operator": by_exit(operator=""),
    "no values": by_exit(values=[]),
    "zero": by_exit(values=[0, 1]),
    "a value twice": by_exit(values=[1, 1]),
    "no order": by_exit(values=[2, 1]),
    "many values": by_exit(values=list(range(1, 257))),
    "container": by_exit(containerName="main"),
    "no container": by_exit(containerName="none"),
    "condition": failing({"action": "Ignore", "onPodConditions": [{**CONDITION, "type": "a b"}]}),
    "status": failing({"action": "Ignore", "onPodConditions": [{**CONDITION, "status": "Odd"}]}),
    "many conditions": failing({"action": "Ignore", "onPodConditions": [CONDITION] * 21}),
    "many rules": failing(*[BY_EXIT] * 21),
    "an index fails": failing({**BY_EXIT, "action": "FailIndex"}),
    "count": succeeding({"succeededCount": 1}),
    "indexes": succeeding({"succeededIndexes": "0-2,4", "succeededCount": 2}),
    "no indexes": succeeding({"succeededIndexes": ""}),
    "no rule": succeeding(),
    "empty rule": succeeding({}),
    "more than completions": succeeding({"succeededCount": 6}),
    "more than indexes": succeeding({"succeededIndexes": "0-1", "succeededCount": 3}),
    "less than nothing": succeeding({"succeededCount": -1}),
    "no index": succeeding({"succeededIndexes": "a"}),
    "large index": succeeding({"succeededIndexes": "7"}),
    "indexes without order": succeeding({"succeededIndexes": "3,1"}),
    "backward range": succeeding({"succeededIndexes": "3-1"}),
    "many successes": succeeding(*[{"succeededCount": 1}] * 21),
}

REQUESTS = [
    *[
        R(f"selector of {kind}: {name}", "POST", *request)
        for name, selector in SELECTORS.items()
        for kind, request in selecting(selector).items()
    ],
    *[R(f"placement: {name}", "POST", *request) for name, request in PLACEMENTS.items()],
    *[R(f"policy: {name}", "POST", *request) for name, request in POLICIES.items()],
    *[R(f"job policy: {name}", "POST", *request) for name, request in JOB_POLICIES.items()],
]
