"""Values of the chart, and what they make."""

import unittest

import yaml

from chart import CHART, KUEUE_NAMES, refusal_of, rendered, rendered_with

INJECTED = "cert-manager.io/inject-ca-from"
MANAGER = ("Deployment", "sluice-controller-manager")


def pod_of(objects, name=MANAGER):
    return objects[name]["spec"]["template"]["spec"]


class ValuesTest(unittest.TestCase):
    def test_values_that_there_are_not_are_refused_by_name(self):
        for wrong, named in (
            ("enableVisibilityApi=true", "'enableVisibilityApi' not allowed"),
            ("controllerManager.replica=2", "'replica' not allowed"),
            ("controllerManager.replicas=two", "/controllerManager/replicas"),
            ("webhooks.queuedJobsFailurePolicy=fail", "'Fail', 'Ignore'"),
            ("webhooks.otherJobsTimeoutSeconds=31", "otherJobsTimeoutSeconds"),
            ("controllerManager.manager.image.pullPolicy=Sometimes", "pullPolicy"),
            ("certManager.issuerRef.kid=Issuer", "'kid' not allowed"),
            ("certManager.issuerRef.kind=ClusterIssuer", "missing property 'name'"),
            ("describedJobKinds[0].kind=Experiment", "apiVersion"),
        ):
            with self.subTest(wrong):
                self.assertIn(named, refusal_of(f"--set={wrong}"))

    def test_every_value_of_the_chart_is_in_the_schema(self):
        schema = yaml.safe_load((CHART / "values.schema.json").read_text())

        def check(values, part, path):
            properties = part.get("properties")
            if properties is None:
                return
            self.assertIs(part["additionalProperties"], False, path)
            for key, value in values.items():
                self.assertIn(key, properties, path)
                if isinstance(value, dict):
                    inner = properties[key]
                    name = inner.get("$ref", "").rpartition("/")[2]
                    check(value, schema["$defs"].get(name, inner), f"{path}.{key}")

        check(yaml.safe_load((CHART / "values.yaml").read_text()), schema, "")

    def test_values_of_kueues_dashboard_are_passed_over(self):
        self.assertIn(MANAGER, rendered("--set=kueueViz.backend.env[0].name=A"))

    def test_the_scratch_folder_has_a_size(self):
        for flags, size in (
            ((), "1280Mi"),
            (("--set=controllerManager.manager.scratchSizeLimit=4Gi",), "4Gi"),
        ):
            (scratch,) = [
                each for each in pod_of(rendered(*flags))["volumes"] if each["name"] == "scratch"
            ]
            self.assertEqual(scratch["emptyDir"], {"sizeLimit": size})

    def test_a_journal_is_recorded_into_a_volume_of_its_own(self):
        def journal_of(*flags):
            pod = pod_of(rendered(*flags))
            arguments = [each for each in pod["containers"][0]["args"] if "journal" in each]
            return arguments, [each for each in pod["volumes"] if each["name"] == "journal"]

        self.assertEqual(journal_of(), ([], []))
        name = "--set=controllerManager.manager.journal"
        arguments, (volume,) = journal_of(f"{name}.enabled=true", f"{name}.full=true")
        self.assertEqual(
            arguments, ["--journal-dir=/journal", "--journal-size=2Gi", "--journal-full"]
        )
        self.assertEqual(volume, {"name": "journal", "emptyDir": {}})
        _, (volume,) = journal_of(
            f"{name}.enabled=true", f"{name}.volume.persistentVolumeClaim.claimName=kept"
        )
        self.assertEqual(
            volume, {"name": "journal", "persistentVolumeClaim": {"claimName": "kept"}}
        )

    def test_the_frameworks_are_those_of_kueues_chart(self):
        text = rendered()["ConfigMap", "sluice-manager-config"]["data"]
        configuration = yaml.safe_load(text["controller_manager_config.yaml"])
        self.assertEqual(
            sorted(configuration["integrations"]["frameworks"]),
            ["batch/job", "deployment", "jobset.x-k8s.io/jobset", "kubeflow.org/mpijob",
             "leaderworkerset.x-k8s.io/leaderworkerset", "pod", "ray.io/raycluster",
             "ray.io/rayjob", "ray.io/rayservice", "statefulset",
             "trainer.kubeflow.org/trainjob", "workload.codeflare.dev/appwrapper"],
        )  # fmt: skip

    def test_every_object_can_have_the_name_of_kueues(self):
        objects = rendered("-f", KUEUE_NAMES, "--set=enableCertManager=true", release="kueue")
        for kind, name in (
            ("Deployment", "kueue-controller-manager"),
            ("ServiceAccount", "kueue-controller-manager"),
            ("ConfigMap", "kueue-manager-config"),
            ("Service", "kueue-webhook-service"),
            ("Service", "kueue-controller-manager-metrics-service"),
            ("Service", "kueue-visibility-server"),
            ("ClusterRole", "kueue-metrics-reader"),
            ("RoleBinding", "kueue-visibility-server-auth-reader"),
            ("Certificate", "kueue-serving-cert"),
        ):
            self.assertIn((kind, name), objects)
        # An upgrade in place of Kueue's release cannot change the selector.
        selector = objects["Deployment", "kueue-controller-manager"]["spec"]["selector"]
        self.assertEqual(
            selector["matchLabels"],
            {"app.kubernetes.io/name": "kueue", "app.kubernetes.io/instance": "kueue",
             "control-plane": "controller-manager"},
        )  # fmt: skip


class TrustTest(unittest.TestCase):
    def api_services(self, objects):
        return [
            objects["APIService", f"{version}.visibility.kueue.x-k8s.io"]
            for version in ("v1beta1", "v1beta2")
        ]

    def test_the_visibility_api_is_trusted_by_its_authority(self):
        service = rendered()["Service", "kueue-visibility-server"]["metadata"]
        for flags in ((), ("--set=enableCertManager=true",)):
            for made in self.api_services(rendered(*flags)):
                self.assertNotIn("insecureSkipTLSVerify", made["spec"])
                place = {key: service[key] for key in ("name", "namespace")}
                self.assertEqual(made["spec"]["service"], place)
                # Else Kueue's manifest could not be applied in its place.
                self.assertEqual(made["spec"]["caBundle"], "")

    def test_the_authority_of_certificates_from_files_is_a_value(self):
        text = "internalCertManagement: {enable: false}"
        for made in self.api_services(rendered_with(text)):
            self.assertIs(made["spec"]["insecureSkipTLSVerify"], True)
        for made in self.api_services(rendered_with(text, "--set=visibilityCABundle=Y2E=")):
            self.assertEqual(made["spec"]["caBundle"], "Y2E=")
            self.assertNotIn("insecureSkipTLSVerify", made["spec"])

    def test_cert_manager_signs_every_certificate_and_writes_its_authority(self):
        objects = rendered("--set=enableCertManager=true")
        self.assertEqual(objects["Issuer", "sluice-selfsigned-issuer"]["spec"], {"selfSigned": {}})
        hosts = {
            "serving-cert": ("kueue-webhook-service", "webhook-server-cert"),
            "metrics-cert": ("sluice-controller-manager-metrics-service", "metrics-server-cert"),
            "visibility-server-cert": ("kueue-visibility-server", "visibility-server-cert"),
        }
        for name, (host, secret) in hosts.items():
            spec = objects["Certificate", f"sluice-{name}"]["spec"]
            self.assertEqual(
                spec["dnsNames"],
                [f"{host}.queueing.svc", f"{host}.queueing.svc.cluster.local"],
            )
            self.assertEqual(spec["secretName"], f"sluice-{secret}")
            self.assertEqual(
                spec["issuerRef"], {"kind": "Issuer", "name": "sluice-selfsigned-issuer"}
            )
        injected = {
            key: made["metadata"]["annotations"][INJECTED]
            for key, made in objects.items()
            if INJECTED in made["metadata"].get("annotations", {})
        }
        kinds = [kind for kind, _ in injected]
        self.assertEqual(kinds.count("CustomResourceDefinition"), 5)
        self.assertEqual(kinds.count("APIService"), 3)
        self.assertEqual(len(kinds), 10)
        for (kind, _), source in injected.items():
            name = "visibility-server-cert" if kind == "APIService" else "serving-cert"
            self.assertEqual(source, f"queueing/sluice-{name}")

    def test_the_controller_reads_the_certificates_of_cert_manager(self):
        objects = rendered("--set=enableCertManager=true")
        text = objects["ConfigMap", "sluice-manager-config"]["data"]
        configuration = yaml.safe_load(text["controller_manager_config.yaml"])
        self.assertEqual(configuration["internalCertManagement"], {"enable": False})
        self.assertEqual(configuration["metrics"], {"bindAddress": ":8443"})
        secrets = {
            each["name"]: each["secret"] for each in pod_of(objects)["volumes"] if "secret" in each
        }
        self.assertEqual(len(secrets), 3)
        # With its authority the controller would write it beside cert-manager.
        items = secrets["webhook-certificate"]["items"]
        self.assertEqual([each["key"] for each in items], ["tls.crt", "tls.key"])

    def test_cert_manager_beside_certificates_of_the_controller_is_refused(self):
        text = "--set-string=managerConfig.controllerManagerConfigYaml="
        text += "internalCertManagement: {enable: true}"
        refusal = refusal_of("--set=enableCertManager=true", text)
        self.assertIn("internalCertManagement.enable", refusal)
