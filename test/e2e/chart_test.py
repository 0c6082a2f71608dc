"""The chart: lint, install, upgrade and uninstall with a real helm on a real control plane of its
own, and the manifests that are rendered from it."""

import copy
import filecmp
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import yaml

from api_client import ApiError
from control_plane import ControlPlane, ControlPlaneError, find_binaries, wait_until

from chart import CHART, SPACE, helm, refusal_of, rendered, rendered_with
from cluster import ROOT, find_binary
from controller_process import Controller
from objects import QUEUE_LABEL, cluster_queue, flavor, job, local_queue, namespace
from refusals_test import SPACE as REFUSALS
from refusals_test import first_object, pattern_of, read_cases, spoken, write_case

# Their text is JSON, which no policy reads.
LAYERS = "podset-slice-required-topology-constraints"
RULES_OF_LAYERS = {"there are layers or slices", "layers are of no group"}
DEPLOY = ROOT / "examples/deploy"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def needs_job_alone(case):
    """Whether a policy judges what this case of refusals/job.yaml is about."""
    is_about_layers = LAYERS in str(case) and case["rule"] not in RULES_OF_LAYERS
    return "namespace" not in case and not is_about_layers


class ChartTest(unittest.TestCase):
    def test_helm_finds_no_fault(self):
        self.assertIn("0 chart(s) failed", helm("lint", "--strict", CHART).stdout)

    def test_the_manifests_for_kubectl_are_those_of_the_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PATH=f"{find_binaries()}:{os.environ['PATH']}")
            subprocess.run([ROOT / "charts/render.sh", folder], check=True, env=environment)
            rendered_now, committed = (
                {path.relative_to(top) for path in top.rglob("*.yaml")}
                for top in (pathlib.Path(folder), DEPLOY)
            )
            self.assertEqual(rendered_now, committed, "run charts/render.sh")
            self.assertIn(pathlib.Path("job-kinds/jobset.yaml"), committed)
            for name in sorted(committed):
                same = filecmp.cmp(pathlib.Path(folder) / name, DEPLOY / name, shallow=False)
                self.assertTrue(same, f"examples/deploy/{name}: run charts/render.sh")

    def test_values_of_kueues_chart_that_are_not_supported_are_refused_by_name(self):
        for value in ("enableKueueViz", "enableMutatingAdmissionPolicy"):
            self.assertIn(f"{value} is not supported", refusal_of(f"--set={value}=true"))

    def test_a_configuration_that_is_no_yaml_is_refused(self):
        done = helm(
            "template", CHART, "--kube-version=1.33.0",
            "--set=managerConfig.controllerManagerConfigYaml=a: [", check=False,
        )  # fmt: skip
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("managerConfig.controllerManagerConfigYaml", done.stderr)

    def test_stanzas_without_content_count_as_absent(self):
        default = rendered_with("integrations: {frameworks: [batch/job]}")
        stanzas = (
            "featureGates", "integrations", "internalCertManagement", "leaderElection",
            "managedJobsNamespaceSelector", "visibilityServer", "webhook",
        )  # fmt: skip
        empty = "".join(f"{stanza}:\n# nothing: here\n" for stanza in stanzas)
        members = """
            leaderElection: {resourceName: null, resourceNamespace: ""}
            internalCertManagement: {enable: null, webhookServiceName: "", webhookSecretName: null}
            integrations: {frameworks: null, jobKinds: null}
            managedJobsNamespaceSelector: null
            manageJobsWithoutQueueName: null
            visibilityServer: {bindPort: null}
            webhook: {certDir: ""}
        """
        for text in (empty, members, "", "# nothing"):
            with self.subTest(text):
                self.assertEqual(self.without_text(rendered_with(text)),
                                 self.without_text(default))

    @staticmethod
    def without_text(objects):
        """Without the ConfigMap of the configuration and its checksum."""
        objects = {
            key: copy.deepcopy(made) for key, made in objects.items() if key[0] != "ConfigMap"
        }
        pods = objects["Deployment", "sluice-controller-manager"]["spec"]["template"]
        del pods["metadata"]["annotations"]
        return objects

    def test_stanzas_that_are_no_objects_are_refused(self):
        for stanza in ("leaderElection", "webhook", "integrations", "featureGates"):
            value = f"--set=managerConfig.controllerManagerConfigYaml={stanza}: 3"
            done = helm("template", CHART, "--kube-version=1.33.0", value, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"{stanza} must be an object", done.stderr)

    def test_names_follow_the_configuration(self):
        text = "{leaderElection: {resourceName: lease}, internalCertManagement: "
        text += "{webhookServiceName: hooks, webhookSecretName: certificate}}"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
            yaml.safe_dump({"managerConfig": {"controllerManagerConfigYaml": text}}, values)
            values.flush()
            objects = rendered("-f", values.name)
        self.assertIn(("Service", "hooks"), objects)
        hooks = objects["ValidatingWebhookConfiguration", "kueue-validating-webhook-configuration"]
        for hook in hooks["webhooks"]:
            service = hook["clientConfig"]["service"]
            self.assertEqual((service["name"], service["namespace"]), ("hooks", SPACE))
        definition = objects["CustomResourceDefinition", "workloads.kueue.x-k8s.io"]
        service = definition["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
        self.assertEqual((service["name"], service["namespace"]), ("hooks", SPACE))
        named = [
            name
            for rule in objects["Role", "sluice-controller-manager"]["rules"]
            for name in rule.get("resourceNames", ())
        ]
        self.assertEqual(named, ["lease", "certificate"])

    def test_feature_gates_and_the_log_level_become_flags(self):
        gates = "controllerManager.featureGates[0]"
        objects = rendered(
            f"--set={gates}.name=PartialAdmission", f"--set={gates}.enabled=false",
            "--set=controllerManager.manager.logLevel=debug",
        )  # fmt: skip
        pod = objects["Deployment", "sluice-controller-manager"]["spec"]["template"]["spec"]
        self.assertEqual(
            pod["containers"][0]["args"][1:],
            ["--zap-log-level=debug", "--feature-gates=PartialAdmission=false"],
        )


    def test_policies_take_the_place_of_the_webhooks_of_jobs_alone(self):
        text = "integrations: {frameworks: [batch/job]}"
        objects = rendered_with(text, "--set=jobAdmission=Policies")
        hooks = objects["MutatingWebhookConfiguration", "kueue-mutating-webhook-configuration"]
        hooks = hooks["webhooks"]
        hooks += objects[
            "ValidatingWebhookConfiguration", "kueue-validating-webhook-configuration"
        ]["webhooks"]
        self.assertFalse([hook["name"] for hook in hooks if "job" in hook["name"]])
        self.assertIn("vworkload.kb.io", [hook["name"] for hook in hooks])
        # Other kinds have no policies, and keep their webhooks.
        text = "integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}"
        others = rendered_with(text, "--set=jobAdmission=Policies")
        hooks = others["ValidatingWebhookConfiguration", "kueue-validating-webhook-configuration"]
        self.assertEqual(
            [hook["name"] for hook in hooks["webhooks"] if "job" in hook["name"]],
            ["vjobset.kb.io", "vunqueuedjobset.kb.io"],
        )
        self.assertIn(("MutatingAdmissionPolicy", "sluice-suspend-jobs"), objects)
        self.assertIn("'Webhooks', 'Policies'", refusal_of("--set=jobAdmission=No"))

    def test_policies_follow_the_configuration(self):
        text = "{managedJobsNamespaceSelector: {matchLabels: {team: ml}}, "
        text += "featureGates: {ElasticJobsViaWorkloadSlices: false}}"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
            config = {"controllerManagerConfigYaml": text}
            yaml.safe_dump({"jobAdmission": "Policies", "managerConfig": config}, values)
            values.flush()
            objects = rendered("-f", values.name)
        policy = objects["MutatingAdmissionPolicy", "sluice-suspend-jobs"]["spec"]
        selector = policy["matchConstraints"]["namespaceSelector"]
        self.assertEqual(selector, {"matchLabels": {"team": "ml"}})
        self.assertEqual(len(policy["mutations"]), 1, "no gate that nobody opens")
        for gates, mutations in (
            ("AllBeta: false", 1),
            ("AllBeta: false, ElasticJobsViaWorkloadSlices: true", 2),
            ("AllBeta: true", 2),
        ):
            text = "{featureGates: {%s}}" % gates
            policy = rendered_with(text, "--set=jobAdmission=Policies")[
                "MutatingAdmissionPolicy", "sluice-suspend-jobs"
            ]
            self.assertEqual(len(policy["spec"]["mutations"]), mutations, gates)

    def test_the_rules_of_policies_follow_the_gates(self):
        def rules(gates):
            objects = rendered_with(
                "{featureGates: {%s}}" % gates, "--set=jobAdmission=Policies"
            )
            policy = objects["ValidatingAdmissionPolicy", "sluice-jobs"]["spec"]
            return str(policy["validations"]), {
                each["name"]: each["expression"] for each in policy["variables"]
            }

        texts, variables = rules("")
        for what in ("admission-gated-by", "podset-required-topology"):
            self.assertIn(what, texts)
        self.assertNotIn("feature gate must be enabled", texts)
        self.assertNotIn("63", variables["prebuiltInAnnotation"])
        self.assertNotIn("admission-gated-by", rules("AdmissionGatedBy: false")[0])
        self.assertNotIn("podset-", rules("TopologyAwareScheduling: false")[0])
        self.assertIn(
            "feature gate must be enabled", rules("TASMultiLayerTopology: false")[0]
        )
        variables = rules("WorkloadIdentifierAnnotations: false")[1]
        self.assertIn("63", variables["prebuiltInAnnotation"])
        variables = rules("ElasticJobsViaWorkloadSlices: false")[1]
        self.assertEqual(variables["isElastic"], "false")

    def test_webhooks_of_jobs_follow_the_configuration(self):
        text = "{managedJobsNamespaceSelector: {matchLabels: {team: ml}}, "
        text += "manageJobsWithoutQueueName: %s}"
        for manages_all, operations in (("false", ["CREATE"]), ("true", ["CREATE", "UPDATE"])):
            objects = rendered_with(text % manages_all)
            hooks = {}
            for kind, name in (("Mutating", "mutating"), ("Validating", "validating")):
                name = f"kueue-{name}-webhook-configuration"
                hooks |= {
                    hook["name"]: hook
                    for hook in objects[f"{kind}WebhookConfiguration", name]["webhooks"]
                    if "job" in hook["name"]
                }
            self.assertEqual(
                sorted(hooks),
                ["mjob.kb.io", "munqueuedjob.kb.io", "vjob.kb.io", "vunqueuedjob.kb.io"],
            )
            for hook in hooks.values():
                self.assertEqual(hook["namespaceSelector"], {"matchLabels": {"team": "ml"}})
            unqueued = hooks["vunqueuedjob.kb.io"]
            self.assertEqual(unqueued["failurePolicy"], "Ignore")
            self.assertEqual(unqueued["rules"][0]["operations"], operations)

    def test_kinds_of_config_maps_get_rights_and_webhooks(self):
        kind = "describedJobKinds[0]"
        objects = rendered(
            f"--set={kind}.apiVersion=science.example/v1", f"--set={kind}.kind=Experiment"
        )
        (rule, _) = objects["ClusterRole", "sluice-controller-manager-experiment"]["rules"]
        self.assertEqual(rule["apiGroups"], ["science.example"])
        self.assertEqual(rule["resources"], ["experiments"])
        hooks = objects["MutatingWebhookConfiguration", "kueue-mutating-webhook-configuration"]
        paths = [hook["clientConfig"]["service"]["path"] for hook in hooks["webhooks"]]
        self.assertIn("/mutate-science-example-v1-experiment", paths)

    def test_webhooks_of_jobs_leave_out_two_namespaces_unless_they_are_configured(self):
        for text in ("{}", "managedJobsNamespaceSelector:"):
            for flag in ("jobAdmission=Webhooks", "jobAdmission=Policies"):
                with self.subTest(text + flag):
                    objects = rendered_with(text, f"--set={flag}")
                    selectors = [
                        hook["namespaceSelector"]
                        for (kind, _), made in objects.items()
                        if kind.endswith("WebhookConfiguration")
                        for hook in made["webhooks"]
                        if "namespaceSelector" in hook
                    ] + [
                        made["spec"]["matchConstraints"]["namespaceSelector"]
                        for (kind, name), made in objects.items()
                        if kind.endswith("AdmissionPolicy") and name != "sluice-pod-writes"
                    ]
                    self.assertTrue(selectors)
                    for selector in selectors:
                        never = {"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                                 "values": ["kube-system", SPACE]}  # fmt: skip
                        self.assertEqual(selector, {"matchExpressions": [never]})

    def test_failure_policies_of_kueues_kinds_are_values(self):
        hooks_of_value = {
            "clusterQueues": ["mclusterqueue.kb.io", "vclusterqueue.kb.io"],
            "cohorts": ["vcohort.kb.io"],
            "resourceFlavors": ["mresourceflavor.kb.io", "vresourceflavor.kb.io"],
            "workloads": ["mworkload.kb.io", "vworkload.kb.io"],
        }
        for value, names in hooks_of_value.items():
            objects = rendered(f"--set=webhooks.kueueKindsFailurePolicy.{value}=Ignore")
            ignoring = [
                hook["name"]
                for (kind, _), made in sorted(objects.items())
                if kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
                for hook in made["webhooks"]
                if hook["rules"][0]["apiGroups"] == ["kueue.x-k8s.io"]
                and hook["failurePolicy"] == "Ignore"
            ]
            self.assertEqual(ignoring, names)

    def test_only_the_metrics_are_scraped(self):
        objects = rendered("--set=enablePrometheus=true")
        monitor = objects["ServiceMonitor", "sluice-controller-manager-metrics-monitor"]
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        scraped = [
            name
            for (kind, name), made in objects.items()
            if kind == "Service" and wanted <= made["metadata"]["labels"].items()
        ]
        self.assertEqual(scraped, ["sluice-controller-manager-metrics-service"])

    def test_certificates_of_another_are_mounted(self):
        name = ("Deployment", "sluice-controller-manager")
        pod = rendered_with("internalCertManagement: {enable: false}")[name]
        pod = pod["spec"]["template"]["spec"]
        mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
        self.assertEqual(
            mounts["webhook-certificate"], "/tmp/k8s-webhook-server/serving-certs"
        )
        self.assertEqual(mounts["metrics-certificate"], "/etc/kueue/metrics/certs")
        self.assertEqual(mounts["visibility-certificate"], "/visibility")
        volumes = {each["name"]: each.get("secret") for each in pod["volumes"]}
        self.assertEqual(
            volumes["webhook-certificate"]["secretName"], "sluice-webhook-server-cert"
        )
        own = rendered()[name]["spec"]["template"]["spec"]
        self.assertNotIn("webhook-certificate", [each["name"] for each in own["volumes"]])

    def test_a_lease_elsewhere_is_refused(self):
        text = "leaderElection:\n  resourceNamespace: elsewhere"
        value = f"--set-string=managerConfig.controllerManagerConfigYaml={text}"
        done = helm("template", CHART, "--kube-version=1.33.0", value, check=False)
        self.assertIn("leaderElection.resourceNamespace must be", done.stderr)

    def test_objects_of_the_controller_elsewhere_are_refused(self):
        value = "--set-string=managerConfig.controllerManagerConfigYaml=namespace: elsewhere"
        done = helm("template", CHART, "--kube-version=1.33.0", value, check=False)
        self.assertIn("namespace in the configuration must be", done.stderr)


class InstallTest(unittest.TestCase):
    """Pods of the Deployment do not run here, so the controller is started beside it, with the
    account that the chart made."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-e2e-chart-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.plane = ControlPlane(self.directory / "control-plane")
        self.plane.start()
        self.addCleanup(self.plane.stop)
        self.api = self.plane.api

    def helm(self, *arguments):
        return helm(*arguments, "-n", SPACE, kubeconfig=self.plane.kubeconfig)

    def get(self, path):
        try:
            return self.api.get(path)
        except ApiError as error:
            if error.code != 404:
                raise
            return None

    def start_controller(self, configuration=None):
        kubeconfig = self.plane.service_account_kubeconfig(
            SPACE, "sluice-controller-manager", self.directory / "account.kubeconfig"
        )
        controller = Controller(find_binary(), kubeconfig, self.directory, namespace=SPACE)
        controller.configuration = configuration or {}
        self.addCleanup(controller.kill)
        controller.start()
        return controller

    def test_it_installs_upgrades_and_leaves(self):
        self.helm("install", "sluice", CHART, "--create-namespace")
        deployment = f"/apis/apps/v1/namespaces/{SPACE}/deployments/sluice-controller-manager"
        first = self.get(deployment)["spec"]
        self.assertEqual(first["replicas"], 1)
        values = self.directory / "values.yaml"
        text = "{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration}"
        changes = {
            "controllerManager": {"replicas": 2},
            "managerConfig": {"controllerManagerConfigYaml": text},
        }
        values.write_text(yaml.safe_dump(changes))
        self.helm("upgrade", "sluice", CHART, "-f", values)
        second = self.get(deployment)["spec"]
        self.assertEqual(second["replicas"], 2)
        annotations = [s["template"]["metadata"]["annotations"] for s in (first, second)]
        self.assertNotEqual(*annotations, "a new configuration starts new pods")

        controller = self.start_controller()
        self.submit("first")
        wait_until(lambda: not self.get_job("first")["spec"]["suspend"], 30, "it runs")
        controller.stop()
        self.helm("uninstall", "sluice")
        self.assertIsNone(self.get(deployment))
        for kind in ("clusterqueues", "localqueues", "workloads"):
            self.assertIsNotNone(self.get(f"{DEFINITIONS}/{kind}.kueue.x-k8s.io"), kind)
        self.assertFalse(self.get_job("first")["spec"]["suspend"])
        # Nothing asks a controller that is gone.
        self.apply(job("later", "team", "jobs"))
        self.expect_that_all_can_be_deleted()

    def expect_that_all_can_be_deleted(self):
        """Nobody removes the finalizers of a controller that is gone; charts/release.sh does."""
        others = "example.com/other"
        self.apply(
            {
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {
                    "name": "held", "namespace": "team",
                    "finalizers": [others, "kueue.x-k8s.io/managed"],
                },
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            }
        )  # fmt: skip
        held = (("pod", "held"), ("clusterqueue", "team"), ("resourceflavor", "on-demand"))
        for kind, name in held:
            self.plane.kubectl("delete", "-n", "team", "--wait=false", kind, name)
        self.assertIsNotNone(self.get("/apis/kueue.x-k8s.io/v1beta2/clusterqueues/team"))
        environment = dict(
            os.environ,
            KUBECONFIG=str(self.plane.kubeconfig),
            PATH=f"{find_binaries()}:{os.environ['PATH']}",
        )
        subprocess.run([ROOT / "charts/release.sh"], check=True, env=environment)
        pod = self.get("/api/v1/namespaces/team/pods/held")
        self.assertEqual(pod["metadata"]["finalizers"], [others])
        self.plane.kubectl(
            "patch", "-n", "team", "pod", "held", "--type=merge", "-p",
            '{"metadata": {"finalizers": null}}',
        )  # fmt: skip
        self.plane.kubectl("delete", "namespace", "team", "--timeout=60s")
        for kind in ("clusterqueues", "resourceflavors", "workloads"):
            items = self.get(f"/apis/kueue.x-k8s.io/v1beta2/{kind}")["items"]
            self.assertEqual(items, [], kind)

    def test_its_frameworks_need_no_definitions(self):
        self.helm("install", "sluice", CHART, "--create-namespace")
        text = self.get(f"/api/v1/namespaces/{SPACE}/configmaps/sluice-manager-config")["data"]
        configuration = yaml.safe_load(text["controller_manager_config.yaml"])
        self.assertIn("ray.io/rayjob", configuration["integrations"]["frameworks"])
        controller = self.start_controller({"integrations": configuration["integrations"]})
        self.submit("first")
        wait_until(lambda: not self.get_job("first")["spec"]["suspend"], 30, "it runs")
        log = controller.log.read_text()
        self.assertIn("kind is not served; watching starts once it is", log)
        for loud in ('"error"', " error ", "permission is missing"):
            self.assertNotIn(loud, log)

    def test_the_account_of_the_controller_cannot_change_images(self):
        self.helm("install", "sluice", CHART, "--create-namespace")
        self.plane.kubectl("delete", "mutatingwebhookconfigurations", "--all")
        self.plane.kubectl("delete", "validatingwebhookconfigurations", "--all")
        account = f"--as=system:serviceaccount:{SPACE}:sluice-controller-manager"
        images = '{"spec": {"%s": [{"name": "c", "image": "other"}]}}'
        containers = [{"name": "c", "image": "first"}]
        pod = {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "pod", "namespace": "team"},
            "spec": {"containers": containers, "initContainers": [dict(containers[0], name="i")],
                     "schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]},
        }  # fmt: skip
        self.apply(namespace("team"), pod)

        def patch(body, *arguments):
            command = ("patch", "pod", "pod", "-n", "team", "-p", body, *arguments)
            try:
                return self.plane.kubectl(*command)
            except ControlPlaneError as error:
                return str(error)

        # A patch that came before the policy worked went through, so that each asks for another.
        numbers = itertools.count()

        def probe():
            image = f"other-{next(numbers)}"
            return patch((images % "containers").replace("other", image), account)

        wait_until(lambda: "may not change the images" in probe(), 90, "the policy works")
        inits = (images % "initContainers").replace('"c"', '"i"')
        self.assertIn("may not change the images", patch(inits, account))
        self.assertIn("patched", patch('{"spec": {"schedulingGates": []}}', account,
                                       "--type=merge"))  # fmt: skip
        self.assertIn("patched", patch(images % "containers"))

    def test_policies_judge_jobs_without_a_controller(self):
        self.helm("install", "sluice", CHART, "--create-namespace", "--set=jobAdmission=Policies")
        self.plane.kubectl("delete", "validatingwebhookconfigurations", "--all")
        self.plane.kubectl("delete", "mutatingwebhookconfigurations", "--all")
        self.apply(namespace("team"), namespace("default-queue"))
        self.apply(local_queue("default", "default-queue", "any"))

        def made(name, space="team", queue="jobs", annotations=None, **spec):
            item = job(name, space, queue)
            item["spec"] |= {"suspend": False} | spec
            item["metadata"]["annotations"] = annotations or {}
            if not queue:
                item["metadata"]["labels"] = {}
            return item

        def create(item):
            space = item["metadata"]["namespace"]
            return self.api.create(f"/apis/batch/v1/namespaces/{space}/jobs", item)

        # The API server compiles new policies within a second or two.
        numbers = itertools.count()
        wait_until(
            lambda: create(made(f"probe-{next(numbers)}"))["spec"]["suspend"], 30, "policies work"
        )
        self.assertFalse(create(made("free", queue=None))["spec"]["suspend"])
        defaulted = wait_until(
            lambda: self.with_queue(create(made(f"none-{next(numbers)}", "default-queue", None))),
            30,
            "the default queue is known",
        )
        self.assertEqual(defaulted["metadata"]["labels"][QUEUE_LABEL], "default")
        self.assertTrue(defaulted["spec"]["suspend"])
        elastic = create(made("elastic", annotations={"kueue.x-k8s.io/elastic-job": "true"}))
        gates = elastic["spec"]["template"]["spec"]["schedulingGates"]
        self.assertEqual(gates, [{"name": "kueue.x-k8s.io/elastic-job"}])
        with self.assertRaisesRegex(ApiError, "RFC 1123"):
            create(made("bad", queue="No_Queue"))
        path = "/apis/batch/v1/namespaces/team/jobs/free"
        with self.assertRaisesRegex(ApiError, "queue-name.*field is immutable"):
            self.api.patch(path, {"metadata": {"labels": {QUEUE_LABEL: "jobs"}}})
        self.api.patch(path, {"metadata": {"labels": {"another": "label"}}})

    def test_policies_refuse_what_the_webhook_of_jobs_refuses(self):
        cases = [case for kind, case in read_cases() if kind == "Job" and needs_job_alone(case)]
        self.apply(namespace(REFUSALS))
        for number, case in enumerate(cases):
            # What begins as a Job that runs is stored while nothing suspends it.
            case["object"] = first_object(self.api, "Job", case, f"case-{number}")
        self.helm("install", "sluice", CHART, "--create-namespace", "--set=jobAdmission=Policies")
        self.plane.kubectl("delete", "validatingwebhookconfigurations", "--all")
        bad = next(case for case in cases if "stored" not in case and "but" in case)
        wait_until(lambda: self.refusal(bad, bad.get("with", {}), bad["but"]), 30, "policies work")
        for case in cases:
            with self.subTest(case["rule"]):
                neighbour = case.get("with") or {}
                self.assertIsNone(self.refusal(case, neighbour), "the neighbour is refused")
                if "but" not in case:
                    continue
                told = case["webhook"]
                # Of several errors a policy tells the first.
                told = spoken(told[0] if isinstance(told, list) else told)
                refusal = self.refusal(case, neighbour, case["but"])
                self.assertIsNotNone(refusal, "it is accepted")
                self.assertRegex(refusal, f"'sluice-jobs'.* denied request: {pattern_of(told)}$")

    def refusal(self, case, *steps):
        """Why the API server does not take the object so changed; None: it does."""
        try:
            write_case(self.api, case, *steps)
        except ApiError as error:
            return error.message
        return None

    @staticmethod
    def with_queue(item):
        return item if QUEUE_LABEL in item["metadata"].get("labels", {}) else None

    def apply(self, *items):
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(items))

    def get_job(self, name):
        return self.get(f"/apis/batch/v1/namespaces/team/jobs/{name}")

    def submit(self, name):
        self.apply(namespace("team"), flavor("on-demand"), cluster_queue("team", 4))
        self.apply(local_queue("jobs", "team", "team"), job(name, "team", "jobs"))

