#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

// A ClusterQueue that is deleted while an admission into it is on its way.
namespace sluice::controller {
namespace {

const ObjectKey kQueue{kind_of<api::ClusterQueue>(), "", "cq"};

/// A Job whose admission was decided and is not written yet.
void bring_admission_on_its_way(MiniCluster& cluster) {
    make_queues(cluster);
    cluster.settle();
    REQUIRE(cluster.at(kQueue, {"metadata", "finalizers"}).find("in-use") != std::string::npos);
    cluster.put(job("sample", 2));
    const engine::State& state = cluster.controller().state;
    const auto holders = [&] {
        return state.cluster_queue(state.find_cluster_queue("cq")).holders.size();
    };
    for (int i = 0; i < 100 && holders() == 0; ++i) {
        cluster.tick();
    }
    REQUIRE(holders() == 1);
    REQUIRE(
        cluster.condition("team", workload_key(cluster, "sample").name, "QuotaReserved") !=
        "True/QuotaReserved"
    );
}

/// The queue is reconciled while the write of the admission is still unanswered.
void remove_queue_meanwhile(MiniCluster& cluster) {
    cluster.remove(kQueue);
    while (cluster.deliver_next()) {
    }
    cluster.controller().runner.step();
}

}  // namespace

TEST_CASE("a deleted queue stays while an admission into it is on its way", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    bring_admission_on_its_way(cluster);
    remove_queue_meanwhile(cluster);
    cluster.put(job("late", 1));
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    CHECK_FALSE(is_running(cluster, "late"));
    REQUIRE(cluster.find(kQueue) != nullptr);
    CHECK(cluster.at(kQueue, {"status", "conditions"}).find("Terminating") != std::string::npos);
    CHECK(cluster.at(kQueue, {"status", "admittedWorkloads"}) == "1");
    complete(cluster, "sample");
    cluster.settle();
    CHECK(cluster.find(kQueue) == nullptr);
    CHECK_FALSE(is_running(cluster, "late"));
}

TEST_CASE("a deleted queue goes when the last admission into it is refused", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    bring_admission_on_its_way(cluster);
    cluster.fault = [](const Write& write) -> std::optional<Error> {
        return write.field_manager == "kueue-admission" &&
                       write.body.find_path({"status", "admission"}) != nullptr
                   ? std::optional(Error{ErrorCode::Invalid, "refused", {}})
                   : std::nullopt;
    };
    remove_queue_meanwhile(cluster);
    REQUIRE(cluster.find(kQueue) != nullptr);
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.find(kQueue) == nullptr);
}

}  // namespace sluice::controller
