#include "workload/translation/slices.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::workload {
namespace {

api::Workload slice(const std::string& name, const std::string& metadata) {
    return test::object<api::Workload>(
        "{metadata: {name: " + name + ", namespace: team, " + metadata + "}, spec: {podSets: []}}"
    );
}

api::Workload replacement(const std::string& more = "") {
    return slice(
        "new",
        "annotations: {kueue.x-k8s.io/workload-slice-replacement-for: team/old, "
        "kueue.x-k8s.io/elastic-job: 'true'}" +
            more
    );
}

constexpr const char* kElastic = "annotations: {kueue.x-k8s.io/elastic-job: 'true'}";
constexpr const char* kLabel = ", labels: {kueue.x-k8s.io/job-uid: a}";
constexpr const char* kOwner =
    ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a, uid: a, controller: true}]";

}  // namespace

TEST_CASE("slices replace each other within a job, or where no job has pods", "[workload]") {
    const std::string elastic = kElastic;
    CHECK(may_replace(replacement(), slice("old", elastic)));
    CHECK(may_replace(replacement(kOwner), slice("old", elastic + kOwner)));
    CHECK_FALSE(may_replace(replacement(), slice("old", elastic + kOwner)));
    CHECK_FALSE(may_replace(replacement(kOwner), slice("old", elastic)));
    // Its job is gone, while pods of it may run.
    CHECK_FALSE(may_replace(replacement(), slice("old", elastic + kLabel)));
    CHECK_FALSE(may_replace(replacement(kLabel), slice("old", elastic + kLabel)));
}

}  // namespace sluice::workload
