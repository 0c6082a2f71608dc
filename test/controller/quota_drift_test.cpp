#include "controller/reconcilers/quota_drift.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using engine::Amount;
using State = QuotaDrift::State;

const ObjectKey kQueue{kind_of<api::ClusterQueue>(), "", "q"};
const ObjectKey kCohort{kind_of<api::Cohort>(), "", "q"};

workload::CapacityReport excess(std::int64_t usable, bool is_cohort = false) {
    workload::CapacityReport made;
    made.excesses.push_back({
        .is_cohort = is_cohort,
        .name = "q",
        .flavor = "a100",
        .resource = "nvidia.com/gpu",
        .quota = Amount(100),
        .usable = Amount(usable),
    });
    return made;
}

}  // namespace

TEST_CASE("a queue with more quota than nodes is reported after ten minutes", "[quota_drift]") {
    QuotaDrifts drifts;
    const Time start{1h};
    CHECK(drifts.drift(kQueue).state == State::Unknown);
    CHECK(drifts.observe(excess(52), start) == std::vector<ObjectKey>{});
    CHECK(drifts.drift(kQueue).state == State::Unknown);
    CHECK(drifts.observe(excess(52), start + 599s).empty());
    CHECK(drifts.observe(excess(52), start + 600s) == std::vector{kQueue});
    CHECK(drifts.drift(kQueue).state == State::Exceeds);
    CHECK(
        drifts.drift(kQueue).message ==
        "nvidia.com/gpu: quota 100, but the nodes of flavor a100 can give 52"
    );
    CHECK(drifts.drift(kCohort).state == State::Within);
    CHECK(drifts.observe(excess(52), start + 601s).empty());
    CHECK(drifts.observe({}, start + 602s) == std::vector{kQueue});
    CHECK(drifts.drift(kQueue).state == State::Within);
}

TEST_CASE("nodes that are away for a moment are no drift", "[quota_drift]") {
    QuotaDrifts drifts;
    const Time start{1h};
    for (int minute = 0; minute < 60; minute += 9) {
        CHECK(drifts.observe(excess(0), start + minute * 60s).empty() == (minute == 0));
        CHECK(drifts.drift(kQueue).state == State::Unknown);
        drifts.observe({}, start + minute * 60s + 30s);
        CHECK(drifts.drift(kQueue).state == State::Within);
    }
}

TEST_CASE("two percent are no drift, and move no report", "[quota_drift]") {
    QuotaDrifts drifts;
    const Time start{1h};
    drifts.observe(excess(98), start);
    drifts.observe(excess(98), start + 20min);
    CHECK(drifts.drift(kQueue).state == State::Within);
    drifts.observe(excess(90, true), start);
    CHECK(drifts.observe(excess(90, true), start + 10min) == std::vector{kCohort});
    CHECK(drifts.observe(excess(91, true), start + 11min).empty());
    CHECK(drifts.observe(excess(93, true), start + 12min) == std::vector{kCohort});
    CHECK(drifts.drift(kCohort).message.ends_with("can give 93"));
    auto other_quota = excess(93, true);
    other_quota.excesses.front().quota = Amount(400);
    CHECK(drifts.observe(other_quota, start + 13min) == std::vector{kCohort});
    CHECK(drifts.drift(kCohort).message.starts_with("nvidia.com/gpu: quota 400,"));
}

}  // namespace sluice::controller
