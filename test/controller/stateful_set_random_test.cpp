#include "base/prng.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "controller/serving_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <chrono>
#include <string>

// A StatefulSet whose size, queue and controller change at random.
namespace sluice::controller {
namespace {

constexpr int kPodsMax = 4;
constexpr int kSteps = 150;

std::string pod_name(int ordinal) {
    return "web-" + std::to_string(ordinal);
}

bool is_running(const MiniCluster& cluster, int ordinal) {
    return cluster.at(pod_key(pod_name(ordinal)), {"status", "phase"}) == "Running";
}

int count_running(const MiniCluster& cluster) {
    int running = 0;
    for (int i = 0; i < kPodsMax; ++i) {
        running += is_running(cluster, i) ? 1 : 0;
    }
    return running;
}

/// What the StatefulSet controller, the scheduler and kubelet do at once: pods come in their order,
/// each when the one before it runs.
void play_own_controller(MiniCluster& cluster, int replicas) {
    for (int i = kPodsMax - 1; i >= replicas; --i) {
        if (is_there(cluster, pod_key(pod_name(i)))) {
            delete_pod(cluster, pod_name(i));
        }
    }
    for (int i = 0; i < replicas; ++i) {
        if (!is_there(cluster, pod_key(pod_name(i)))) {
            put_pod_of_set(cluster, "web", i);
            return;
        }
        if (!is_running(cluster, i)) {
            if (is_pod_gated(cluster, pod_name(i))) {
                return;
            }
            run_pod(cluster, pod_name(i));
        }
    }
}

void set_stop_policy(MiniCluster& cluster, std::string_view policy) {
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'stopPolicy':'" + std::string(policy) + "'}}"
    );
}

void scale(MiniCluster& cluster, int replicas) {
    cluster.merge(
        stateful_set_key("web"), "{'spec':{'replicas':" + std::to_string(replicas) + "}}"
    );
}

/// Nothing is under way: what runs has quota.
void check_at_rest(const MiniCluster& cluster) {
    const ObjectKey key = workload_of_set(cluster, "web");
    const int running = count_running(cluster);
    if (!is_there(cluster, key)) {
        CHECK(running == 0);
        return;
    }
    CHECK(cluster.condition("team", key.name, "Finished").empty());
    if (cluster.condition("team", key.name, "QuotaReserved") != "True/QuotaReserved") {
        CHECK(running == 0);
        return;
    }
    const json::Value& pod_set =
        cluster.find(key)->find_path({"spec", "podSets"})->as_array().front();
    CHECK(running <= pod_set.find("count")->as_int());
}

}  // namespace

TEST_CASE("whatever happens to a StatefulSet, only what has quota runs", "[controller]") {
    const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 25));
    CAPTURE(seed);
    Prng prng(seed);
    MiniCluster cluster(seed);
    start_serving(cluster);
    put_stateful_set(cluster, "web", 2);
    int replicas = 2;
    cluster.fault = [&prng](const Write&) -> std::optional<Error> {
        return prng.chance(10) ? std::optional(Error{ErrorCode::Unavailable, "down", {}})
                               : std::nullopt;
    };
    for (int i = 0; i < kSteps; ++i) {
        const auto choice = prng.below(100);
        if (choice < 60) {
            play_own_controller(cluster, replicas);
        } else if (choice < 70) {
            replicas = static_cast<int>(prng.below(kPodsMax + 1));
            scale(cluster, replicas);
        } else if (choice < 75) {
            set_stop_policy(cluster, prng.chance(50) ? "HoldAndDrain" : "None");
        } else if (choice < 80) {
            cluster.restart();
        } else if (choice < 85) {
            cluster.clock.advance(std::chrono::seconds(prng.between(1, 20)));
        } else if (choice < 90) {
            cluster.settle(std::chrono::minutes(5));
            check_at_rest(cluster);
        }
        for (auto left = prng.below(20); left > 0 && cluster.tick(); --left) {
        }
    }
    cluster.fault = {};
    set_stop_policy(cluster, "None");
    scale(cluster, 0);
    for (int i = 0; i < kPodsMax; ++i) {
        play_own_controller(cluster, 0);
        cluster.settle(std::chrono::minutes(5));
    }
    CHECK(count_running(cluster) == 0);
    scale(cluster, 3);
    for (int i = 0; i < 10; ++i) {
        play_own_controller(cluster, 3);
        cluster.settle(std::chrono::minutes(5));
    }
    CHECK(count_running(cluster) == 3);
    CHECK(cluster.findings.empty());
}

}  // namespace sluice::controller
