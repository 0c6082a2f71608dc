#include "job_kinds/schema.hpp"

#include "document.hpp"
#include "job_kinds/builtin.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

namespace sluice::job_kinds {

namespace {

std::string unknown(
    std::string_view description,
    std::string_view schema,
    PodSetSource pod_sets = PodSetSource::Object
) {
    return fmt::format(
        "{}",
        fmt::join(
            find_unknown_paths(test::describe(description), pod_sets, test::document(schema)), " "
        )
    );
}

constexpr char kTraining[] = R"(
apiVersion: example.com/v1
kind: Training
suspend: {path: spec.suspend}
podSets:
- at: spec.groups[*]
  nameFrom: name
  replicas: {min: [size, {path: most, default: 2}]}
  template: pod
- at: "spec.roles['Main']"
  name: main
  template: pod
active: {sum: "status.groups[*].active", above: 0}
ready: {count: "status.groups[*].ready", atLeast: status.wanted}
finished: {succeeded: {condition: Done}, failed: {path: status.failure}, message: status.text}
)";

constexpr char kSchema[] = R"(
type: object
properties:
  metadata: {allOf: [{$ref: '#/components/schemas/meta'}]}
  spec:
    type: object
    properties:
      suspend: {type: boolean}
      groups:
        type: array
        items:
          type: object
          properties:
            name: {type: string}
            size: {type: integer}
            most: {type: integer}
            pod: {type: object, x-kubernetes-preserve-unknown-fields: true}
      roles:
        type: object
        additionalProperties: {type: object, properties: {pod: {type: object}}}
  status:
    type: object
    properties:
      groups:
        type: array
        items: {type: object, properties: {active: {type: integer}, ready: {type: boolean}}}
      wanted: {type: integer}
      failure: {type: string}
      text: {type: string}
)";

/// The schema without a member that stands in a line of its own.
std::string without(std::string_view line) {
    std::string text = kSchema;
    text.erase(text.find(line), line.size());
    return text;
}

}  // namespace

TEST_CASE("a definition that has all fields of a description has no fault", "[job-kinds]") {
    CHECK(unknown(kTraining, kSchema).empty());
    CHECK(unknown(kTraining, "{type: object, x-kubernetes-preserve-unknown-fields: true}").empty());
    CHECK(unknown(kTraining, "{$ref: elsewhere}").empty());
}

TEST_CASE("fields that a definition lacks are named", "[job-kinds]") {
    CHECK(unknown(kTraining, without("      suspend: {type: boolean}\n")) == "spec.suspend");
    CHECK(
        unknown(kTraining, without("            most: {type: integer}\n")) == "spec.groups[*].most"
    );
    CHECK(unknown(kTraining, without("      wanted: {type: integer}\n")) == "status.wanted");
    CHECK(unknown(kTraining, without(", ready: {type: boolean}")) == "status.groups[*].ready");
    CHECK(unknown(kTraining, without("      text: {type: string}\n")) == "status.text");
    CHECK(
        unknown(
            kTraining,
            "{type: object, properties: {spec: {type: object, properties: {suspend: "
            "{type: boolean}}}, status: {type: object, "
            "x-kubernetes-preserve-unknown-fields: true}}}"
        ) ==
        "spec.groups[*] spec.groups[*].name spec.groups[*].size spec.groups[*].most "
        "spec.groups[*].pod spec.roles[Main] spec.roles[Main].pod"
    );
}

TEST_CASE("what is made of an object is not looked for in its definition", "[job-kinds]") {
    const std::string schema = without("            most: {type: integer}\n");
    CHECK(unknown(kTraining, schema, PodSetSource::Derived).empty());
    CHECK(
        unknown(kTraining, without("      suspend: {type: boolean}\n"), PodSetSource::Derived) ==
        "spec.suspend"
    );
}

TEST_CASE("the schema of a kind is found by its group, version and kind", "[job-kinds]") {
    const json::Value open_api = test::document(
        "{components: {schemas: {other: {type: object}, com.example.v1.Training: {description: "
        "it, x-kubernetes-group-version-kind: [{group: example.com, kind: Training, version: "
        "v1}]}}}}"
    );
    const Description training = test::describe(kTraining);
    REQUIRE(find_schema(open_api, training) != nullptr);
    CHECK(find_schema(open_api, training)->string_at("description") == "it");
    Description other = training;
    other.version = "v2";
    CHECK(find_schema(open_api, other) == nullptr);
    CHECK(find_schema(test::document("{}"), training) == nullptr);
}

}  // namespace sluice::job_kinds
