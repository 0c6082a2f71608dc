#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

namespace {

constexpr std::string_view kContainers = "containers: [{name: main, image: any}]";

/// What is said to a pod with this in its spec, from the first field on.
std::string outcome_of_pod(std::string_view spec) {
    ServerClient client;
    const std::string said = client.outcome(
        "POST", kPods, fmt::format("{{metadata: {{name: p}}, spec: {{{}, {}}}}}", kContainers, spec)
    );
    constexpr std::string_view kBefore = "422 Invalid: Pod \"p\" is invalid: spec.";
    return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
}

/// The warnings with which an object is created.
std::vector<std::string> warnings_of(std::string_view target, std::string_view body) {
    ServerClient client;
    const auto response = client.send("POST", target, body);
    CHECK(response.status == 201);
    return response.warnings;
}

std::vector<std::string> warnings_of_pod(std::string_view spec) {
    return warnings_of(kPods, fmt::format("{{metadata: {{name: p}}, spec: {{{}}}}}", spec));
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("affinities to nodes ask what can be answered", "[apiserver][placement]") {
    const auto outcome = [](std::string_view expression) {
        return outcome_of_pod(fmt::format(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
            "{{nodeSelectorTerms: [{{matchExpressions: [{{{}}}]}}]}}}}}}",
            expression
        ));
    };
    const std::string at =
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
        "matchExpressions[0].";
    CHECK(outcome("key: a, operator: In, values: [b]") == "201");
    CHECK(outcome("key: a, operator: Gt, values: ['1']") == "201");
    CHECK(
        outcome("key: a, operator: Odd") ==
        at + "operator: Invalid value: \"Odd\": not a valid selector operator"
    );
    CHECK(
        outcome("key: a, operator: In") ==
        at + "values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
    );
    CHECK(
        outcome("key: a, operator: Exists, values: [b]") ==
        at + "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    );
    CHECK(
        outcome("key: a, operator: Lt, values: ['1', '2']") ==
        at + "values: Required value: must be specified single value when `operator` is 'Lt' or "
             "'Gt'"
    );
}

TEST_CASE("affinities to pods name a topology, and weigh", "[apiserver][placement]") {
    CHECK(
        outcome_of_pod(
            "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
            "101, podAffinityTerm: {topologyKey: k}}]}}"
        ) ==
        "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
        "Invalid value: 101: must be in the range 1-100"
    );
    CHECK(
        outcome_of_pod(
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "[{topologyKey: ''}]}}"
        )
            .find("topologyKey: Required value: can not be empty") != std::string::npos
    );
    CHECK(
        outcome_of_pod("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                       "[{topologyKey: k, matchLabelKeys: [a]}]}}") ==
        "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
        "matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"
    );
}

TEST_CASE("pods spread by a skew over a topology", "[apiserver][placement]") {
    const auto outcome = [](std::string_view constraint) {
        return outcome_of_pod(fmt::format(
            "topologySpreadConstraints: [{{labelSelector: {{matchLabels: {{a: b}}}}, {}}}]",
            constraint
        ));
    };
    const std::string at = "topologySpreadConstraints[0].";
    const std::string usual = "topologyKey: k, whenUnsatisfiable: DoNotSchedule, ";
    CHECK(outcome(usual + "maxSkew: 1, minDomains: 2") == "201");
    CHECK(
        outcome(usual + "maxSkew: 0") == at + "maxSkew: Invalid value: 0: must be greater than zero"
    );
    CHECK(
        outcome("topologyKey: k, maxSkew: 1, whenUnsatisfiable: Odd") ==
        at + "whenUnsatisfiable: Unsupported value: \"Odd\": supported values: \"DoNotSchedule\", "
             "\"ScheduleAnyway\""
    );
    CHECK(
        outcome("topologyKey: k, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, minDomains: 2") ==
        at + "minDomains: Invalid value: 2: can only use minDomains if "
             "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"
    );
}

TEST_CASE("policies of admission are about something, and say what", "[apiserver][policies]") {
    const auto outcome = [](std::string_view plural, std::string_view spec) {
        ServerClient client;
        const std::string said = client.outcome(
            "POST",
            fmt::format("/apis/admissionregistration.k8s.io/v1/{}", plural),
            fmt::format("{{metadata: {{name: p}}, spec: {{{}}}}}", spec)
        );
        const std::size_t start = said.find("is invalid: ");
        return start == std::string::npos ? said : said.substr(start + 12);
    };
    const auto policy = [&](std::string_view spec) {
        return outcome("validatingadmissionpolicies", spec);
    };
    const auto binding = [&](std::string_view spec) {
        return outcome("validatingadmissionpolicybindings", spec);
    };
    const std::string match =
        "matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: "
        "[v1], resources: [pods]}]}, ";
    const std::string validation = "validations: [{expression: 'true'}]";
    CHECK(policy(match + validation) == "201");
    CHECK(policy(validation) == "spec.matchConstraints: Required value");
    CHECK(
        policy("matchConstraints: {resourceRules: []}, " + validation) ==
        "spec.matchConstraints.resourceRules: Required value"
    );
    CHECK(policy(match + "validations: [{expression: 'true', message: \"small\\n\"}]") == "201");
    CHECK(policy(match + "validations: [{expression: 'true', message: \"a\\nb\"}]") != "201");
    CHECK(
        policy(match + "validations: [{expression: ''}]") ==
        "spec.validations[0].expression: Required value: expression is not specified"
    );
    CHECK(
        policy(match + validation + ", variables: [{name: a-b, expression: '1'}]") ==
        "spec.variables[0].name: Invalid value: \"a-b\": must be a valid CEL identifier"
    );
    CHECK(binding("policyName: p, validationActions: [Deny]") == "201");
    CHECK(
        binding("policyName: p, validationActions: [Odd]") ==
        "spec.validationActions[0]: Unsupported value: \"Odd\": supported values: \"Audit\", "
        "\"Deny\", \"Warn\""
    );
    CHECK(
        binding("policyName: p, validationActions: [Deny], paramRef: {name: a}") ==
        "spec.paramRef.parameterNotFoundAction: Required value"
    );
}

TEST_CASE("a suspended Job may ask for other nodes and amounts", "[apiserver][jobs]") {
    ServerClient client;
    const std::string job = std::string(kJobs) + "/j";
    const auto make = [&client](bool suspends) {
        return client.outcome(
            "POST",
            kJobs,
            fmt::format(
                "{{metadata: {{name: j}}, spec: {{suspend: {}, template: {{spec: {{restartPolicy: "
                "Never, {}}}}}}}}}",
                suspends,
                kContainers
            )
        );
    };
    const auto change = [&](std::string_view spec) {
        const std::string said = client.outcome(
            "PATCH",
            job + "?dryRun=All",
            fmt::format("{{spec: {{template: {{spec: {{{}}}}}}}}}", spec),
            "application/merge-patch+json"
        );
        constexpr std::string_view kBefore = "422 Invalid: Job.batch \"j\" is invalid: spec.";
        return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
    };
    constexpr std::string_view kAmount =
        "containers: [{name: main, image: any, resources: {requests: {cpu: '2'}}}]";
    constexpr std::string_view kToNodes =
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}";
    constexpr std::string_view kToPods =
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
        "k}]}}";
    SECTION("suspended") {
        REQUIRE(make(true) == "201");
        CHECK(change(kAmount) == "200");
        CHECK(change("nodeSelector: {a: b}") == "200");
        CHECK(change(kToNodes) == "200");
        CHECK(change(kToPods).starts_with("template.spec"));
        CHECK(change("containers: [{name: main, image: other}]").starts_with("template.spec"));
        CHECK(change("containers: [{name: other, image: any}]").starts_with("template.spec"));
        SECTION("but not while its pods still end") {
            REQUIRE(
                client.outcome(
                    "PATCH",
                    job + "/status",
                    "{status: {active: 1, startTime: '2026-01-01T00:00:00Z'}}",
                    "application/merge-patch+json"
                ) == "200"
            );
            CHECK(change(kAmount).starts_with("template"));
        }
    }
    SECTION("running") {
        REQUIRE(make(false) == "201");
        CHECK(change(kAmount).starts_with("template"));
        CHECK(change("nodeSelector: {a: b}").starts_with("template"));
    }
}

TEST_CASE("policies of Jobs say what can come to pass", "[apiserver][jobs]") {
    const auto outcome = [](std::string_view spec, std::string_view restart = "Never") {
        ServerClient client;
        const std::string said = client.outcome(
            "POST",
            kJobs,
            fmt::format(
                "{{metadata: {{name: j}}, spec: {{{}, template: {{spec: {{restartPolicy: {}, "
                "{}}}}}}}}}",
                spec,
                restart,
                kContainers
            )
        );
        constexpr std::string_view kBefore = "422 Invalid: Job.batch \"j\" is invalid: spec.";
        return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
    };
    const std::string codes =
        "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}";
    CHECK(outcome(codes) == "201");
    CHECK(
        outcome(codes, "OnFailure") ==
        "template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported "
        "when "
        "podFailurePolicy is specified"
    );
    CHECK(
        outcome(
            "podFailurePolicy: {rules: [{action: Odd, onExitCodes: {operator: In, values: [1]}}]}"
        ) ==
        "podFailurePolicy.rules[0].action: Unsupported value: \"Odd\": supported values: "
        "\"Count\", "
        "\"FailIndex\", \"FailJob\", \"Ignore\""
    );
    CHECK(
        outcome("podFailurePolicy: {rules: [{action: Count}]}") ==
        "podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
        "OnPodConditions is required"
    );
    const std::string indexed = "completionMode: Indexed, completions: 5, ";
    CHECK(
        outcome(
            indexed + "successPolicy: {rules: [{succeededIndexes: '0-2,4', succeededCount: 4}]}"
        ) == "201"
    );
    CHECK(
        outcome(
            indexed + "successPolicy: {rules: [{succeededIndexes: '0-2,4', succeededCount: 5}]}"
        ) ==
        "successPolicy.rules[0].succeededCount: Invalid value: 5: must be less than or equal to 4 "
        "(the number of indexes in the specified succeededIndexes field)"
    );
    CHECK(
        outcome(indexed + "successPolicy: {rules: [{succeededIndexes: '3-1'}]}") ==
        "successPolicy.rules[0].succeededIndexes: Invalid value: \"3-1\": error parsing "
        "succeededIndexes: non-increasing order, previous: 3, current: 1"
    );
    CHECK(outcome("successPolicy: {rules: [{succeededCount: 1}]}")
              .ends_with("requires indexed completion mode"));
}

TEST_CASE(
    "who is refused is not warned, and no object warns without end", "[apiserver][warnings]"
) {
    ServerClient client;
    const auto refused = client.send(
        "POST",
        kPods,
        "{metadata: {name: p}, spec: {containers: [{name: main, image: any}], "
        "topologySpreadConstraints: [{maxSkew: 0, topologyKey: k, whenUnsatisfiable: "
        "DoNotSchedule}]}}"
    );
    CHECK(refused.status == 422);
    CHECK(refused.warnings.empty());
    std::string ports;
    for (int i = 0; i < 3000; ++i) {
        ports += "{containerPort: 1},";
    }
    const auto warnings =
        warnings_of_pod("containers: [{name: main, image: any, ports: [" + ports + "]}]");
    CHECK(warnings.size() < 100);
}

TEST_CASE("what an earlier server stored can still be labelled", "[apiserver][placement]") {
    ServerClient client;
    client.ask(
        "POST",
        kPods,
        "{metadata: {name: p, finalizers: [example.com/x]}, spec: {containers: [{name: main, "
        "image: "
        "any}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: "
        "DoNotSchedule}]}}"
    );
    json::Value stored = *client.server.state().store.find({"", "pods"}, {"default", "p"});
    json::Value& spread = *stored.find("spec")->find("topologySpreadConstraints");
    spread.as_array().front().set("maxSkew", 0);
    client.server.state().store.put({"", "pods"}, {"default", "p"}, std::move(stored));
    constexpr std::string_view kMerge = "application/merge-patch+json";
    const std::string pod = std::string(kPods) + "/p";
    CHECK(client.outcome("PATCH", pod, "{metadata: {labels: {a: b}}}", kMerge) == "200");
    CHECK(client.outcome("PATCH", pod, "{metadata: {finalizers: []}}", kMerge) == "200");
}

TEST_CASE("preferences may name values that no label has", "[apiserver][placement]") {
    const std::string expression =
        "{matchExpressions: [{key: zone, operator: In, values: ['eu west']}]}";
    CHECK(
        outcome_of_pod(
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
            "1, preference: " +
            expression + "}]}}"
        ) == "201"
    );
    CHECK(
        outcome_of_pod(
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [" +
            expression + "]}}}"
        ) != "201"
    );
}

}  // namespace sluice::test
