#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::test {

namespace {

constexpr std::string_view kGadgets = "/apis/example.com/v1/gadgets";
constexpr std::string_view kGadget = "/apis/example.com/v1/gadgets/g";

/// A version of a definition with that schema of `spec`, in YAML's flow style.
std::string version(std::string_view name, std::string_view spec, bool is_stored = true) {
    return fmt::format(
        "{{name: {}, served: true, storage: {}, subresources: {{status: {{}}}}, schema: "
        "{{openAPIV3Schema: {{type: object, properties: {{spec: {}, status: {{type: object, "
        "properties: {{done: {{type: integer, x-kubernetes-validations: "
        "[{{rule: self >= oldSelf, message: never less}}]}}}}}}}}}}}}}}",
        name,
        is_stored,
        spec
    );
}

std::string definition(std::string_view versions) {
    return fmt::format(
        "{{metadata: {{name: gadgets.example.com}}, spec: {{group: example.com, scope: Cluster, "
        "names: {{plural: gadgets, singular: gadget, kind: Gadget}}, versions: [{}]}}}}",
        versions
    );
}

std::string gadget(std::string_view spec) {
    return fmt::format("{{metadata: {{name: g}}, spec: {}}}", spec);
}

/// What replaces an object: it names the version that it has now.
std::string at_version(ServerClient& client, std::string_view target, std::string body) {
    constexpr std::string_view kBegin = "{metadata: {";
    const std::string version = client.at(std::string(target), {"metadata", "resourceVersion"});
    return body.insert(kBegin.size(), fmt::format("resourceVersion: '{}', ", version));
}

std::string refused(std::string_view causes) {
    return fmt::format("422 Invalid: Gadget.example.com \"g\" is invalid: {}", causes);
}

constexpr std::string_view kSpec =
    "{type: object, required: [size], properties: {"
    "size: {type: integer, maximum: 9, x-kubernetes-validations: [{rule: self > 1, message: too "
    "small}]}, color: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: self == "
    "oldSelf, message: stays}]}}, x-kubernetes-validations: [{rule: \"!has(self.color) || "
    "self.size "
    "> 2\", reason: FieldValueForbidden, fieldPath: .color, messageExpression: \"'not ' + "
    "self.color\"}]}";

}  // namespace

TEST_CASE("rules refuse what breaks them, however it is written", "[apiserver][rules]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, definition(version("v1", kSpec))) == "201");
    const auto too_small = refused("spec.size: Invalid value: 1: too small");
    CHECK(client.outcome("POST", kGadgets, gadget("{size: 1}")) == too_small);
    CHECK(
        client.outcome("POST", kGadgets, gadget("{size: 2, color: red}")) ==
        refused("spec.color: Forbidden: not red")
    );
    REQUIRE(client.outcome("POST", kGadgets, gadget("{size: 3, color: red}")) == "201");
    CHECK(
        client.outcome(
            "PUT", kGadget, at_version(client, kGadget, gadget("{size: 1, color: red}"))
        ) == refused("[spec.color: Forbidden: not red, spec.size: Invalid value: 1: too small]")
    );
    CHECK(
        client.outcome("PATCH", kGadget, "{spec: {color: blue}}", "application/merge-patch+json") ==
        refused("spec.color: Invalid value: \"blue\": stays")
    );
    CHECK(
        client
            .apply(
                kGadget, "m", "{apiVersion: example.com/v1, kind: Gadget, spec: {size: 1}}", true
            )
            .find("spec.size: Invalid value: 1: too small") != std::string::npos
    );
    CHECK(
        client.outcome("PATCH", kGadget, "{spec: {size: 4}}", "application/merge-patch+json") ==
        "200"
    );
}

TEST_CASE("rules of the status compare with the status before", "[apiserver][rules]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, definition(version("v1", kSpec))) == "201");
    REQUIRE(client.outcome("POST", kGadgets, gadget("{size: 3}")) == "201");
    const std::string status = std::string(kGadget) + "/status";
    const auto set = [&](std::string_view done) {
        return client.outcome(
            "PATCH",
            status,
            fmt::format("{{status: {{done: {}}}}}", done),
            "application/merge-patch+json"
        );
    };
    CHECK(set("2") == "200");
    CHECK(set("1") == refused("status.done: Invalid value: 1: never less"));
    CHECK(set("3") == "200");
}

TEST_CASE("an object that breaks a new rule may stay, with a warning", "[apiserver][rules]") {
    ServerClient client;
    constexpr std::string_view kLax =
        "{type: object, properties: {size: {type: integer}, color: {type: string, maxLength: 9}}}";
    REQUIRE(client.outcome("POST", kDefinitions, definition(version("v1", kLax))) == "201");
    REQUIRE(client.outcome("POST", kGadgets, gadget("{size: 1}")) == "201");
    const std::string stored = std::string(kDefinitions) + "/gadgets.example.com";
    REQUIRE(
        client.outcome(
            "PUT", stored, at_version(client, stored, definition(version("v1", kSpec)))
        ) == "200"
    );
    const auto response = client.send(
        "PATCH", kGadget, "{metadata: {labels: {a: b}}}", "application/merge-patch+json"
    );
    CHECK(response.status == 200);
    CHECK(response.warnings == std::vector<std::string>{"spec.size: Invalid value: 1: too small"});
    CHECK(
        client.outcome("PATCH", kGadget, "{spec: {size: 0}}", "application/merge-patch+json") ==
        refused("spec.size: Invalid value: 0: too small")
    );
}

TEST_CASE("rules wait for an object that is what they take it for", "[apiserver][rules]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, definition(version("v1", kSpec))) == "201");
    CHECK(
        client.outcome("POST", kGadgets, gadget("{color: red}"))
            .find("some validation rules were not checked because the object was invalid") !=
        std::string::npos
    );
    // A number out of bounds is a number all the same.
    CHECK(
        client.outcome("POST", kGadgets, gadget("{size: 10, color: long and green}"))
            .find("were not checked") != std::string::npos
    );
    CHECK(
        client.outcome("POST", kGadgets, gadget("{size: 10}")).find("were not checked") ==
        std::string::npos
    );
}

TEST_CASE("a definition with wrong rules is refused, whole", "[apiserver][rules]") {
    ServerClient client;
    const std::string wrong =
        "{type: object, properties: {n: {type: integer}}, x-kubernetes-validations: [{rule: "
        "self.m > 1}]}";
    const json::Value status = client.ask("POST", kDefinitions, definition(version("v1", wrong)));
    const json::Value& cause = status.find_path({"details", "causes"})->as_array().at(0);
    CHECK(
        cause.string_at("field") ==
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule"
    );
    CHECK(cause.string_at("reason") == "FieldValueInvalid");
    CHECK(std::string(cause.string_at("message")).find("undefined field 'm'") != std::string::npos);
    CHECK(client.outcome("GET", kGadgets).starts_with("404"));
    // Versions that differ are named by their number.
    const std::string both = version("v1", kSpec, true) + ", " + version("v2", wrong, false);
    CHECK(
        client.outcome("POST", kDefinitions, definition(both))
            .find("spec.versions[1].schema.openAPIV3Schema.properties[spec]") != std::string::npos
    );
}

TEST_CASE("a rule that may cost too much or needs an unknown function is refused", "[apiserver]") {
    ServerClient client;
    const auto refuse = [&](std::string_view spec) {
        return client.outcome("POST", kDefinitions, definition(version("v1", spec)));
    };
    CHECK(
        refuse("{type: array, items: {type: string, x-kubernetes-validations: [{rule: "
               "\"self.matches('^(a|b)+$')\"}]}}")
            .find("estimated rule cost exceeds budget by factor of more than 100x") !=
        std::string::npos
    );
    CHECK(
        refuse("{type: string, maxLength: 9, x-kubernetes-validations: [{rule: isIP(self)}]}")
            .find("undeclared reference to 'isIP'") != std::string::npos
    );
}

}  // namespace sluice::test
