#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::test {

namespace {

/// What is said to a definition of gears whose one version, names and spec have this beside the
/// usual, without the sentence before it.
std::string outcome(
    std::string_view version, std::string_view names = "", std::string_view spec = ""
) {
    ServerClient client;
    const std::string said = client.outcome(
        "POST",
        kDefinitions,
        fmt::format(
            "{{metadata: {{name: gears.example.com}}, spec: {{group: example.com, scope: "
            "Namespaced, {2} names: {{plural: gears, kind: Gear, {1}}}, versions: [{{name: v1, "
            "served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: "
            "{{spec: {{type: object, properties: {{s: {{type: string}}, size: {{type: number}}, m: "
            "{{type: object, additionalProperties: {{type: string}}}}}}}}}}}}}}, {0}}}]}}}}",
            version,
            names,
            spec
        )
    );
    constexpr std::string_view kBefore =
        "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"gears.example.com\" is "
        "invalid: ";
    return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
}

std::string outcome_of_column(std::string_view column) {
    return outcome(fmt::format("additionalPrinterColumns: [{{{}}}]", column));
}

std::string outcome_of_selectable(std::string_view path) {
    return outcome(fmt::format("selectableFields: [{{jsonPath: '{}'}}]", path));
}

std::string outcome_of_webhook(std::string_view webhook) {
    return outcome(
        "", "", fmt::format("conversion: {{strategy: Webhook, webhook: {{{}}}}},", webhook)
    );
}

}  // namespace

TEST_CASE("columns of a definition have a name, a type and a path", "[apiserver][definitions]") {
    const std::string at = "spec.additionalPrinterColumns[0].";
    const std::string types = "must be one of boolean,date,integer,number,string";
    CHECK(outcome_of_column("name: c, type: string, jsonPath: .spec.s") == "201");
    CHECK(outcome_of_column("name: '', type: string, jsonPath: .s") == at + "name: Required value");
    CHECK(
        outcome_of_column("name: c, type: '', jsonPath: .s") ==
        at + "type: Required value: " + types
    );
    CHECK(
        outcome_of_column("name: c, type: text, jsonPath: .s") ==
        at + "type: Invalid value: \"text\": " + types
    );
    CHECK(
        outcome_of_column("name: c, type: string, jsonPath: s") ==
        at + "JSONPath: Invalid value: \"s\": must be a simple json path starting with ."
    );
    // The real server takes a path that it cannot read, and shows no column from there on.
    CHECK(outcome_of_column("name: c, type: string, jsonPath: '.s['") == "201");
}

TEST_CASE("selectable fields are fields of the schema", "[apiserver][definitions]") {
    const std::string at = "spec.selectableFields[0].jsonPath: ";
    CHECK(outcome_of_selectable(".spec.s") == "201");
    CHECK(outcome_of_selectable(".spec.m.any") == "201");
    CHECK(outcome_of_selectable("") == at + "Required value");
    CHECK(
        outcome_of_selectable(".spec.none") ==
        at + "Invalid value: \".spec.none\": is an invalid path: does not refer to a valid field"
    );
    CHECK(
        outcome_of_selectable(".spec.s[0]") ==
        at + "Invalid value: \".spec.s[0]\": is an invalid path: array notation is not allowed"
    );
    CHECK(
        outcome_of_selectable("spec.s") ==
        at + "Invalid value: \"spec.s\": is an invalid path: expected [ or . but got: spec"
    );
    CHECK(
        outcome_of_selectable(".") ==
        at + "Invalid value: \".\": is an invalid path: unexpected end of JSON path"
    );
    CHECK(outcome_of_selectable(".spec.size")
              .starts_with(at + "Invalid value: \".spec.size\": must point"));
    CHECK(
        outcome("selectableFields: [{jsonPath: .spec.s}, {jsonPath: .spec.s}]") ==
        "spec.selectableFields[1].jsonPath: Duplicate value: \".spec.s\""
    );
}

TEST_CASE("the paths of scale lead into spec and status", "[apiserver][definitions]") {
    const std::string at = "spec.subresources.scale.";
    CHECK(
        outcome("subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: "
                ".status.size}}") == "201"
    );
    CHECK(
        outcome("subresources: {scale: {specReplicasPath: .size, statusReplicasPath: .status.size}}"
        ) == at + "specReplicasPath: Invalid value: \".size\": should be a json path under .spec"
    );
    CHECK(
        outcome("subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: ''}}") ==
        at + "statusReplicasPath: Required value"
    );
}

TEST_CASE("names and versions of a definition are labels", "[apiserver][definitions]") {
    CHECK(outcome("", "shortNames: [g]") == "201");
    CHECK(
        outcome("", "shortNames: [G]").starts_with("spec.names.shortNames[0]: Invalid value: \"G\"")
    );
    CHECK(outcome("", "categories: [b_]").starts_with("spec.names.categories[0]: Invalid value"));
    CHECK(outcome("", "singular: Bad").starts_with("spec.names.singular: Invalid value: \"Bad\""));
    CHECK(
        outcome("", "listKind: Gear") ==
        "spec.names.listKind: Invalid value: \"Gear\": kind and listKind may not be the same"
    );
    CHECK(
        outcome("deprecationWarning: old") ==
        "spec.versions[0].deprecationWarning: Invalid value: \"old\": can only be set for "
        "deprecated versions"
    );
    CHECK(outcome("deprecated: true, deprecationWarning: old") == "201");
}

TEST_CASE("a webhook of conversion can be reached, and is asked so", "[apiserver][definitions]") {
    const std::string at = "spec.conversion.webhookClientConfig";
    const std::string asked = "conversionReviewVersions: [v1], ";
    CHECK(outcome_of_webhook(asked + "clientConfig: {url: 'https://a/b'}") == "201");
    CHECK(
        outcome_of_webhook(asked) ==
        at + ": Required value: required when strategy is set to Webhook"
    );
    CHECK(
        outcome_of_webhook(asked + "clientConfig: {url: 'http://a'}") ==
        at + ".url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired "
             "format: "
             "https://host[/path]"
    );
    CHECK(
        outcome_of_webhook(asked + "clientConfig: {url: 'https://u:p@a'}") ==
        at + ".url: Invalid value: \"u:p\": user information is not permitted in the URL"
    );
    CHECK(
        outcome_of_webhook(asked + "clientConfig: {service: {name: svc, namespace: ns, path: a}}")
            .starts_with("[" + at + ".service.path: Invalid value: \"a\": must start with a '/', ")
    );
    CHECK(
        outcome_of_webhook("conversionReviewVersions: [v2], clientConfig: {url: 'https://a'}") ==
        "spec.conversion.conversionReviewVersions: Invalid value: [\"v2\"]: must include at least "
        "one of v1, v1beta1"
    );
    CHECK(
        outcome("", "", "conversion: {strategy: Odd},") ==
        "spec.conversion.strategy: Unsupported value: \"Odd\": supported values: \"None\", "
        "\"Webhook\""
    );
}

TEST_CASE("groups of the community need an approval", "[apiserver][definitions]") {
    const auto define = [](std::string_view annotations) {
        ServerClient client;
        return client.outcome(
            "POST",
            kDefinitions,
            fmt::format(
                "{{metadata: {{name: gears.x.k8s.io, annotations: {{{}}}}}, spec: {{group: "
                "x.k8s.io, scope: Cluster, names: {{plural: gears, kind: Gear}}, versions: "
                "[{{name: "
                "v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: "
                "object}}}}}}]}}}}",
                annotations
            )
        );
    };
    CHECK(define("").find("protected groups must have approval") != std::string::npos);
    CHECK(define("api-approved.kubernetes.io: aye").find("a reason starting") != std::string::npos);
    CHECK(define("api-approved.kubernetes.io: 'unapproved, a test'") == "201");
    CHECK(define("api-approved.kubernetes.io: 'https://example.com/1'") == "201");
}

TEST_CASE("rules of webhooks name what there can be", "[apiserver][webhooks]") {
    const auto rule = [](std::string_view members) {
        ServerClient client;
        const std::string said = client.outcome(
            "POST",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            fmt::format(
                "{{metadata: {{name: w}}, webhooks: [{{name: a.b.c, clientConfig: {{url: "
                "'https://a'}}, sideEffects: None, admissionReviewVersions: [v1], rules: "
                "[{{{}}}]}}]}}",
                members
            )
        );
        constexpr std::string_view kBefore = "is invalid: webhooks[0].rules[0].";
        const std::size_t start = said.find(kBefore);
        return start == std::string::npos ? said : said.substr(start + kBefore.size());
    };
    const std::string usual = "apiGroups: [''], apiVersions: [v1], ";
    const std::string created = "operations: [CREATE], " + usual;
    CHECK(rule(created + "resources: [pods, pods/status]") == "201");
    CHECK(rule(created + "resources: [pods, '*']") == "201");
    CHECK(rule(usual + "resources: [pods]") == "operations: Required value");
    CHECK(
        rule(usual + "operations: [ODD], resources: [pods]") ==
        "operations[0]: Unsupported value: \"ODD\": supported values: \"*\", \"CONNECT\", "
        "\"CREATE\", \"DELETE\", \"UPDATE\""
    );
    CHECK(
        rule(created + "resources: ['*', pods]") ==
        "resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other "
        "resources without subresources"
    );
    CHECK(
        rule(created + "resources: [pods/*, pods/status]") ==
        "resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify "
        "pods/status"
    );
    CHECK(
        rule(created + "resources: [pods], scope: Odd") ==
        "scope: Unsupported value: \"Odd\": supported values: \"*\", \"Cluster\", \"Namespaced\""
    );
}

}  // namespace sluice::test
