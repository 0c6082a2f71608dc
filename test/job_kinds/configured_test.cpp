#include "job_kinds/configured.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::job_kinds {

TEST_CASE("the described kinds of a configuration are those it lists and its own", "[job-kinds]") {
    config::Integrations integrations;
    integrations.frameworks = {"batch/job", "jobset.x-k8s.io/jobset", "ray.io/rayjob"};
    integrations.job_kinds = {test::document(test::kSmallest)};
    config::Problems problems;
    const auto kinds = configured_kinds(integrations, problems);
    CHECK(problems.empty());
    REQUIRE(kinds.size() == 3);
    CHECK(kinds[0].description->kind == "JobSet");
    CHECK(kinds[1].description->kind == "RayJob");
    CHECK(kinds[2].description->kind == "Training");
    CHECK(kinds[0].is_builtin);
    CHECK(!kinds[2].is_builtin);
}

TEST_CASE("a configuration cannot describe a kind twice", "[job-kinds]") {
    const auto faults = [](const char* member, const char* value) {
        json::Value changed = test::document(test::kSmallest);
        changed.set(member, value);
        config::Integrations integrations;
        integrations.job_kinds = {test::document(test::kSmallest), changed};
        config::Problems problems;
        configured_kinds(integrations, problems);
        return config::to_string(problems.take());
    };
    CHECK(faults("framework", "other").starts_with("integrations.jobKinds[1].kind: Training of"));
    CHECK(faults("kind", "Other").empty());
    json::Value jobset = test::document(test::kSmallest);
    jobset.set("apiVersion", "jobset.x-k8s.io/v1");
    jobset.set("kind", "JobSet");
    config::Integrations integrations;
    integrations.job_kinds = {jobset};
    config::Problems problems;
    configured_kinds(integrations, problems);
    const std::string found = config::to_string(problems.take());
    CHECK(found.find("list it in integrations.frameworks") != std::string::npos);
    CHECK(found.find("is the name of another framework") != std::string::npos);
}

}  // namespace sluice::job_kinds
