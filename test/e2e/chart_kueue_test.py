"""What the unit tests of Kueue's chart check, where Sluice's chart makes the promise too: equal
values make equal objects. They also check a dashboard, MultiKueue and names that follow the
release; this chart has none of these."""

import unittest

import yaml

from chart import rendered, rendered_for, rendered_with

ON = "--set=enableCertManager=true"
MANAGER = ("Deployment", "sluice-controller-manager")
CUSTOM = "leaderElection: {leaderElect: true}\nmetrics: {bindAddress: '0.0.0.0:8080'}"
TOLERATIONS = [
    {"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule"},
    {"key": "spot", "operator": "Exists", "effect": "NoExecute"},
]
# Values below controllerManager -> what the Deployment then has, by its path in the spec.
FILLED = {
    "replicas": (2, "replicas", 2),
    "priority": ({"priorityClassName": "system"}, "template.spec.priorityClassName", "system"),
    "nodeSelector": (
        {"disk": "fast", "stage": "live"}, "template.spec.nodeSelector",
        {"disk": "fast", "stage": "live"}),
    "strategy": (
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        "strategy",
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
    "hostNetwork": (True, "template.spec.hostNetwork", True),
    "dnsPolicy": ("ClusterFirstWithHostNet", "template.spec.dnsPolicy", "ClusterFirstWithHostNet"),
    "tolerations": (TOLERATIONS, "template.spec.tolerations", TOLERATIONS),
}  # fmt: skip
# What an empty value leaves out, by the path in the spec.
EMPTY = {
    "strategy": ({}, "strategy"),
    "nodeSelector": ({}, "template.spec.nodeSelector"),
    "hostNetwork": (False, "template.spec.hostNetwork"),
    "dnsPolicy": ("", "template.spec.dnsPolicy"),
    "tolerations": ([], "template.spec.tolerations"),
}


def at(made, path):
    for part in path.split("."):
        made = made.get(part) if made else None
    return made


def configuration_of(objects):
    (text,) = objects["ConfigMap", "sluice-manager-config"]["data"].values()
    return yaml.safe_load(text)


class DeploymentTest(unittest.TestCase):
    def spec_of(self, controller):
        return rendered_for({"controllerManager": controller})[MANAGER]["spec"]

    def test_values_are_in_the_deployment(self):
        values = {key: value for key, (value, _, _) in FILLED.items() if key != "priority"}
        spec = self.spec_of(values | {"manager": FILLED["priority"][0]})
        for _, path, wanted in FILLED.values():
            self.assertEqual(at(spec, path), wanted, path)

    def test_empty_values_leave_nothing_in_the_deployment(self):
        values = {key: value for key, (value, _) in EMPTY.items()}
        for given in (
            {},
            values | {"manager": {"priorityClassName": ""}},
            values | {"manager": {"priorityClassName": None}},
        ):
            spec = self.spec_of(given)
            for path in [path for _, path in EMPTY.values()] + ["template.spec.priorityClassName"]:
                self.assertIsNone(at(spec, path), path)

    def test_the_log_level_is_two_unless_it_is_given(self):
        for manager, level in (({}, 2), ({"logLevel": 5}, 5)):
            spec = self.spec_of({"manager": manager})
            (container,) = spec["template"]["spec"]["containers"]
            self.assertIn(f"--zap-log-level={level}", container["args"])


class ConfigurationTest(unittest.TestCase):
    def test_what_is_given_is_kept(self):
        given = yaml.safe_load(CUSTOM)
        self.assertEqual(configuration_of(rendered_with(CUSTOM)), given)
        managed = configuration_of(rendered_with(CUSTOM, ON))
        self.assertEqual(managed, given | {"internalCertManagement": {"enable": False}})

    def test_the_controller_makes_no_certificates_beside_cert_manager(self):
        self.assertIs(configuration_of(rendered(ON))["internalCertManagement"]["enable"], False)

    def test_it_makes_them_unless_the_configuration_says_otherwise(self):
        for text in ("{}", CUSTOM):
            objects = rendered_with(text)
            self.assertNotIn("internalCertManagement", configuration_of(objects))
            self.assertTrue(self.may_keep_certificates(objects), text)
        given = "internalCertManagement: {enable: false, webhookServiceName: foo, "
        given += "webhookSecretName: bar}\nleaderElection: {leaderElect: false}"
        objects = rendered_with(given)
        self.assertEqual(configuration_of(objects), yaml.safe_load(given))
        self.assertFalse(self.may_keep_certificates(objects))
        self.assertIn(("Service", "foo"), objects)

    def test_names_in_the_configuration_are_those_of_the_objects(self):
        # In Kueue's chart the release names them; here they are Kueue's own unless they are given.
        text = "internalCertManagement: {webhookServiceName: foo, webhookSecretName: bar}"
        for given, release, service, secret in (
            ("{}", "custom", "kueue-webhook-service", "kueue-webhook-server-cert"),
            (text, "custom", "foo", "bar"),
        ):
            config = {"controllerManagerConfigYaml": given}
            objects = rendered_for({"managerConfig": config}, release=release)
            self.assertIn(("Service", service), objects)
            (role,) = [
                made for (kind, name), made in objects.items()
                if kind == "Role" and name.endswith("-controller-manager")
            ]  # fmt: skip
            named = [
                rule["resourceNames"] for rule in role["rules"]
                if rule["resources"] == ["secrets"] and "resourceNames" in rule
            ]  # fmt: skip
            self.assertEqual(named, [[secret]])

    def may_keep_certificates(self, objects):
        rules = objects["Role", "sluice-controller-manager"]["rules"]
        return any(rule["resources"] == ["secrets"] for rule in rules)


class RightsTest(unittest.TestCase):
    def rules_of(self, group, release="custom"):
        objects = rendered(release=release)
        (role,) = [
            made for (kind, name), made in objects.items()
            if kind == "ClusterRole" and name.endswith("-controller-manager")
        ]  # fmt: skip
        return objects, [rule for rule in role["rules"] if group in rule["apiGroups"]]

    def test_webhook_configurations_are_written_by_the_names_that_they_have(self):
        objects, rules = self.rules_of("admissionregistration.k8s.io")
        granted = {name for rule in rules for name in rule["resourceNames"]}
        there = {name for kind, name in objects if kind.endswith("WebhookConfiguration")}
        self.assertEqual(granted, there)
        # Names restrict neither a list nor a watch.
        for rule in rules:
            self.assertEqual(rule["verbs"], ["get", "patch"])

    def test_definitions_are_written_by_names_that_no_release_changes(self):
        objects, rules = self.rules_of("apiextensions.k8s.io")
        (rule,) = rules
        self.assertEqual(rule["resources"], ["customresourcedefinitions"])
        converted = [
            name for (kind, name), made in objects.items()
            if kind == "CustomResourceDefinition" and "conversion" in made["spec"]
        ]  # fmt: skip
        self.assertEqual(sorted(rule["resourceNames"]), sorted(converted))
        self.assertEqual(rule["verbs"], ["get", "patch"])


class VisibilityTest(unittest.TestCase):
    def test_the_reader_of_the_api_servers_trust_is_bound_unless_it_is_turned_off(self):
        name = ("RoleBinding", "sluice-visibility-server-auth-reader")
        for values in ({}, {"enableVisibilityAuthReaderRoleBinding": True}):
            binding = rendered_for(values)[name]
            self.assertEqual(binding["metadata"]["namespace"], "kube-system")
            self.assertEqual(
                binding["roleRef"]["name"], "extension-apiserver-authentication-reader")
        self.assertNotIn(name, rendered_for({"enableVisibilityAuthReaderRoleBinding": False}))


class IssuerTest(unittest.TestCase):
    def issuers_of(self, issuer, **values):
        objects = rendered_for(values | {"certManager": {"issuerRef": issuer}}, ON)
        made = [name for kind, name in objects if kind == "Issuer"]
        named = {
            name: each["spec"]["issuerRef"]
            for (kind, name), each in objects.items() if kind == "Certificate"
        }  # fmt: skip
        self.assertEqual(
            sorted(named),
            ["sluice-metrics-cert", "sluice-serving-cert", "sluice-visibility-server-cert"])
        return made, list(named.values())

    def test_the_chart_signs_where_no_issuer_is_given(self):
        name = "sluice-selfsigned-issuer"
        made, named = self.issuers_of({})
        self.assertEqual((made, named), ([name], [{"kind": "Issuer", "name": name}] * 3))

    def test_an_issuer_of_either_kind_signs_all_in_its_place(self):
        for kind in ("ClusterIssuer", "Issuer"):
            issuer = {"group": "cert-manager.io", "kind": kind, "name": "shared"}
            made, named = self.issuers_of(issuer)
            self.assertEqual((made, named), ([], [issuer] * 3))
