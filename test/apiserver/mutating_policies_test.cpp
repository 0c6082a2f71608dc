#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {

namespace {

const std::string kRegistration = "/apis/admissionregistration.k8s.io/v1/";
const std::string kPolicies = kRegistration + "mutatingadmissionpolicies";
const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";

constexpr std::string_view kDeployment =
    "{metadata: {name: web}, spec: {selector: {matchLabels: {app: x}}, template: {metadata: "
    "{labels: {app: x}}, spec: {containers: [{name: c, image: i}]}}}}";

std::string configuration(const std::string& expression) {
    return "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: '" +
           expression + "'}}]";
}

std::string patch(const std::string& expression) {
    return "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '" + expression + "'}}]";
}

std::string create_policy(
    ServerClient& client, const std::string& spec, const std::string& name = "p"
) {
    return client.outcome(
        "POST",
        kPolicies,
        "{metadata: {name: " + name +
            "}, spec: {matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], "
            "operations: [CREATE], resources: [deployments, widgets]}]}, " +
            (spec.find("reinvocationPolicy") == std::string::npos ? "reinvocationPolicy: Never, "
                                                                  : "") +
            spec + "}}"
    );
}

void bind_new(ServerClient& client, const std::string& spec, const std::string& name = "p") {
    REQUIRE(create_policy(client, spec, name) == "201");
    REQUIRE(
        client.outcome(
            "POST",
            kRegistration + "mutatingadmissionpolicybindings",
            "{metadata: {name: b-" + name + "}, spec: {policyName: " + name + "}}"
        ) == "201"
    );
}

}  // namespace

TEST_CASE("a policy changes what is created", "[apiserver][admission]") {
    ServerClient client;
    SECTION("by a configuration that it makes") {
        bind_new(
            client,
            configuration(
                "Object{spec: Object.spec{replicas: 7}, metadata: Object.metadata{annotations: "
                "{\"by\": object.metadata.name}}}"
            )
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"spec", "replicas"}) == "7");
        CHECK(client.at(kDeployments + "/web", {"metadata", "annotations", "by"}) == "web");
    }
    SECTION("lists by their keys") {
        bind_new(
            client,
            configuration(
                "Object{spec: Object.spec{template: Object.spec.template{spec: "
                "Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, "
                "Object.spec.template.spec.containers{name: c.name, image: \"other\"}) + "
                "[Object.spec.template.spec.containers{name: \"d\", image: \"e\"}]}}}}"
            )
        );
        const json::Value made = client.ask("POST", kDeployments, kDeployment);
        const json::Array& containers =
            made.find_path({"spec", "template", "spec", "containers"})->as_array();
        REQUIRE(containers.size() == 2);
        CHECK(containers[0].string_at("image") == "other");
        CHECK(containers[1].string_at("name") == "d");
        // What a policy adds has its defaults, too.
        CHECK(containers[1].string_at("imagePullPolicy") == "Always");
    }
    SECTION("by a patch") {
        bind_new(
            client,
            patch("[JSONPatch{op: \"test\", path: \"/spec/replicas\", value: 1}, JSONPatch{op: "
                  "\"replace\", path: \"/spec/replicas\", value: int(variables.size)}]"
            ) + ", variables: [{name: size, expression: '\"5\"'}]"
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"spec", "replicas"}) == "5");
    }
    SECTION("unless the patch tests for something else") {
        bind_new(
            client,
            patch("[JSONPatch{op: \"test\", path: \"/spec/replicas\", value: 2}, JSONPatch{op: "
                  "\"replace\", path: \"/spec/replicas\", value: 5}]")
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"spec", "replicas"}) == "1");
    }
    SECTION("unless its conditions do not hold") {
        bind_new(
            client,
            configuration("Object{spec: Object.spec{replicas: 7}}") +
                ", matchConditions: [{name: c, expression: 'object.spec.replicas > 1'}]"
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"spec", "replicas"}) == "1");
    }
    SECTION("of custom kinds, too") {
        REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
        bind_new(
            client, configuration("Object{metadata: Object.metadata{labels: {\"a\": \"b\"}}}")
        );
        REQUIRE(
            client.outcome("POST", kWidgets, "{metadata: {name: w}, spec: {size: 1}}") == "201"
        );
        const std::string widget = std::string(kWidgets) + "/w";
        CHECK(client.at(widget, {"metadata", "labels", "a"}) == "b");
    }
    SECTION("by several, and again by one that wants to see what the others did") {
        bind_new(
            client,
            configuration("Object{metadata: Object.metadata{annotations: {\"seen\": "
                          "string(object.spec.replicas)}}}"
            ) + ", reinvocationPolicy: IfNeeded",
            "a"
        );
        bind_new(client, configuration("Object{spec: Object.spec{replicas: 7}}"), "z");
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"metadata", "annotations", "seen"}) == "7");
    }
}

TEST_CASE("a policy that fails denies what it was to change", "[apiserver][admission]") {
    ServerClient client;
    const std::string denial = "403 Invalid: policy 'p' with binding 'b-p' denied request: ";
    SECTION("in its expression") {
        bind_new(client, configuration("Object{spec: Object.spec{replicas: object.spec.no}}"));
        CHECK(client.outcome("POST", kDeployments, kDeployment) == denial + "no such key: no");
    }
    SECTION("where it would replace an atomic list") {
        bind_new(
            client,
            configuration("Object{spec: Object.spec{template: Object.spec.template{spec: "
                          "Object.spec.template.spec{tolerations: []}}}}")
        );
        CHECK(
            client.outcome("POST", kDeployments, kDeployment) ==
            denial +
                "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, "
                "maps or structs: .spec.template.spec.tolerations"
        );
    }
    SECTION("unless its failures are to be ignored") {
        bind_new(
            client,
            configuration("Object{spec: Object.spec{replicas: object.spec.no}}") +
                ", failurePolicy: Ignore"
        );
        CHECK(client.outcome("POST", kDeployments, kDeployment) == "201");
    }
}

TEST_CASE("conditions of a policy are about the object before it", "[apiserver][admission]") {
    ServerClient client;
    const auto annotation = [](const std::string& value) {
        return "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: "
               "Object.metadata{annotations: {\"x\": " +
               value + "}}}'}}";
    };
    const std::string label =
        "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: "
        "Object.metadata{labels: {\"x\": \"y\"}}}'}}";
    SECTION("so that what its first mutation makes ends it not") {
        bind_new(
            client,
            "matchConditions: [{name: c, expression: '!has(object.metadata.labels)'}], mutations: "
            "[" +
                label + ", " + annotation("object.metadata.labels.x") + "]"
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"metadata", "labels", "x"}) == "y");
        CHECK(client.at(kDeployments + "/web", {"metadata", "annotations", "x"}) == "y");
    }
    SECTION("and a mutation whose failure is ignored ends it not either") {
        bind_new(
            client,
            "failurePolicy: Ignore, mutations: [" + annotation("object.spec.no") + ", " + label +
                "]"
        );
        REQUIRE(client.outcome("POST", kDeployments, kDeployment) == "201");
        CHECK(client.at(kDeployments + "/web", {"metadata", "labels", "x"}) == "y");
    }
}

TEST_CASE("what a policy cannot make is refused with it", "[apiserver][admission]") {
    ServerClient client;
    const auto is_refused = [&client](const std::string& expression) {
        return create_policy(client, configuration(expression)).starts_with("422 Invalid: ");
    };
    CHECK(is_refused("Other{a: 1}"));
    CHECK(is_refused("Object{spec: Object.status{a: 1}}"));
    CHECK(is_refused("Object{spec: [Object.status{a: 1}]}"));
    CHECK(is_refused("Object{spec}"));
    CHECK(is_refused("[JSONPatch{op: 1}]"));
    CHECK(is_refused("[JSONPatch{other: \"a\"}]"));
    CHECK(!is_refused("Object{spec: Object.spec{a: 1, ?b: optional.none()}}"));
}

}  // namespace sluice::test
