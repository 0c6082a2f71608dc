#include "job_kinds/catalog.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::job_kinds {
namespace {

/// The smallest description, of another kind of the same group.
std::string text_of(const std::string& kind) {
    std::string text = test::kSmallest;
    text.replace(text.find("Training"), 8, kind);
    return text;
}

Sheet sheet(const std::string& name, int age, std::map<std::string, std::string> texts) {
    return {
        .name = name, .created = Time(std::chrono::hours(1000 - age)), .texts = std::move(texts)
    };
}

std::vector<std::string> kinds_in_force(const Catalog& catalog) {
    std::vector<std::string> kinds;
    for (const InForce& described : catalog.in_force()) {
        kinds.push_back(
            described.description->kind + " of " + described.sheet + "/" + described.key
        );
    }
    return kinds;
}

using Kinds = std::vector<std::string>;

}  // namespace

TEST_CASE("each key of a sheet describes a kind", "[job-kinds][catalog]") {
    Catalog catalog({}, {});
    catalog.set({sheet("a", 1, {{"one", text_of("One")}, {"two", text_of("Two")}})});
    CHECK(kinds_in_force(catalog) == Kinds{"One of a/one", "Two of a/two"});
    CHECK(catalog.refusals().empty());
    catalog.set({sheet("a", 1, {{"two", text_of("Two")}})});
    CHECK(kinds_in_force(catalog) == Kinds{"Two of a/two"});
}

TEST_CASE("a text that cannot be used is refused and disturbs no other", "[job-kinds][catalog]") {
    Catalog catalog({}, {});
    struct Case {
        const char* text;
        const char* why;
    };
    const std::vector<Case> cases = {
        {"", "line 1: "},
        {"just words", "it must be an object"},
        {"a: [", "line "},
        {"apiVersion: example.com/v1\nkind: Broken", "suspend: is required"},
    };
    for (const Case& one : cases) {
        INFO(one.text);
        catalog.set({sheet("a", 1, {{"bad", one.text}, {"good", text_of("Good")}})});
        CHECK(kinds_in_force(catalog) == Kinds{"Good of a/good"});
        REQUIRE(catalog.refusals().size() == 1);
        const Refusal& refusal = catalog.refusals().front();
        INFO(refusal.why);
        CHECK(refusal.sheet == "a");
        CHECK(refusal.key == "bad");
        CHECK_FALSE(refusal.is_duplicate);
        CHECK(refusal.why.find(one.why) != std::string::npos);
    }
}

TEST_CASE("the last usable text of a key stays in force", "[job-kinds][catalog]") {
    Catalog catalog({}, {});
    catalog.set({sheet("a", 1, {{"one", text_of("One")}})});
    const auto before = catalog.in_force().front().description;
    catalog.set({sheet("a", 1, {{"one", "kind: One"}})});
    REQUIRE(catalog.in_force().size() == 1);
    CHECK(catalog.in_force().front().description == before);
    CHECK(catalog.refusals().size() == 1);
    SECTION("until the key is gone") {
        catalog.set({sheet("a", 1, {})});
        catalog.set({sheet("a", 1, {{"one", "kind: One"}})});
        CHECK(catalog.in_force().empty());
    }
    SECTION("or usable again") {
        catalog.set({sheet("a", 1, {{"one", text_of("Other")}})});
        CHECK(kinds_in_force(catalog) == Kinds{"Other of a/one"});
        CHECK(catalog.refusals().empty());
    }
}

TEST_CASE("of a kind that is described twice the oldest sheet wins", "[job-kinds][catalog]") {
    Catalog catalog({}, {});
    const auto two = [](int age_of_a, int age_of_b) {
        return std::vector<Sheet>{
            sheet("a", age_of_a, {{"x", text_of("One")}}),
            sheet("b", age_of_b, {{"y", text_of("One")}})
        };
    };
    catalog.set(two(1, 2));
    CHECK(kinds_in_force(catalog) == Kinds{"One of b/y"});
    REQUIRE(catalog.refusals().size() == 2);  // its kind, and its framework
    CHECK(catalog.refusals()[0].is_duplicate);
    CHECK(catalog.refusals()[0].sheet == "a");
    CHECK(
        catalog.refusals()[0].why ==
        "kind: One of example.com is described already by ConfigMap b, key y"
    );
    catalog.set(two(1, 1));
    CHECK(kinds_in_force(catalog) == Kinds{"One of a/x"});
    SECTION("and when that goes, the other takes its place") {
        catalog.set({sheet("b", 1, {{"y", text_of("One")}})});
        CHECK(kinds_in_force(catalog) == Kinds{"One of b/y"});
        CHECK(catalog.refusals().empty());
    }
}

TEST_CASE("what the configuration describes is not described anew", "[job-kinds][catalog]") {
    config::Integrations integrations;
    integrations.job_kinds = {test::document(test::kSmallest)};
    config::Problems problems;
    Catalog catalog(configured_kinds(integrations, problems), {"Foreign.example.com"});
    REQUIRE(problems.empty());
    catalog.set({sheet("a", 1, {{"mine", text_of("Training")}, {"theirs", text_of("Foreign")}})});
    CHECK(catalog.in_force().empty());
    REQUIRE(catalog.refusals().size() == 3);
    CHECK(catalog.refusals()[0].why.find("described already by integrations.jobKinds") > 0);
    CHECK(
        catalog.refusals()[2].why ==
        "kind: Foreign.example.com is named in integrations.externalFrameworks"
    );
    CHECK(std::ranges::all_of(catalog.refusals(), &Refusal::is_duplicate));
}

TEST_CASE("a description may not take what Sluice follows by itself", "[job-kinds][catalog]") {
    Catalog catalog({}, {});
    for (const char* head :
         {"apiVersion: batch/v1\nkind: Job",
          "apiVersion: v1\nkind: Pod",
          "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload",
          "apiVersion: jobset.x-k8s.io/v1\nkind: JobSet",
          "apiVersion: batch/v1\nkind: Other\nresource: jobs",
          "apiVersion: jobset.x-k8s.io/v1\nkind: Other\nresource: jobsets"}) {
        CAPTURE(head);
        std::string text = test::kSmallest;
        text.replace(0, text.find("suspend"), std::string(head) + "\n");
        catalog.set({sheet("a", 1, {{"k", text}})});
        CHECK(catalog.in_force().empty());
        REQUIRE_FALSE(catalog.refusals().empty());
        CHECK_FALSE(catalog.refusals().front().is_duplicate);
    }
}

}  // namespace sluice::job_kinds
