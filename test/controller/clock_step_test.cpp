#include "api/meta/codec.hpp"
#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

// The wall clock is set while things wait: delays stay as long as they are, and the times that the
// API shows hold on the clock as it is set.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

std::string workload(const std::string& name, int cpu) {
    return "{'kind':'Workload','metadata':{'name':'" + name +
           "','namespace':'team'},'spec':{'queueName':'main','active':true,'podSets':[{'name':"
           "'main','count':1,'template':{'spec':{'containers':[{'name':'c','image':'i',"
           "'resources':{'requests':{'cpu':'" +
           std::to_string(cpu) + "'}}}]}}}]}}";
}

ObjectKey key_of(const std::string& name) {
    return {kind_of<api::Workload>(), "team", name};
}

bool is_admitted(const MiniCluster& cluster, const std::string& name) {
    return cluster.condition("team", name, "Admitted") == "True/Admitted";
}

engine::Options batching() {
    engine::Options options;
    options.wake_batch = 1s;
    return options;
}

/// So much time passes, and what is due in it happens.
void pass(MiniCluster& cluster, Duration length) {
    const Instant end = cluster.clock.instant() + length;
    cluster.settle(length);
    cluster.clock.advance(end - cluster.clock.instant());
    cluster.settle(0s);
}

/// A Workload that may be admitted again in so long.
void put_delayed(MiniCluster& cluster, Duration delay, int cpu) {
    std::string text = workload("delayed", cpu);
    text.insert(
        1,
        "'status':{'requeueState':{'count':1,'requeueAt':'" +
            api::to_value(cluster.clock.now() + delay).as_string() + "'}},"
    );
    cluster.put(text);
    cluster.settle();
    REQUIRE_FALSE(is_admitted(cluster, "delayed"));
}

}  // namespace

TEST_CASE("quota that comes free is given away on time", "[controller][clock]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    MiniCluster cluster(1, batching());
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("first", 4));
    cluster.settle();
    REQUIRE(is_admitted(cluster, "first"));
    cluster.put(workload("second", 4));
    cluster.settle();
    REQUIRE_FALSE(is_admitted(cluster, "second"));
    cluster.remove(key_of("first"));
    cluster.settle(0s);
    cluster.clock.step_wall(step);
    pass(cluster, 900ms);
    CHECK_FALSE(is_admitted(cluster, "second"));
    pass(cluster, 200ms);
    CHECK(is_admitted(cluster, "second"));
}

TEST_CASE("an admission that was refused is tried again on time", "[controller][clock]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    int attempts = 0;
    cluster.fault = [&attempts](const Write& write) -> std::optional<Error> {
        const bool admits = write.body.find_path({"status", "admission"}) != nullptr;
        return write.object == key_of("w") && admits && ++attempts == 1
                   ? std::optional(Error{ErrorCode::Forbidden, "no", {}})
                   : std::nullopt;
    };
    cluster.put(workload("w", 1));
    cluster.settle(0s);
    REQUIRE(attempts == 1);
    cluster.clock.step_wall(step);
    pass(cluster, 800ms);
    CHECK(attempts == 1);
    pass(cluster, 300ms);
    CHECK(attempts == 2);
    CHECK(is_admitted(cluster, "w"));
}

TEST_CASE("a reason that could not be written is written on time", "[controller][clock]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    int attempts = 0;
    cluster.fault = [&attempts](const Write& write) -> std::optional<Error> {
        return write.object == key_of("big") && ++attempts == 1
                   ? std::optional(Error{ErrorCode::Unavailable, "reset", {}})
                   : std::nullopt;
    };
    cluster.put(workload("big", 9));
    cluster.settle(0s);
    REQUIRE(attempts == 1);
    cluster.clock.step_wall(step);
    pass(cluster, 800ms);
    CHECK(attempts == 1);
    pass(cluster, 300ms);
    CHECK(cluster.condition("team", "big", "QuotaReserved") == "False/ExceedsMaxQuota");
}

TEST_CASE("a time in the API that the clock jumps over has come", "[controller][clock]") {
    MiniCluster cluster;
    make_queues(cluster);
    SECTION("for the scheduler") {
        put_delayed(cluster, 30min, 1);
        cluster.clock.step_wall(1h);
        pass(cluster, 61s);
        CHECK(is_admitted(cluster, "delayed"));
    }
    SECTION("for the reconciler, which takes it away") {
        put_delayed(cluster, 30min, 9);
        REQUIRE_FALSE(cluster.at(key_of("delayed"), {"status", "requeueState", "requeueAt"}).empty()
        );
        cluster.clock.step_wall(1h);
        pass(cluster, 61s);
        CHECK(cluster.at(key_of("delayed"), {"status", "requeueState", "requeueAt"}).empty());
    }
}

TEST_CASE(
    "a time in the API that moves away with the clock is waited for without spinning",
    "[controller][clock]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    put_delayed(cluster, 30s, 1);
    const auto reconciles = [&cluster] {
        return cluster.controller().runner.work().at("workload_controller").taken;
    };
    const auto before = reconciles();
    cluster.clock.step_wall(-1h);
    pass(cluster, 50min);
    CHECK_FALSE(is_admitted(cluster, "delayed"));
    CHECK(reconciles() <= before + 3);
    pass(cluster, 11min);
    CHECK(is_admitted(cluster, "delayed"));
}

}  // namespace sluice::controller
