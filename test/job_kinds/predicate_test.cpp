#include "job_kinds/predicate.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::job_kinds {
namespace {

/// The predicate as a description spells it.
Predicate ask(const std::string& flow) {
    json::Value description = test::document(test::kSmallest);
    description.set("active", test::document(flow));
    config::Problems problems;
    auto made = read_description(description, "", problems);
    REQUIRE(config::to_string(problems.take()).empty());
    return made.active;
}

bool holds(const std::string& flow, const json::Value& object) {
    return ask(flow).holds(object);
}

}  // namespace

TEST_CASE("a value is asked for, or one of several", "[job-kinds]") {
    const json::Value object = test::document("status: {phase: Running, empty: '', number: 3}");
    CHECK(holds("{path: status.phase}", object));
    CHECK(!holds("{path: status.none}", object));
    CHECK(holds("{path: status.phase, in: [Pending, Running]}", object));
    CHECK(!holds("{path: status.phase, in: [Pending]}", object));
    CHECK(holds("{path: status.empty, in: ['']}", object));
    CHECK(holds("{path: status.number, in: [3]}", object));
    CHECK(holds("{not: {path: status.none}}", object));
    CHECK(!holds("{all: [{path: status.phase}, {path: status.none}]}", object));
    CHECK(holds("[{path: status.none}, {path: status.phase}]", object));
}

TEST_CASE("a condition has a status", "[job-kinds]") {
    const json::Value object = test::document(R"(
status:
  conditions:
  - {type: Ready, status: "True"}
  - {type: Failed, status: "False"}
  - nonsense
)");
    CHECK(holds("{condition: Ready}", object));
    CHECK(!holds("{condition: Failed}", object));
    CHECK(holds("{condition: Failed, status: 'False'}", object));
    CHECK(!holds("{condition: Other}", object));
    CHECK(!holds("{condition: Ready}", test::document("status: {conditions: x}")));
}

TEST_CASE("sums and counts are compared", "[job-kinds]") {
    const json::Value object = test::document(R"(
spec: {jobs: [{replicas: 2}, {replicas: 1}]}
status: {jobs: [{ready: 1, done: 1}, {ready: 1, done: 0}], pods: {a: RUNNING, b: FAILED}}
)");
    CHECK(holds(
        R"({sum: ["status.jobs[*].ready", "status.jobs[*].done"], equals: "spec.jobs[*].replicas"})",
        object
    ));
    CHECK(!holds(R"({sum: "status.jobs[*].ready", equals: "spec.jobs[*].replicas"})", object));
    CHECK(holds(R"({sum: "status.jobs[*].ready", above: 1})", object));
    CHECK(!holds(R"({sum: "status.jobs[*].ready", above: 2})", object));
    CHECK(holds(R"({sum: "status.jobs[*].ready", atLeast: 2})", object));
    CHECK(holds(R"({count: "status.pods[*]", in: [RUNNING], equals: 1})", object));
    CHECK(!holds(R"({count: "status.pods[*]", in: [RUNNING], above: 1})", object));
}

TEST_CASE("the first true condition of several is found by its place", "[job-kinds]") {
    const json::Value object = test::document(R"(
status:
  conditions:
  - {type: A, status: "False"}
  - {type: B, status: "True"}
  - {type: C, status: "True"}
)");
    CHECK(first_true_condition(ask("{condition: C}"), object) == 2);
    CHECK(first_true_condition(ask("[{condition: C}, {condition: B}]"), object) == 1);
    CHECK(!first_true_condition(ask("{condition: A}"), object));
    CHECK(!first_true_condition(ask("[{condition: B}, {path: status}]"), object));
}

}  // namespace sluice::job_kinds
