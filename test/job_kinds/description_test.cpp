#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sluice::job_kinds {
namespace {

/// The smallest description with this member in place of its own.
std::string faults_with(const char* member, const std::string& flow) {
    json::Value description = test::document(test::kSmallest);
    description.set(member, test::document(flow));
    return test::faults(description);
}

}  // namespace

TEST_CASE("ten lines describe a kind", "[job-kinds]") {
    const Description made = test::describe(test::kSmallest);
    CHECK(made.framework == "example.com/training");
    CHECK(made.group == "example.com");
    CHECK(made.version == "v1");
    CHECK(made.resource == "trainings");
    CHECK(made.suspension.suspended == json::Value(true));
    CHECK(made.suspension.running == json::Value(false));
    CHECK(!made.finished);
    CHECK(!made.ready);
    CHECK(made.may_be_prebuilt);
    CHECK(!made.may_have_slices);
}

TEST_CASE("a kind may be held by another value than true", "[job-kinds]") {
    json::Value description = test::document(test::kSmallest);
    description.set("suspend", test::document("{path: spec.status, suspended: Pending}"));
    config::Problems problems;
    const Description made = read_description(description, "", problems);
    CHECK(problems.empty());
    CHECK(made.suspension.suspended == json::Value("Pending"));
    CHECK(!made.suspension.running);
}

TEST_CASE("what a description must have is asked for", "[job-kinds]") {
    const std::string found = test::faults(json::Object{});
    for (const char* place : {"apiVersion: ", "kind: ", "suspend: ", "podSets: ", "active: "}) {
        INFO(place << " in " << found);
        CHECK(found.find(place) != std::string::npos);
    }
    CHECK(!test::faults("text").empty());
}

TEST_CASE(
    "a description that cannot work is refused with the place and the reason", "[job-kinds]"
) {
    struct Case {
        const char* member;
        const char* flow;
        const char* fault;
    };
    const std::vector<Case> cases = {
        {"apiVersion", "a/b/c", "apiVersion: \"a/b/c\" is not of the form group/version"},
        {"apiVersion", "example.com", "apiVersion: \"example.com\" is not of the form"},
        {"kind", "No Kind", "kind: \"No Kind\" is not a valid kind"},
        {"resource", "Jobs", "resource: \"Jobs\" is not a valid resource"},
        {"suspended", "{}", "suspended: unknown field; did you mean \"suspend\"?"},
        {"suspend", "{}", "suspend.path: is required"},
        {"suspend", "{path: 'spec.x[*]'}", "suspend.path: \"spec.x[*]\" may lead to several"},
        {"suspend", "{path: 'spec.x[0]'}", "suspend.path: must be a row of member names"},
        {"suspend", "{path: spec..x}", "suspend.path: \"spec..x\", character 6"},
        {"suspend", "{path: spec.x, suspended: 1, running: 1}", "suspend.running: is the value"},
        {"podSets", "[]", "podSets: is required"},
        {"podSets", "[{template: t}]", "podSets[0].name: needs either name or nameFrom"},
        {"podSets", "[{name: a, nameFrom: b, template: t}]", "podSets[0].name: needs either"},
        {"podSets", "[{name: A, template: t}]", "podSets[0].name: \"A\" is not a valid pod set name"
        },
        {"podSets", "[{name: a}]", "podSets[0].template: is required"},
        {"podSets", "[{name: a, at: 'x[*]', template: t}]", "podSets[0].name: would be the name"},
        {"podSets",
         "[{name: a, template: t}, {name: a, template: u}]",
         "podSets[1].name: \"a\" is there twice"},
        {"podSets",
         "[{name: a, template: t, replicas: {default: 1}}]",
         "podSets[0].replicas: needs path or min"},
        {"podSets",
         "[{name: a, template: t, replicas: {path: x, default: -1}}]",
         "podSets[0].replicas: may not be negative"},
        {"podSets",
         "[{name: a, template: t, replicas: 'x[*]'}]",
         "podSets[0].replicas: \"x[*]\" may lead to several numbers"},
        {"podSets",
         "[{name: a, template: t, replicas: {min: []}}]",
         "podSets[0].replicas.min: must be a list"},
        {"podSets",
         "[{name: a, template: t, replicas: 4294967297}]",
         "podSets[0].replicas: 4294967297 pods are too many"},
        {"suspend", "{path: s, final: [true]}", "suspend.final: has the value of an object"},
        {"active", "{}", "active: needs one of path, condition"},
        {"active", "[]", "active: must be a list"},
        {"active", "x", "active: must be an object"},
        {"active", "{path: x, in: []}", "active.in: must be a list of values"},
        {"active", "{sum: x}", "active: needs one of equals, atLeast, above"},
        {"active", "{sum: x, equals: 1, above: 0}", "active: needs one of equals"},
        {"active", "{all: x}", "active.all: must be a list"},
        {"active", "[{path: x}, {condition: C, sum: x}]", "active[1].sum: unknown field"},
        {"finished", "{succeeded: {condition: C}}", "finished.failed: is required"},
        {"reclaimable", "{name: n}", "reclaimable.succeededReplicas: needs either"},
    };
    for (const Case& one : cases) {
        INFO(one.member << ": " << one.flow);
        const std::string found = faults_with(one.member, one.flow);
        INFO(found);
        CHECK(found.find(one.fault) != std::string::npos);
    }
}

}  // namespace sluice::job_kinds
