#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

// What LocalQueues have consumed, as their status shows it (KEP-4136).
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const ObjectKey kQueue{kind_of<api::LocalQueue>(), "team", "main"};

std::string status(const MiniCluster& cluster, std::string_view field) {
    return cluster.at(kQueue, {"status", "fairSharing", "admissionFairSharingStatus", field});
}

engine::Options make_options() {
    engine::Options options;
    options.admission_fair_sharing = true;
    options.usage_half_life = 1h;
    options.usage_sampling_interval = 5min;
    return options;
}

Settings make_settings() {
    Settings settings;
    settings.admission_fair_sharing = config::AdmissionFairSharing{
        .usage_half_life_time = 1h, .usage_sampling_interval = 5min, .resource_weights = {}
    };
    return settings;
}

}  // namespace

TEST_CASE("the status says what was consumed, once an interval", "[controller][afs]") {
    MiniCluster cluster(1, make_options(), make_settings());
    make_queues(cluster);
    cluster.settle();
    const std::string first = status(cluster, "lastUpdate");
    CHECK_FALSE(first.empty());
    cluster.put(job("a", 4));
    cluster.settle();
    cluster.clock.advance(4min);
    cluster.settle();
    CHECK(status(cluster, "lastUpdate") == first);
    cluster.clock.advance(61s);
    cluster.settle();
    CHECK(status(cluster, "lastUpdate") != first);
    const std::string consumed = status(cluster, "consumedResources");
    CHECK(consumed.find(R"("cpu":")") != std::string::npos);
    CHECK(consumed != R"({"cpu":"0"})");
}

TEST_CASE("what was consumed outlives a restart", "[controller][afs]") {
    MiniCluster cluster(1, make_options(), make_settings());
    make_queues(cluster);
    cluster.put(job("a", 4));
    cluster.settle();
    cluster.clock.advance(30min);
    cluster.settle();
    complete(cluster, "a");
    cluster.settle();
    const std::string before = status(cluster, "consumedResources");
    REQUIRE(before.find(R"("cpu":")") != std::string::npos);
    cluster.restart();
    cluster.settle();
    const auto& state = cluster.controller().state;
    const auto index = state.find_local_queue("team/main");
    REQUIRE(index.is_valid());
    CHECK_FALSE(state.local_queue(index).ledger.consumed().empty());
    CHECK(status(cluster, "consumedResources") == before);
}

TEST_CASE("without the setting the status says nothing of it", "[controller][afs]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("a", 4));
    cluster.settle();
    CHECK(cluster.at(kQueue, {"status", "fairSharing"}).empty());
}

}  // namespace sluice::controller
