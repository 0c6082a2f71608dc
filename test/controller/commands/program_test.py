#!/usr/bin/env python3
"""Proves what the command line says about itself, and that what is wrong with it is told clearly.

  program_test.py SLUICE VERSION
"""

import json
import os
import subprocess
import sys
import tempfile

SUBCOMMANDS = (
    "the subcommands are controller, schedule, capacity, why, queue, top, whatif, replay, dev, test, config, version; see sluice --help"
)
OWN_KIND = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../examples/07_own_kind"))
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "c",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
}
PLAIN = KUBECONFIG | {
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
    "users": [{"name": "c", "user": {"token": "secret-token"}}],
}
TOKENLESS = PLAIN | {"users": [{"name": "c", "user": {}}]}
UNSUPPORTED = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "webhook": {"host": "127.0.0.1"},
    "multiKueue": {"origin": "here"},
}
SELECTOR = """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
managedJobsNamespaceSelector:
  matchExpressions:
  - {key: kubernetes.io/metadata.name, operator: NotIn, values: [NAMES]}
"""
START = ["controller", "--kubeconfig", "kubeconfig.json"]
NAMESPACE = '{"apiVersion": "v1",\n "kind": "Namespace",\n "metadata": {"name": "a"'
INPUTS = {
    "cut.json": NAMESPACE + "}\n",
    "missing_comma.json": NAMESPACE + '\n "namespace": "a"}}\n',
    "deep.json": "[" * 200_000,
    "cut_list.yaml": "apiVersion: v1\nitems:\n- {apiVersion: v1, kind: Namespace}\n",
    "boolean.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: y}\n",
    "chart.yaml": """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
integrations:
  frameworks:
  - batch/job
  - kubeflow.org/mpijob
  - ray.io/rayjob
  - pod
  - ray.io/raycluster
  - jobset.x-k8s.io/jobset
  - workload.codeflare.dev/appwrapper
featureGates:
  PartialAdmission: true
  LendingLimit: true
controller:
  groupKindConcurrency: {Job.batch: 5}
""",
    "own_kind.yaml": """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
integrations:
  jobKinds:
  - apiVersion: example.com/v1
    kind: Crunch
    suspend: {path: spec.paused}
    podSets:
    - {at: spec, name: cruncher, replicas: copies, template: template}
    active: {path: status.alive, in: [true]}
    finished: {succeeded: {condition: Done}, failed: {condition: Broken}}
""",
    "crunch.yaml": """apiVersion: example.com/v1
kind: Crunch
metadata: {name: primes, namespace: demo, labels: {kueue.x-k8s.io/queue-name: team-a}}
spec:
  paused: true
  copies: 3
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}}
""",
    "negative.yaml": """apiVersion: example.com/v1
kind: Crunch
metadata: {name: primes, namespace: demo}
spec:
  paused: true
  copies: -3
  template: {spec: {containers: [{name: c}]}}
""",
    "kinds.yaml": """apiVersion: v1
kind: ConfigMap
metadata:
  name: kinds
  labels: {team: a}
data:
  bad: "{apiVersion: example.com/v1, kind: Crunch, suspend: {path: a}, active: {path: b}}"
""",
    "cipher.yaml": """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
tls:
  minVersion: VersionTLS12
  cipherSuites: [FOO]
""",
    "curve.yaml": """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
webhook: {host: 127.0.0.1}
tls: {curvePreferences: [9999]}
""",
    "wrong.yaml": """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
metrics: {bindAddress: 8443}
integrations: {framworks: [batch/job]}

featureGates: {PartialAdmision: true}
""",
    "no_yaml.yaml": "a: 1\n\tb: 2\n",
    "selector.yaml": SELECTOR.replace("NAMES", "kube-system, gpu-system"),
    "any_selector.yaml": SELECTOR.replace("NAMES", "gpu-system"),
    "named_selector.yaml": SELECTOR.replace("NAMES", "kube-system") + "namespace: team-system\n",
    "nameless.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {}\n",
    "turned.yaml": 'apiVersion: v1\nkind: "a\\u202e\\u009b31m"\nmetadata: {name: "b\\x1b"}\n',
}

# (promise, arguments, exit code, [parts of what is printed])
ROWS = [
    ("--version prints the version of the build", ["--version"], 0, ["sluice VERSION\n"]),
    ("so does the subcommand", ["version"], 0, ["sluice VERSION\n"]),
    ("help lists the subcommands", ["--help"], 0, ["controller", "schedule", "version"]),
    ("no subcommand is told", [], 2, ["error: a subcommand is needed; " + SUBCOMMANDS]),
    (
        "an unknown subcommand is named",
        ["controler", "--log-level", "debug"],
        2,
        [
            'error: unknown subcommand "controler"; did you mean "controller"? T'
            + SUBCOMMANDS[1:]
        ],
    ),
    (
        "an unknown subcommand of a subcommand is named",
        ["config", "chek", "wrong.yaml"],
        2,
        ['unknown subcommand "chek"; did you mean "check"? The subcommands are check, defaults; '
         "see sluice config --help"],
    ),
    (
        "an unknown option of a subcommand of a subcommand is named",
        ["config", "check", "wrong.yaml", "--objct=x"],
        2,
        ['--objct=x; did you mean "--object"? See sluice config check --help'],
    ),
    (
        "an option before the subcommand is named",
        ["--log-level", "debug"],
        2,
        ['error: unknown option "--log-level"; ' + SUBCOMMANDS],
    ),
    (
        "unknown words of a subcommand are named in their order",
        ["controller", "--bogus", "--more=1", "word"],
        2,
        ["error: unexpected arguments: --bogus --more=1 word; see sluice controller --help"],
    ),
    (
        "the option that was probably meant is named",
        ["dev", "--servr-only"],
        2,
        [
            'error: unexpected arguments: --servr-only; did you mean "--server-only"? See sluice '
            "dev --help"
        ],
    ),
    (
        "a folder without -f is an error that names -f",
        ["dev", "examples"],
        2,
        [
            "error: unexpected arguments: examples; name files and folders with -f; see sluice dev "
            "--help"
        ],
    ),
    (
        "a configuration that is not there is named before an API server is looked for",
        ["controller", "--config", "nope.yaml"],
        2,
        ["file nope.yaml: No such file or directory"],
    ),
    ("help is a subcommand too", ["help"], 0, ["controller", "schedule", "version"]),
    (
        "and it names what is no subcommand",
        ["help", "devv"],
        2,
        ['error: unknown subcommand "devv"; did you mean "dev"? T' + SUBCOMMANDS[1:]],
    ),
    ("also the help of a subcommand", ["help", "dev"], 0, ["Usage: sluice dev", "--nodes"]),
    (
        "the help of the controller has each flag's default",
        ["controller", "--help"],
        0,
        [
            "(default: Kueue's defaults) --kubeconfig",
            "outside a pod, the files in $KUBECONFIG, or ~/.kube/config)",
            "--context TEXT              Context of the kubeconfig (default: its current-context)",
            "(default: *)",
            "lease (leaderElection.resourceName) and permission to use it --feature-gates",
            "(default: Kueue's) --log-level",
            "(default: info)",
        ],
    ),
    (
        "a configuration that would start the controller is told so",
        ["config", "check", "chart.yaml"],
        0,
        [
            "chart.yaml:14: warning: featureGates.LendingLimit: no longer has an effect",
            "chart.yaml: no errors found",
        ],
    ),
    (
        "what is wrong with a configuration is told with its line and the nearest name",
        ["config", "check", "wrong.yaml"],
        1,
        [
            "wrong.yaml:4: error: integrations.framworks: unknown field; did you mean "
            '"frameworks"?',
            "wrong.yaml:6: error: featureGates: unrecognized feature gate: PartialAdmision; did "
            'you mean "PartialAdmission"?',
            "wrong.yaml:3: error: metrics.bindAddress: must be a string",
            "error: sluice controller would not start with wrong.yaml",
        ],
    ),
    (
        "a fault that only one namespace has is a warning while the namespace is not known",
        ["config", "check", "selector.yaml"],
        0,
        [
            'selector.yaml:3: warning: managedJobsNamespaceSelector: should not match the '
            '"kueue-system" namespace, if the controller runs in kueue-system (--namespace names '
            "another one)",
            "selector.yaml: no errors found",
        ],
    ),
    (
        "a configuration is judged in the namespace that is given",
        ["config", "check", "selector.yaml", "--namespace", "gpu-system"],
        0,
        ["selector.yaml: no errors found"],
    ),
    (
        "a selector that matches the namespace that is given is an error",
        ["config", "check", "selector.yaml", "--namespace", "kueue-system"],
        1,
        [
            'selector.yaml:3: error: managedJobsNamespaceSelector: should not match the '
            '"kueue-system" namespace',
        ],
    ),
    (
        "a selector that matches the namespace of the system is an error anywhere",
        ["config", "check", "any_selector.yaml", "--namespace", "gpu-system"],
        1,
        ['should not match the "kube-system" namespace'],
    ),
    (
        "a selector that matches the namespace of the file is an error",
        ["config", "check", "named_selector.yaml"],
        1,
        ['should not match the "team-system" namespace'],
    ),
    (
        "a configuration with a setting that is not supported has an error",
        ["config", "check", "unsupported.json"],
        1,
        ["unsupported.json:1: error: multiKueue: is not supported"],
    ),
    (
        "a cipher suite that there is not is told with its line",
        ["config", "check", "cipher.yaml"],
        1,
        ['cipher.yaml:5: error: tls.cipherSuites: TLS cipher suite "FOO" is not supported'],
    ),
    (
        "a curve that there is not keeps the controller from starting",
        START + ["--config", "curve.yaml"],
        2,
        ["curve.yaml: tls.curvePreferences: TLS curve 9999 is not supported"],
    ),
    (
        "a configuration that is no YAML is told with its line",
        ["config", "check", "no_yaml.yaml"],
        1,
        ["no_yaml.yaml:2: error: "],
    ),
    (
        "a configuration that is not there is told",
        ["config", "check", "absent.yaml"],
        2,
        ["absent.yaml"],
    ),
    (
        "what a description of the user's own makes of an object is shown",
        ["config", "check", "own_kind.yaml", "--object", "crunch.yaml"],
        0,
        [
            "Crunch demo/primes, framework example.com/crunch",
            "queue: team-a",
            "state: suspended, no active pods",
            "cruncher: 3 pods, each requests cpu=2",
            "nodeSelector: label-of-the-flavor: its-value",
            "paused: false",
        ],
    ),
    (
        "the example of a kind of one's own is what its README says",
        [
            "config",
            "check",
            f"{OWN_KIND}/configuration.yaml",
            "--object",
            f"{OWN_KIND}/4-experiment.yaml",
        ],
        0,
        [
            "state: suspended, no active pods",
            "driver: 1 pods, each requests cpu=500m",
            "left: 4 pods, each requests cpu=1",
            "state: Go",
        ],
    ),
    (
        "a ConfigMap that describes a kind is what its README says",
        [
            "config",
            "check",
            f"{OWN_KIND}/config-map.yaml",
            "--object",
            f"{OWN_KIND}/4-experiment.yaml",
        ],
        0,
        ["driver: 1 pods, each requests cpu=500m", "left: 4 pods, each requests cpu=1"],
    ),
    (
        "a ConfigMap whose description cannot work is told so",
        ["config", "check", "kinds.yaml"],
        1,
        [
            "kinds.yaml:7: error: data.bad: podSets: ",
            "kinds.yaml:5: warning: metadata.labels: the label sluice.dev/job-kinds",
            "sluice controller would ignore kinds in kinds.yaml",
        ],
    ),
    (
        "a count below zero of such an object is told with its place",
        ["config", "check", "own_kind.yaml", "--object", "negative.yaml"],
        0,
        [
            "queue: none; managed only with its owner or manageJobsWithoutQueueName",
            "cannot make a Workload: spec.copies: ",
        ],
    ),
    (
        "an object of a kind that is not turned on is told so",
        ["config", "check", "chart.yaml", "--object", "crunch.yaml"],
        1,
        ['crunch.yaml: kind "Crunch" of "example.com/v1" is not enabled; add it to '],
    ),
    (
        "the defaults are a configuration",
        ["config", "defaults"],
        0,
        ["apiVersion: config.kueue.x-k8s.io/v1beta2", "kind: Configuration", 'timeout: "30m0s"'],
    ),
    (
        "an unknown log format is told",
        START + ["--log-format", "xml"],
        2,
        ["--log-format: must be text or json: xml"],
    ),
    (
        "an option with an empty value does not take the next word for it",
        START + ["--controllers=", "--log-format", "xml"],
        2,
        ["--log-format: must be text or json: xml"],
    ),
    (
        "a log level that zap does not have is told",
        START + ["--zap-log-level", "loud"],
        2,
        ["--zap-log-level: must be debug, info, error, panic or a whole number above 0: loud"],
    ),
    (
        "a level of zap's may be in capitals",
        START + ["--zap-log-level", "INFO", "--zap-time-encoding", "sundial"],
        2,
        ["--zap-time-encoding: must be one of epoch, "],
    ),
    (
        "a time encoding that zap does not have is told",
        START + ["--zap-devel", "--zap-stacktrace-level=error", "--zap-time-encoding", "sundial"],
        2,
        ["--zap-time-encoding: must be one of epoch, millis, nano, iso8601, rfc3339,"],
    ),
    (
        "log lines are JSON where that is asked for",
        START + ["--log-format", "json", "--feature-gates", "Bogus=true"],
        2,
        ['{"level":"error","ts":"', '","msg":"cannot start","error":"--feature-gates: '],
    ),
    (
        "a setting that is not supported is told with its file",
        START + ["--config", "unsupported.json"],
        2,
        ["unsupported.json: multiKueue: is not supported"],
    ),
    (
        "a feature gate that there is not is told with its flag",
        START + ["--feature-gates", "Bogus=true"],
        2,
        ["--feature-gates: ", "Bogus"],
    ),
    (
        "JSON that is cut off is told with its last line",
        ["schedule", "-f", "cut.json"],
        2,
        ["error: cut.json:3: malformed JSON: Missing a comma or '}' after an object member."],
    ),
    (
        "a comma that is missing in JSON is told with its line",
        ["schedule", "-f", "missing_comma.json"],
        2,
        ["error: missing_comma.json:4: malformed JSON: Missing a comma or '}'"],
    ),
    (
        "JSON that is nested without end is told so",
        ["schedule", "-f", "deep.json"],
        2,
        ["error: deep.json:1: malformed JSON: nested deeper than 128 levels"],
    ),
    (
        "of a list that is cut off what is missing is told",
        ["schedule", "-f", "cut_list.yaml"],
        2,
        ["error: cut_list.yaml:1: not an object: kind is missing"],
    ),
    (
        "a name that YAML takes for a boolean is told so",
        ["schedule", "-f", "boolean.yaml"],
        2,
        ["error: boolean.yaml:1: Namespace: metadata.name: expected a string, got true or false"],
    ),
    (
        "a name that is not there is told so",
        ["schedule", "-f", "nameless.yaml"],
        2,
        ["error: nameless.yaml:1: Namespace: metadata.name: Required value"],
    ),
    (
        "what turns text around or moves the cursor is told in letters",
        ["schedule", "-f", "turned.yaml"],
        0,
        ["turned.yaml:1: a\\u202e\\u009b31m b\\x1b: skipped"],
    ),
    *[
        (
            f"--speed {speed} is no speed",
            ["dev", "--server-only", "--speed", speed],
            2,
            ["--speed", f'"{speed}" is not a speed from 0.001x to 100000x, such as 60x'],
        )
        for speed in ("nan", "inf", "0", "0x", "-1x", "1e-9", "1e300", "60xx", "x", "", "fast")
    ],
    *[
        (
            f"{option} {value} is no number in its range",
            ["dev", "--server-only", option, value],
            2,
            [f'error: {option}: "{value}" is not a number from 0 to {most}; see sluice dev --help'],
        )
        for option, value, most in (
            ("--port", "65536", 65535),
            ("--port", "-1", 65535),
            ("--port", "http", 65535),
            ("--run-seconds", "-3", 2147483647),
            ("--run-seconds", "2147483648", 2147483647),
            ("--run-seconds", "1.5", 2147483647),
        )
    ],
    (
        "a kubeconfig of another cluster is not overwritten",
        ["dev", "--server-only", "--write-kubeconfig", "kubeconfig.json"],
        2,
        ["error: kubeconfig.json exists and is not of sluice dev", "--write-kubeconfig"],
    ),
    (
        "a kubeconfig that cannot be written is told",
        ["dev", "--server-only", "--write-kubeconfig", "no/folder/kubeconfig"],
        2,
        ["error: no/folder/kubeconfig cannot be written: No such file or directory"],
    ),
]


def faults(sluice, folder, arguments, code, parts):
    done = subprocess.run(
        [sluice, *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    printed = done.stdout + done.stderr
    if done.returncode != code:
        yield f"exit code {done.returncode}, wanted {code}"
    for part in parts:
        # Help is laid out in columns.
        if " ".join(part.split()) not in " ".join(printed.split()):
            yield f"not printed: {part}\n--- got\n{printed}"
    if code != 0 and len(done.stderr.splitlines()) != 1 and "--bogus" not in arguments:
        yield f"more than one line of error\n--- got\n{printed}"


def faults_of_plain_http(sluice, folder):
    """A token that can be read on the way is warned of, once, and only then."""
    unsupported = ["--config", "unsupported.json"]  # ends the start after the kubeconfig is read
    for kubeconfig, wanted in (("plain.json", 1), ("tokenless.json", 0), ("kubeconfig.json", 0)):
        done = subprocess.run(
            [sluice, "controller", "--kubeconfig", kubeconfig, *unsupported],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        warnings = [line for line in done.stderr.splitlines() if " warning " in line]
        if len(warnings) != wanted:
            yield f"{kubeconfig}: {len(warnings)} warnings, wanted {wanted}\n{done.stderr}"
        for line in warnings:
            if "sent unencrypted" not in line or "server=http://127.0.0.1:1" not in line:
                yield f"not told clearly: {line}"
            if "secret-token" in line:
                yield f"the token is in the log: {line}"


def faults_of_full_disk(sluice, folder, arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sluice, *arguments], cwd=folder, stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    told = done.stderr.decode()
    if done.returncode != 1 or "error: cannot write the output: No space left" not in told:
        yield f"exit code {done.returncode}, told: {told[:300]}"


def main():
    sluice, version = os.path.abspath(sys.argv[1]), sys.argv[2]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (
            ("kubeconfig", KUBECONFIG),
            ("plain", PLAIN),
            ("tokenless", TOKENLESS),
            ("unsupported", UNSUPPORTED),
        ):
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
                json.dump(content, f)
        for name, text in INPUTS.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        large = os.path.join(folder, "large.yaml")
        with open(large, "w", encoding="utf-8") as f:
            for i in range(2000):  # more than a buffer of output
                f.write("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n")
                f.write(f"metadata: {{name: w{i}, namespace: team}}\n")
                f.write("spec: {queueName: q, podSets: [{name: main, count: 1, template: {spec: ")
                f.write("{containers: [{name: c, image: i}]}}}]}\n---\n")
        table = ["schedule", "-o", "table", "-f"]
        full = [["version"], table + ["turned.yaml"], table + [large]]
        for arguments in full:
            found = list(faults_of_full_disk(sluice, folder, arguments))
            for fault in found:
                print(f"output that is lost is told, {arguments}: {fault}")
            failed += bool(found)
        found = list(faults_of_plain_http(sluice, folder))
        for fault in found:
            print(f"a token over plain HTTP is warned of: {fault}")
        failed += bool(found)
        for promise, arguments, code, parts in ROWS:
            wanted = [part.replace("VERSION", version) for part in parts]
            found = list(faults(sluice, folder, arguments, code, wanted))
            for fault in found:
                print(f"{promise}: {fault}")
            failed += bool(found)
    print(f"{len(ROWS) + len(full) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
