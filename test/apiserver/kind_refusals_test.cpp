#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What quotas, scalers, Ingresses, StatefulSets and StorageClasses must not say.
namespace sluice::test {

namespace {

struct Row {
    const char* spec;
    const char* what;  ///< from the field on; "": it is accepted
};

/// What is said to an object with that spec, from the first field on; "" for one that is made.
std::string outcome_of(std::string_view path, std::string_view spec) {
    ServerClient client;
    const std::string said =
        client.outcome("POST", path, fmt::format("{{metadata: {{name: x}}, spec: {{{}}}}}", spec));
    constexpr std::string_view kBefore = "\"x\" is invalid: ";
    const std::size_t found = said.find(kBefore);
    return said == "201"                ? ""
           : found == std::string::npos ? said
                                        : said.substr(found + kBefore.size());
}

}  // namespace

TEST_CASE("quotas limit what can be counted", "[apiserver][quotas]") {
    const auto row = GENERATE(
        Row{"hard: {pods: 1, requests.nvidia.com/gpu: 4, count/jobs.batch: 2}", ""},
        Row{"hard: {pods: '-1'}",
            "spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"},
        Row{"hard: {pods: 1500m}", "spec.hard[pods]: Invalid value: \"1500m\": must be an integer"},
        Row{"hard: {odd: 1}",
            "[spec.hard[odd]: Invalid value: \"odd\": must be a standard resource type or fully "
            "qualified, spec.hard[odd]: Invalid value: \"odd\": must be a standard resource for "
            "quota]"},
        Row{"hard: {pods: 1}, scopes: [BestEffort, NotBestEffort]",
            "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes"},
        Row{"hard: {cpu: 1}, scopes: [BestEffort]",
            "spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource"},
        Row{"hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, "
            "operator: In}]}",
            "spec.scopeSelector.matchExpressions.values: Required value: must be at least one "
            "value when `operator` is 'In' or 'NotIn' for scope selector"}
    );
    CAPTURE(row.spec);
    CHECK(outcome_of("/api/v1/namespaces/default/resourcequotas", row.spec) == row.what);
}

TEST_CASE("scalers have bounds, a target and metrics that can be met", "[apiserver][scalers]") {
    const auto row = GENERATE(
        Row{"maxReplicas: 3", ""},
        Row{"minReplicas: 1",
            "[spec.maxReplicas: Required value: must be set and greater than 0, "
            "spec.maxReplicas: Invalid value: 0: must be greater than or equal "
            "to `minReplicas`]"},
        Row{"minReplicas: 5, maxReplicas: 3",
            "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"},
        Row{"maxReplicas: 3, metrics: [{type: Resource}]",
            "spec.metrics[0].resource: Required value: must populate information for the given "
            "metric source"},
        Row{"maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: "
            "Utilization}}}]",
            "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a "
            "target raw value or a target utilization"},
        Row{"maxReplicas: 3, behavior: {scaleUp: {stabilizationWindowSeconds: 4000}}",
            "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 4000: must be less "
            "than or equal to 3600"}
    );
    CAPTURE(row.spec);
    const std::string target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, ";
    CHECK(
        outcome_of(
            "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", target + row.spec
        ) == row.what
    );
}

TEST_CASE("Ingresses lead from hosts and paths to ports", "[apiserver][ingresses]") {
    const auto path = [](std::string_view said) {
        return outcome_of(
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            fmt::format("rules: [{{http: {{paths: [{{{}}}]}}}}]", said)
        );
    };
    const std::string at = "spec.rules[0].http.paths[0].";
    const std::string to = "backend: {service: {name: s, port: {number: 80}}}";
    CHECK(path("path: /, pathType: Prefix, " + to).empty());
    CHECK(path(to) == at + "pathType: Required value: pathType must be specified");
    CHECK(
        path("path: a, pathType: Prefix, " + to) ==
        at + "path: Invalid value: \"a\": must be an absolute path"
    );
    CHECK(
        path("path: /a/.., pathType: Exact, " + to) ==
        at + "path: Invalid value: \"/a/..\": cannot end with '/..'"
    );
    CHECK(
        path("path: /, pathType: Prefix, backend: {service: {name: s}}") ==
        at + "backend: Required value: port name or number is required"
    );
    const auto rule = [](std::string_view host) {
        return outcome_of(
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            fmt::format("rules: [{{host: '{}'}}]", host)
        );
    };
    CHECK(rule("*.example.com").empty());
    CHECK(
        rule("1.2.3.4") ==
        "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address"
    );
    CHECK(
        rule("*example.com").find("a wildcard DNS-1123 subdomain must start with '*.'") !=
        std::string::npos
    );
}

TEST_CASE("a class of Ingresses is named once", "[apiserver][ingresses]") {
    ServerClient client;
    const auto create = [&client](std::string_view name, std::string_view spec) {
        return client.send(
            "POST",
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            fmt::format(
                "{{metadata: {{name: {}, annotations: {{kubernetes.io/ingress.class: a}}}}, spec: "
                "{{rules: [{{host: b}}]{}}}}}",
                name,
                spec
            )
        );
    };
    CHECK(create("old", "").warnings.size() == 1);
    CHECK(create("both", ", ingressClassName: a").warnings.empty());
    CHECK(create("torn", ", ingressClassName: b").status == 422);
    // One that is there may be led over.
    CHECK(
        client.outcome(
            "PATCH",
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses/old",
            "{spec: {ingressClassName: b}}",
            "application/merge-patch+json"
        ) == "200"
    );
}

TEST_CASE("StorageClasses keep what volumes were made by", "[apiserver][volumes]") {
    ServerClient client;
    const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
    REQUIRE(
        client.outcome("POST", classes, "{metadata: {name: fast}, provisioner: a.b/c}") == "201"
    );
    CHECK(
        client.outcome(
            "PATCH", classes + "/fast", "{provisioner: d.e/f}", "application/merge-patch+json"
        ) ==
        "422 Invalid: StorageClass.storage.k8s.io \"fast\" is invalid: provisioner: Invalid value: "
        "\"d.e/f\": field is immutable"
    );
    CHECK(
        client.outcome(
            "POST", classes, "{metadata: {name: x}, provisioner: a.b/c, volumeBindingMode: Odd}"
        ) ==
        "422 Invalid: StorageClass.storage.k8s.io \"x\" is invalid: volumeBindingMode: Unsupported "
        "value: \"Odd\": supported values: \"Immediate\", \"WaitForFirstConsumer\""
    );
}

TEST_CASE("the names of CronJobs leave room for those of their Jobs", "[apiserver][jobs]") {
    ServerClient client;
    const auto create = [&client](std::size_t length) {
        return client.outcome(
            "POST",
            "/apis/batch/v1/namespaces/default/cronjobs",
            fmt::format(
                "{{metadata: {{name: {}}}, spec: {{schedule: '* * * * *', jobTemplate: {{spec: "
                "{{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: "
                "i}}]}}}}}}}}}}}}",
                std::string(length, 'a')
            )
        );
    };
    CHECK(create(52) == "201");
    CHECK(create(53).ends_with("must be no more than 52 characters"));
}

}  // namespace sluice::test
