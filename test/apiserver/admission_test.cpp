#include "apiserver/server_client.hpp"
#include "apiserver/state/admission_programs.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);
const std::string kPodPath(kPods);
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kAdmission = "/apis/admissionregistration.k8s.io/v1/";

std::string pod(std::string_view name, std::string_view resources) {
    return "{metadata: {name: " + std::string(name) +
           "}, spec: {containers: [{name: c, image: i, resources: " + std::string(resources) +
           "}]}}";
}

/// A policy on new ConfigMaps, bound with the action.
void bind_policy(ServerClient& client, const std::string& spec, const std::string& action) {
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "validatingadmissionpolicies",
            "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], "
            "apiVersions: ['*'], operations: ['*'], resources: [configmaps]}]}, " +
                spec + "}}"
        ) == "201"
    );
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "validatingadmissionpolicybindings",
            "{metadata: {name: b}, spec: {policyName: p, validationActions: [" + action + "]}}"
        ) == "201"
    );
}

/// An expression that costs half of what one may cost, about costly_map().
const std::string kCostly = "!object.data.long.contains(object.data.short)";

std::string costly_map() {
    return "{metadata: {name: a}, data: {long: " + std::string(50'000, 'x') +
           ", short: " + std::string(1'000, 'y') + "}}";
}

std::string repeated(const std::string& item, int times) {
    std::string list;
    for (int i = 0; i < times; ++i) {
        list += (i == 0 ? "" : ", ") + item;
    }
    return list;
}

}  // namespace

TEST_CASE("a webhook may name another version or group of the same objects", "[apiserver]") {
    ServerClient client;
    std::vector<json::Value> seen;
    client.webhook = [&seen](const apiserver::WebhookCall& call) -> Result<json::Value> {
        seen.push_back(*call.review.find("request"));
        return admission_answer(call, json::Object{{"allowed", true}});
    };
    const auto add_hook = [&client](const std::string& rule) {
        return client.outcome(
            "POST",
            std::string(kAdmission) + "validatingwebhookconfigurations",
            "{metadata: {name: m}, webhooks: [{name: m.example.com, admissionReviewVersions: [v1], "
            "sideEffects: None, clientConfig: {url: 'https://127.0.0.1:9443/admit'}, rules: [{" +
                rule + ", operations: ['*']}]}]}"
        );
    };
    SECTION("of Events") {
        REQUIRE(
            add_hook("apiGroups: [events.k8s.io], apiVersions: [v1], resources: [events]") == "201"
        );
        REQUIRE(
            client.outcome(
                "POST",
                "/api/v1/namespaces/default/events",
                "{metadata: {name: e}, reason: Done, message: it is, type: Normal, involvedObject: "
                "{kind: Pod, name: p, namespace: default}}"
            ) == "201"
        );
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].find("resource")->string_at("group") == "events.k8s.io");
        CHECK(seen[0].find("requestResource")->string_at("group").empty());
        CHECK(seen[0].find_path({"object", "note"}) != nullptr);
    }
    SECTION("of subresources") {
        REQUIRE(add_hook("apiGroups: [''], apiVersions: [v1], resources: ['*/status']") == "201");
        REQUIRE(client.outcome("POST", kPods, pod("a", "{}")) == "201");
        CHECK(seen.empty());
        const std::string status = "{status: {phase: Running}}";
        CHECK(client.outcome("PATCH", kPodPath + "/a/status", status, kMerge) == "200");
        CHECK(seen.size() == 1);
    }
}

TEST_CASE("a webhook is chosen by what those before it have made", "[apiserver][admission]") {
    ServerClient client;
    std::vector<std::string> asked;
    client.webhook = [&asked](const apiserver::WebhookCall& call) -> Result<json::Value> {
        asked.push_back(call.target.url);
        const std::string patch =
            R"([{"op":"add","path":"/metadata/labels","value":{"from":"first"}}])";
        json::Value response = json::Object{{"allowed", true}};
        if (call.target.url.ends_with("first")) {
            response.set("patchType", "JSONPatch");
            response.set("patch", kube::encode_base64(patch));
        }
        return admission_answer(call, std::move(response));
    };
    const auto hook = [](const std::string& name, const std::string& selector) {
        return "{name: " + name +
               ".example.com, admissionReviewVersions: [v1], sideEffects: None, "
               "clientConfig: {url: 'https://127.0.0.1:9443/" +
               name + "'}, objectSelector: {" + selector +
               "}, rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], "
               "resources: [configmaps]}]}";
    };
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "mutatingwebhookconfigurations",
            "{metadata: {name: m}, webhooks: [" + hook("first", "") + ", " +
                hook("second", "matchLabels: {from: first}") + ", " +
                hook("third", "matchLabels: {from: second}") + "]}"
        ) == "201"
    );
    REQUIRE(client.outcome("POST", kMaps, "{metadata: {name: a}}") == "201");
    CHECK(
        asked ==
        std::vector<std::string>{"https://127.0.0.1:9443/first", "https://127.0.0.1:9443/second"}
    );
    CHECK(client.at(kMaps + "/a", {"metadata", "labels"}) == R"({"from":"first"})");
}

TEST_CASE("a namespaceSelector selects a Namespace by its labels", "[apiserver][admission]") {
    ServerClient client;
    const std::string match =
        "namespaceSelector: {matchLabels: {team: x}}, {}: [{apiGroups: [''], apiVersions: [v1], "
        "operations: ['*'], resources: [namespaces, nodes]}]";
    const auto with_rules = [&match](const std::string& name) {
        std::string text = match;
        return text.replace(text.find("{}"), 2, name);
    };
    SECTION("of a webhook") {
        client.webhook = [](const apiserver::WebhookCall& call) -> Result<json::Value> {
            return admission_answer(call, json::Object{{"allowed", false}});
        };
        REQUIRE(
            client.outcome(
                "POST",
                std::string(kAdmission) + "validatingwebhookconfigurations",
                "{metadata: {name: m}, webhooks: [{name: m.example.com, admissionReviewVersions: "
                "[v1], sideEffects: None, clientConfig: {url: 'https://127.0.0.1:9443/admit'}, " +
                    with_rules("rules") + "}]}"
            ) == "201"
        );
    }
    SECTION("of a policy") {
        REQUIRE(
            client.outcome(
                "POST",
                std::string(kAdmission) + "validatingadmissionpolicies",
                "{metadata: {name: p}, spec: {matchConstraints: {" + with_rules("resourceRules") +
                    "}, validations: [{expression: 'false'}]}}"
            ) == "201"
        );
        REQUIRE(
            client.outcome(
                "POST",
                std::string(kAdmission) + "validatingadmissionpolicybindings",
                "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}"
            ) == "201"
        );
    }
    const std::string spaces = "/api/v1/namespaces";
    CHECK(client.outcome("POST", spaces, "{metadata: {name: a}}") == "201");
    CHECK(
        client.outcome("POST", spaces, "{metadata: {name: b, labels: {team: x}}}").starts_with("4")
    );
    const std::string change = "{metadata: {labels: {team: x}}}";
    CHECK(client.outcome("PATCH", spaces + "/a", change, kMerge).starts_with("4"));
    // What is in no namespace is selected by none.
    CHECK(client.outcome("POST", "/api/v1/nodes", "{metadata: {name: n}}").starts_with("4"));
}

TEST_CASE("a policy denies what its expressions do not hold of", "[apiserver][admission]") {
    ServerClient client;
    const std::string spec =
        "variables: [{name: who, expression: object.metadata.name}], validations: [{expression: "
        "\"variables.who != 'bad'\", messageExpression: \"'not ' + variables.who\"}]";
    const std::string denial =
        "422 Invalid: configmaps \"bad\" is forbidden: ValidatingAdmissionPolicy 'p' with binding "
        "'b' denied request: not bad";
    SECTION("it denies") {
        bind_policy(client, spec, "Deny");
        CHECK(client.outcome("POST", kMaps, "{metadata: {name: bad}}") == denial);
        CHECK(client.outcome("POST", kMaps, "{metadata: {name: good}}") == "201");
    }
    SECTION("it only warns") {
        bind_policy(client, spec, "Warn");
        const auto response = client.send("POST", kMaps, "{metadata: {name: bad}}");
        CHECK(response.status == 201);
        CHECK(
            response.warnings ==
            std::vector<std::string>{"Validation failed for ValidatingAdmissionPolicy 'p' with "
                                     "binding 'b': not bad"}
        );
    }
    SECTION("its conditions say when it is asked") {
        bind_policy(
            client, spec + ", matchConditions: [{name: c, expression: 'has(object.data)'}]", "Deny"
        );
        CHECK(client.outcome("POST", kMaps, "{metadata: {name: bad}}") == "201");
    }
    SECTION("an expression that fails denies, too") {
        bind_policy(client, "validations: [{expression: object.data.x == 'z'}]", "Deny");
        CHECK(
            client.outcome("POST", kMaps, "{metadata: {name: a}}") ==
            "422 Invalid: configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with "
            "binding 'b' denied request: expression 'object.data.x == 'z'' resulted in error: no "
            "such key: data"
        );
    }
}

TEST_CASE("a policy is told which of its expressions fit no schema", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
    const auto warnings = [&client](const std::string& resources, const std::string& spec) {
        const std::string policy = std::string(kAdmission) + "validatingadmissionpolicies";
        REQUIRE(
            client.outcome(
                "POST",
                policy,
                "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{operations: "
                "['*'], " +
                    resources + "}]}, " + spec + "}}"
            ) == "201"
        );
        const json::Value found = client.ask("GET", policy + "/p");
        CHECK(found.find_path({"status", "typeChecking"}) != nullptr);
        const json::Value* list = found.find_path({"status", "typeChecking", "expressionWarnings"});
        return list == nullptr ? json::Array() : list->as_array();
    };
    const std::string deployments =
        "apiGroups: [apps], apiVersions: [v1], resources: [deployments]";
    SECTION("of a kind of Kubernetes") {
        const json::Array told = warnings(
            deployments,
            "variables: [{name: size, expression: object.spec.replicas}], validations: "
            "[{expression: "
            "\"variables.size > '1'\", messageExpression: \"'got ' + object.spec.replicas\"}, "
            "{expression: object.spec.replicas > 1}]"
        );
        REQUIRE(told.size() == 2);
        CHECK(told[0].string_at("fieldRef") == "spec.validations[0].expression");
        CHECK(told[0].string_at("warning").starts_with("apps/v1, Kind=Deployment: "));
        CHECK(
            told[0].string_at("warning").find(
                "found no matching overload for '_>_' applied to '(int, string)'"
            ) != std::string_view::npos
        );
        CHECK(told[1].string_at("fieldRef") == "spec.validations[0].messageExpression");
    }
    SECTION("of definitions, whose schemas contain schemas") {
        const json::Array told = warnings(
            "apiGroups: [apiextensions.k8s.io], apiVersions: [v1], resources: "
            "[customresourcedefinitions]",
            "validations: [{expression: object.spec.none == 'x'}]"
        );
        REQUIRE(told.size() == 1);
        CHECK(
            told[0].string_at("warning").find("undefined field 'none'") != std::string_view::npos
        );
    }
    SECTION("of a custom kind") {
        const json::Array told = warnings(
            "apiGroups: [example.com], apiVersions: [v1], resources: [widgets]",
            "validations: [{expression: object.spec.none == 1}]"
        );
        REQUIRE(told.size() == 1);
        CHECK(
            told[0].string_at("warning").find("undefined field 'none'") != std::string_view::npos
        );
    }
    SECTION("unless it is about any kind") {
        CHECK(warnings(
                  "apiGroups: ['*'], apiVersions: ['*'], resources: ['*']",
                  "validations: [{expression: object.spec.none == 1}]"
        )
                  .empty());
    }
    SECTION("of all that a pod may have") {
        CHECK(warnings(
                  "apiGroups: [''], apiVersions: [v1], resources: [pods]",
                  "validations: [{expression: \"object.spec.containers.all(c, "
                  "has(c.resources.limits) && 'cpu' in c.resources.limits)\"}, {expression: "
                  "\"object.metadata.?labels[?'a'].orValue('b') == 'b'\"}]"
        )
                  .empty());
    }
}

TEST_CASE("expressions of policies are compiled once", "[apiserver][admission]") {
    ServerClient client;
    bind_policy(client, "validations: [{expression: \"object.metadata.name != 'bad'\"}]", "Deny");
    const auto& programs = client.server.state().programs();
    REQUIRE(client.outcome("POST", kMaps, "{metadata: {name: a}}") == "201");
    const std::size_t compiled = programs.compilations();
    CHECK(client.outcome("POST", kMaps, "{metadata: {name: b}}") == "201");
    CHECK(client.outcome("POST", kMaps, "{metadata: {name: bad}}").starts_with("422 "));
    CHECK(programs.compilations() == compiled);
    // Another version of the policy is another policy.
    const std::string policy = std::string(kAdmission) + "validatingadmissionpolicies/p";
    const std::string changed = "{spec: {validations: [{expression: 'true'}]}}";
    REQUIRE(client.outcome("PATCH", policy, changed, kMerge) == "200");
    CHECK(client.outcome("POST", kMaps, "{metadata: {name: bad}}") == "201");
}

TEST_CASE("a policy has one budget for all its validations", "[apiserver][admission]") {
    ServerClient client;
    const std::string denial =
        "validation failed due to running out of cost budget, no further validation rules will be "
        "run";
    const std::string validation = "{expression: '" + kCostly + "'}";
    SECTION("which many that are dear use up") {
        bind_policy(client, "validations: [" + repeated(validation, 25) + "]", "Deny");
        CHECK(
            client.outcome("POST", kMaps, costly_map()) ==
            "422 Invalid: configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with "
            "binding 'b' denied request: " +
                denial
        );
    }
    SECTION("and passes where a failure is ignored, whatever it found before") {
        const std::string validations =
            "{expression: 'false'}, " + repeated(validation, 25) + "], failurePolicy: Ignore";
        bind_policy(client, "validations: [" + validations, "Deny");
        CHECK(client.outcome("POST", kMaps, costly_map()) == "201");
    }
    SECTION("a few have room in it") {
        bind_policy(client, "validations: [" + repeated(validation, 5) + "]", "Deny");
        CHECK(client.outcome("POST", kMaps, costly_map()) == "201");
    }
    SECTION("conditions have a smaller one") {
        std::string conditions;
        for (int i = 0; i < 8; ++i) {
            conditions += (i == 0 ? "" : ", ") + std::string("{name: c") + std::to_string(i) +
                          ", expression: '" + kCostly + "'}";
        }
        bind_policy(
            client,
            "validations: [{expression: 'true'}], matchConditions: [" + conditions + "]",
            "Deny"
        );
        CHECK(client.outcome("POST", kMaps, costly_map()).ends_with(denial));
    }
    SECTION("variables that no validation uses cost nothing") {
        std::string variables;
        for (int i = 0; i < 25; ++i) {
            variables += (i == 0 ? "" : ", ") + std::string("{name: v") + std::to_string(i) +
                         ", expression: '" + kCostly + "'}";
        }
        bind_policy(
            client,
            "variables: [" + variables + "], validations: [{expression: variables.v7}]",
            "Deny"
        );
        CHECK(client.outcome("POST", kMaps, costly_map()) == "201");
    }
}

TEST_CASE(
    "variables of a policy use each other in chains of any length", "[apiserver][admission]"
) {
    ServerClient client;
    constexpr int kLength = 24'000;
    const auto chain = [](const std::string& first, const auto& next) {
        std::string variables = "{name: v0, expression: '" + first + "'}";
        for (int i = 1; i < kLength; ++i) {
            variables += ", {name: v" + std::to_string(i) + ", expression: '" +
                         next("variables.v" + std::to_string(i - 1)) + "'}";
        }
        return "variables: [" + variables + "]";
    };
    const std::string last = "variables.v" + std::to_string(kLength - 1);
    const auto ask = [&](const std::string& variables, const std::string& expression) {
        bind_policy(
            client, variables + ", validations: [{expression: '" + expression + "'}]", "Deny"
        );
        return client.outcome("POST", kMaps, "{metadata: {name: a}}");
    };
    SECTION("of numbers") {
        const auto add = [](const std::string& before) { return before + " + 1"; };
        CHECK(ask(chain("1", add), last + " == " + std::to_string(kLength)) == "201");
    }
    SECTION("of lists in lists") {
        const auto wrap = [](const std::string& before) { return "[" + before + "]"; };
        CHECK(ask(chain("[]", wrap), "size(" + last + ") == 1") == "201");
    }
}

TEST_CASE("a variable of a policy uses those before it", "[apiserver][admission]") {
    ServerClient client;
    const auto ask = [&](const std::string& expression) {
        const std::string variables =
            "variables: [{name: b, expression: '1'}, {name: c, expression: variables.b + 1}, "
            "{name: b, expression: variables.c + 1}]";
        bind_policy(
            client, variables + ", validations: [{expression: '" + expression + "'}]", "Deny"
        );
        return client.outcome("POST", kMaps, "{metadata: {name: a}}");
    };
    // Of the same name the last.
    CHECK(ask("variables.c == 2 && variables.b == 3") == "201");
}

TEST_CASE("expressions of admission have the types that are wanted", "[apiserver][admission]") {
    ServerClient client;
    const std::string policies = std::string(kAdmission) + "validatingadmissionpolicies?dryRun=All";
    const auto refusal = [&](const std::string& spec) {
        const std::string said = client.outcome(
            "POST",
            policies,
            "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], "
            "apiVersions: [v1], operations: ['*'], resources: [pods]}]}, " +
                spec + "}}"
        );
        const auto at = said.find("spec.");
        return at == std::string::npos ? said : said.substr(at, said.find('\n') - at);
    };
    CHECK(refusal("validations: [{expression: 'object.x == 1'}]") == "201");
    CHECK(
        refusal("validations: [{expression: '1'}]") ==
        "spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got int"
    );
    CHECK(
        refusal("validations: [{expression: object.x}]") ==
        "spec.validations[0].expression: Invalid value: \"object.x\": must evaluate to bool but "
        "got "
        "dyn"
    );
    CHECK(
        refusal("validations: [{expression: 'true', messageExpression: '1'}]") ==
        "spec.validations[0].messageExpression: Invalid value: \"1\": must evaluate to string but "
        "got int"
    );
    CHECK(
        refusal("auditAnnotations: [{key: k, valueExpression: 'true'}]") ==
        "spec.auditAnnotations[0].valueExpression: Invalid value: \"true\": must evaluate to one "
        "of "
        "[string null_type] but got bool"
    );
    CHECK(refusal("auditAnnotations: [{key: k, valueExpression: 'null'}]") == "201");
    CHECK(
        refusal("validations: [{expression: request.name}]") ==
        "spec.validations[0].expression: Invalid value: \"request.name\": must evaluate to bool "
        "but "
        "got string"
    );
    CHECK(
        refusal("validations: [{expression: request.nope == 1}]").find("undefined field 'nope'") !=
        std::string::npos
    );
    // Parameters are there where the policy has some, variables after they were said.
    CHECK(
        refusal("validations: [{expression: params.x == 1}]").find("undeclared reference") !=
        std::string::npos
    );
    CHECK(
        refusal("paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: params.x "
                "== 1}]") == "201"
    );
    const std::string variables =
        "variables: [{name: a, expression: '1'}, {name: l, expression: "
        "'[variables.a]'}, {name: all, expression: variables}], ";
    CHECK(refusal(variables + "validations: [{expression: 'variables.l[0] == 1'}]") == "201");
    CHECK(
        refusal(variables + "validations: [{expression: variables.a}]") ==
        "spec.validations[0].expression: Invalid value: \"variables.a\": must evaluate to bool but "
        "got int"
    );
    CHECK(
        refusal(variables + "validations: [{expression: variables.b == 1}]")
            .find("undefined field 'b'") != std::string::npos
    );
    CHECK(
        refusal("variables: [{name: b, expression: variables.a}, {name: a, expression: '1'}], "
                "validations: [{expression: 'true'}]")
            .find("undefined field 'a'") != std::string::npos
    );
}

TEST_CASE("an expression of a policy that cannot be read is refused", "[apiserver][admission]") {
    ServerClient client;
    const std::string outcome = client.outcome(
        "POST",
        std::string(kAdmission) + "validatingadmissionpolicies",
        "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], "
        "apiVersions: ['*'], operations: ['*'], resources: [pods]}]}, validations: [{expression: "
        "'nobody + 1'}]}}"
    );
    CHECK(outcome.starts_with("422 Invalid: "));
    CHECK(outcome.find("undeclared reference to 'nobody'") != std::string::npos);
}

}  // namespace sluice::test
