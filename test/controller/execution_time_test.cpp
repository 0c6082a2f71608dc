#include "api/meta/codec.hpp"
#include "controller/known_stores.hpp"
#include "controller/reconcilers/workload.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

// spec.maximumExecutionTimeSeconds of Workloads.
namespace sluice::controller {

namespace {

constexpr Time kNow = Time(std::chrono::hours(24 * 365 * 50));

/// What is written for a Workload that was admitted long ago and may run for a minute.
std::string writes_for(std::string_view active, std::string_view more_conditions) {
    const auto workload = api::decode<api::Workload>(fmt::format(
        R"({{"metadata": {{"name": "w", "namespace": "team"}},
             "spec": {{"queueName": "main", "maximumExecutionTimeSeconds": 60, "active": {},
                       "podSets": [{{"name": "main", "count": 1, "template": {{"spec": {{
                           "containers": [{{"name": "c", "image": "i"}}]}}}}}}]}},
             "status": {{"conditions": [
                 {{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                   "lastTransitionTime": "2000-01-01T00:00:00Z"}},
                 {{"type": "Admitted", "status": "True", "reason": "Admitted",
                   "lastTransitionTime": "2000-01-01T00:00:00Z"}}{}]}}}})",
        active,
        more_conditions
    ));
    REQUIRE(workload);
    KnownStores stores;
    stores.of<api::Workload>().upsert(std::make_shared<const api::Workload>(*workload));
    const workload::Translator translator{workload::TranslationSettings{}};
    const Settings settings;
    const View view{stores, translator, settings, &stores.registry.job_kinds().all()};
    std::string texts;
    for (const Write& write : reconcile_workload(view, "team", "w", kNow).writes) {
        texts += json::print(write.body);
    }
    return texts;
}

}  // namespace

TEST_CASE("a workload that ran for too long is deactivated once", "[controller]") {
    constexpr std::string_view kReason = "MaximumExecutionTimeExceeded";
    CHECK(writes_for("true", "").find(kReason) != std::string::npos);
    // It stays admitted until its pods are gone.
    const std::string after =
        writes_for("false", R"(, {"type": "Evicted", "status": "True", "reason": "Deactivated"})");
    CHECK(after.find(kReason) == std::string::npos);
}

}  // namespace sluice::controller
