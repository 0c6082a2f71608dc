#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::test {

TEST_CASE("a definition's schema fills in, prunes and refuses", "[apiserver][schema]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const json::Value made = client.ask(
        "POST",
        kWidgets,
        "{metadata: {name: w}, spec: {size: 2, unknown: 1, anything: {deep: [1]},"
        " parts: [{name: a, other: x}]}}"
    );
    const json::Value& spec = *made.find("spec");
    CHECK(spec.string_at("color") == "red");
    CHECK(spec.find("unknown") == nullptr);
    CHECK(json::print(*spec.find("anything")) == R"({"deep":[1]})");
    CHECK(json::print_sorted(*spec.find("parts")) == R"([{"count":1,"name":"a"}])");
}

TEST_CASE("additionalProperties may be true or false", "[apiserver][schema]") {
    ServerClient client;
    const auto define = [&client](std::string_view schema) {
        return client.outcome(
            "POST",
            kDefinitions,
            fmt::format(
                "{{metadata: {{name: bags.example.com}}, spec: {{group: example.com, scope: "
                "Namespaced, names: {{plural: bags, kind: Bag}}, versions: [{{name: v1, served: "
                "true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: "
                "{{spec: {{type: object, {}}}}}}}}}}}]}}}}",
                schema
            )
        );
    };
    constexpr std::string_view kBags = "/apis/example.com/v1/namespaces/default/bags";
    constexpr std::string_view kBag =
        "{metadata: {name: b}, spec: {a: x, c: d, e: {f: 1}, l: [{g: 1}, 2]}}";
    // Any member may be there, but nothing is declared of what is in it.
    REQUIRE(define("properties: {a: {type: string}}, additionalProperties: true") == "201");
    const json::Value open = client.ask("POST", kBags, kBag);
    CHECK(json::print_sorted(*open.find("spec")) == R"({"a":"x","c":"d","e":{},"l":[{},2]})");
    client.ask("DELETE", fmt::format("{}/bags.example.com", kDefinitions));
    REQUIRE(define("additionalProperties: false") == "201");
    CHECK(
        client.outcome("POST", kBags, "{metadata: {name: b}, spec: {a: x}}") ==
        "422 Invalid: Bag.example.com \"b\" is invalid: spec: Invalid value: \"a\": spec.a in body "
        "is a forbidden property"
    );
    client.ask("DELETE", fmt::format("{}/bags.example.com", kDefinitions));
    constexpr std::string_view kExclusive =
        "spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: "
        "additionalProperties and properties are mutual exclusive";
    CHECK(
        define("properties: {a: {type: string}}, additionalProperties: false").find(kExclusive) !=
        std::string::npos
    );
    CHECK(
        define("properties: {a: {type: string}}, additionalProperties: {type: string}")
            .find(kExclusive) != std::string::npos
    );
}

TEST_CASE("what breaks a schema is told as the API server tells it", "[apiserver][schema]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    struct Row {
        const char* spec;
        const char* what;
    };
    const auto row = GENERATE(
        Row{"{}", "spec.size: Required value"},
        Row{"{size: 0}",
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"},
        Row{"{size: 10}",
            "spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9"},
        Row{"{size: x}",
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: "
            "\"string\""},
        Row{"{size: 1, color: green}",
            "spec.color: Unsupported value: \"green\": supported values: \"red\", \"blue\""},
        Row{"{size: 1, name: A}",
            "spec.name: Invalid value: \"A\": spec.name in body should match '^[a-z]+$'"},
        Row{"{size: 1, name: abcdef}", "spec.name: Too long: may not be more than 5 bytes"},
        Row{"{size: 1, tags: [a, a]}", "spec.tags[1]: Duplicate value: \"a\""},
        Row{"{size: 1, parts: [{name: a}, {name: a}]}",
            "spec.parts[1]: Duplicate value: {\"name\":\"a\"}"},
        Row{"{size: 1, parts: [{name: a}, {name: b}, {name: c}, {name: d}]}",
            "spec.parts: Too many: 4: must have at most 3 items"}
    );
    CAPTURE(row.spec);
    CHECK(
        client.outcome(
            "POST", kWidgets, fmt::format("{{metadata: {{name: w}}, spec: {}}}", row.spec)
        ) == fmt::format("422 Invalid: Widget.example.com \"w\" is invalid: {}", row.what)
    );
}

TEST_CASE("unknown fields are refused, told or passed over", "[apiserver][schema]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    constexpr std::string_view kObject = "{metadata: {name: w}, spec: {size: 1, colour: red}}";
    const std::string target(kWidgets);
    CHECK(
        client.outcome("POST", target + "?fieldValidation=Strict", kObject) ==
        "400 BadRequest: Widget in version \"v1\" cannot be handled as a Widget: strict decoding "
        "error: unknown field \"spec.colour\""
    );
    const auto warned = client.send("POST", target + "?fieldValidation=Warn", kObject);
    CHECK(warned.status == 201);
    CHECK(warned.warnings == std::vector<std::string>{"unknown field \"spec.colour\""});
}

TEST_CASE("a definition comes and goes with its objects", "[apiserver][schema]") {
    ServerClient client;
    CHECK(client.send("GET", kWidgets).status == 404);
    client.ask("POST", kDefinitions, kWidgetDefinition);
    client.ask("POST", kWidgets, "{metadata: {name: w}, spec: {size: 1}}");
    CHECK(client.send("GET", kWidgets).status == 200);
    const auto resources = client.ask("GET", "/apis/example.com/v1");
    CHECK(resources.find("resources")->as_array().size() == 3);
    CHECK(client.outcome("DELETE", std::string(kDefinitions) + "/widgets.example.com") == "200");
    CHECK(client.send("GET", kWidgets).status == 404);
}

TEST_CASE("a definition that cannot be served is refused", "[apiserver][schema]") {
    ServerClient client;
    CHECK(
        client.outcome(
            "POST",
            kDefinitions,
            "{metadata: {name: xs.y.io}, spec: {group: y.io, scope: Cluster,"
            " names: {plural: xs, kind: X}, versions: []}}"
        ) ==
        "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"xs.y.io\" is invalid: "
        "[spec.versions: Invalid value: []: must have exactly one version marked as storage "
        "version, status.storedVersions: Invalid value: null: must have at least one stored "
        "version]"
    );
    CHECK(
        client.outcome(
            "POST",
            kDefinitions,
            "{metadata: {name: xs.local}, spec: {group: local, scope: Some, names: {plural: xs, "
            "kind: X},"
            " versions: [{name: v1, served: true, storage: true}]}}"
        ) ==
        "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"xs.local\" is invalid: "
        "[spec.group: Invalid value: \"local\": should be a domain with at least one dot, "
        "spec.scope: Unsupported value: \"Some\": supported values: \"Cluster\", "
        "\"Namespaced\", spec.versions[0].schema.openAPIV3Schema: Required value]"
    );
}

TEST_CASE("kubectl get has the columns of the definition", "[apiserver][schema]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    client.ask("POST", kWidgets, "{metadata: {name: w}, spec: {size: 4}}");
    apiserver::Request request = apiserver::make_request("GET", kWidgets);
    request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const auto table = json::parse(client.server.handle(request, client.now).body);
    REQUIRE(table);
    CHECK(table->string_at("kind") == "Table");
    const json::Array& columns = table->find("columnDefinitions")->as_array();
    REQUIRE(columns.size() == 3);
    CHECK(columns[1].string_at("name") == "Size");
    const json::Value& row = table->find("rows")->as_array().front();
    CHECK(json::print(*row.find("cells")) == R"(["w",4,null])");
}

}  // namespace sluice::test
