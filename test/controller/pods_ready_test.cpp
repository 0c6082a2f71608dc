#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

// waitForPodsReady (KEP-349, KEP-1282) and retention (KEP-1618).
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

Settings with_pods_ready(config::WaitForPodsReady policy = {}) {
    Settings settings;
    policy.timeout = 10min;
    policy.recovery_timeout = 5min;
    settings.wait_for_pods_ready = policy;
    return settings;
}

struct Fixture {
    MiniCluster cluster;

    explicit Fixture(Settings settings, engine::Options options = {})
        : cluster(1, options, std::move(settings)) {
        make_queues(cluster);
    }
    void set_ready(std::string_view name, int count) {
        cluster.merge(
            job_key(name),
            "{'status':{'active':1,'ready':" + std::to_string(count) +
                ",'startTime':'2020-01-01T00:00:00Z'}}"
        );
        cluster.settle();
    }
    void end_pods(std::string_view name) {
        cluster.merge(job_key(name), "{'status':{'active':0,'ready':0}}");
        cluster.settle();
    }
    std::string condition(std::string_view name, std::string_view type) const {
        return cluster.condition("team", cluster.workload_of("team", name), type);
    }
    std::string requeue_count(std::string_view name) const {
        return cluster.at(workload_key(cluster, name), {"status", "requeueState", "count"});
    }
    std::string requeue_at(std::string_view name) const {
        return cluster.at(workload_key(cluster, name), {"status", "requeueState", "requeueAt"});
    }
    void pass(Duration time) {
        cluster.clock.advance(time);
        cluster.settle();
    }
};

}  // namespace

TEST_CASE("PodsReady follows the pods of an admitted job", "[controller][podsready]") {
    Fixture f(with_pods_ready());
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    CHECK(f.condition("a", "PodsReady") == "False/WaitForStart");
    f.set_ready("a", 1);
    CHECK(f.condition("a", "PodsReady") == "True/Started");
    f.set_ready("a", 0);
    CHECK(f.condition("a", "PodsReady") == "False/WaitForRecovery");
    f.set_ready("a", 1);
    CHECK(f.condition("a", "PodsReady") == "True/Recovered");
    f.set_ready("a", 0);
    CHECK(f.condition("a", "PodsReady") == "False/WaitForRecovery");
}

TEST_CASE("a job that has lost its quota is not ready, though its pods run", "[controller]") {
    Fixture f(with_pods_ready());
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 1);
    CHECK(f.condition("a", "PodsReady") == "True/Started");
    f.cluster.remove({kind_of<api::LocalQueue>(), "team", "main"});
    f.cluster.merge(
        workload_key(f.cluster, "a"),
        "{'status':{'admission':null,'conditions':["
        "{'type':'QuotaReserved','status':'False','reason':'Pending','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'},"
        "{'type':'Admitted','status':'False','reason':'NoReservation','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'},"
        "{'type':'PodsReady','status':'True','reason':'Started','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}}"
    );
    f.cluster.settle();
    CHECK_FALSE(is_running(f.cluster, "a"));
    CHECK(f.cluster.at(job_key("a"), {"status", "active"}) == "1");
    CHECK(f.condition("a", "PodsReady") == "False/WaitForStart");
}

TEST_CASE("what waits for quota has no ready pods", "[controller][podsready]") {
    Fixture f(with_pods_ready());
    f.cluster.put(job("a", 4));
    f.cluster.put(job("b", 4));
    f.cluster.settle();
    CHECK(f.condition("a", "PodsReady") == "False/WaitForStart");
    CHECK(f.condition("b", "PodsReady") == "False/WaitForStart");
}

TEST_CASE("what no scheduler looks at has no ready pods either", "[controller][podsready]") {
    Fixture f(with_pods_ready());
    f.cluster.remove({kind_of<api::LocalQueue>(), "team", "main"});
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    CHECK(f.condition("a", "PodsReady") == "False/WaitForStart");
}

TEST_CASE("without the setting no PodsReady is written", "[controller][podsready]") {
    Fixture f(Settings{});
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 1);
    CHECK(f.condition("a", "PodsReady") == "");
    f.pass(1h);
    CHECK(f.condition("a", "Evicted") == "");
}

TEST_CASE(
    "pods that are not ready in time end the admission for a while", "[controller][podsready]"
) {
    Fixture f(with_pods_ready());
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 0);
    f.pass(9min + 50s);
    CHECK(f.condition("a", "Evicted") == "");
    f.pass(10s);
    CHECK(f.condition("a", "Evicted") == "True/PodsReadyTimeout");
    CHECK(f.requeue_count("a") == "1");
    f.end_pods("a");
    CHECK(f.condition("a", "QuotaReserved") == "False/PendingEvaluation");
    CHECK(f.condition("a", "Requeued") == "False/PodsReadyTimeout");
    CHECK_FALSE(is_running(f.cluster, "a"));
    // A minute of backoff, then it is admitted again.
    f.pass(70s);
    CHECK(f.requeue_at("a") == "");
    CHECK(f.condition("a", "Requeued") == "True/BackoffFinished");
    CHECK(is_running(f.cluster, "a"));
    CHECK(f.condition("a", "PodsReady") == "False/WaitForStart");
}

TEST_CASE("a failed pod has its own time to recover", "[controller][podsready]") {
    Fixture f(with_pods_ready());
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 1);
    f.pass(1h);
    CHECK(f.condition("a", "Evicted") == "");
    f.set_ready("a", 0);
    f.pass(4min);
    CHECK(f.condition("a", "Evicted") == "");
    f.pass(1min + 1s);
    CHECK(f.condition("a", "Evicted") == "True/PodsReadyTimeout");
}

TEST_CASE("no time to recover means any time", "[controller][podsready]") {
    Settings settings = with_pods_ready();
    settings.wait_for_pods_ready->recovery_timeout = Duration::zero();
    Fixture f(settings);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 1);
    f.set_ready("a", 0);
    f.pass(24h);
    CHECK(f.condition("a", "Evicted") == "");
    CHECK(f.condition("a", "PodsReady") == "False/WaitForRecovery");
}

TEST_CASE("too many evictions deactivate the workload", "[controller][podsready]") {
    Settings settings = with_pods_ready();
    settings.wait_for_pods_ready->requeuing_strategy.backoff_limit_count = 1;
    Fixture f(settings);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 0);
    f.pass(10min + 1s);
    f.end_pods("a");
    f.pass(70s);
    REQUIRE(is_running(f.cluster, "a"));
    f.set_ready("a", 0);
    f.pass(10min + 1s);
    CHECK(f.condition("a", "Evicted") == "True/DeactivatedDueToRequeuingLimitExceeded");
    CHECK(f.cluster.at(workload_key(f.cluster, "a"), {"spec", "active"}) == "false");
    CHECK(f.requeue_count("a") == "");
    f.end_pods("a");
    CHECK(f.condition("a", "QuotaReserved").starts_with("False/"));
}

TEST_CASE("finished Workloads are deleted after the retention time", "[controller][retention]") {
    Settings settings;
    settings.retention.after_finished = 1h;
    Fixture f(settings);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    const ObjectKey workload = workload_key(f.cluster, "a");
    complete(f.cluster, "a");
    f.cluster.settle();
    f.pass(59min);
    CHECK(f.cluster.find(workload) != nullptr);
    f.pass(1min + 1s);
    CHECK(f.cluster.find(workload) == nullptr);
    CHECK(f.cluster.find(job_key("a")) != nullptr);
    CHECK(has_event(f.cluster, "Deleted", "Deleted finished workload due to elapsed retention"));
    // The Job has finished; it gets no other Workload.
    f.pass(1h);
    CHECK(f.cluster.workload_of("team", "a") == "");
}

TEST_CASE(
    "a job that Sluice deactivated is deleted after its retention", "[controller][retention]"
) {
    Settings settings = with_pods_ready();
    settings.wait_for_pods_ready->requeuing_strategy.backoff_limit_count = 0;
    settings.retention.after_deactivated_by_kueue = 1h;
    Fixture f(settings);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.set_ready("a", 0);
    f.pass(10min + 1s);
    REQUIRE(f.condition("a", "Evicted") == "True/DeactivatedDueToRequeuingLimitExceeded");
    f.end_pods("a");
    f.pass(50min);
    CHECK(f.cluster.find(job_key("a")) != nullptr);
    f.pass(10min + 1s);
    CHECK(f.cluster.find(job_key("a")) == nullptr);
    CHECK(has_event(f.cluster, "Deleted", "Deleted job: deactivation retention period expired"));
}

TEST_CASE("a job that its user deactivated stays", "[controller][retention]") {
    Settings settings;
    settings.retention.after_deactivated_by_kueue = 0s;
    Fixture f(settings);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.cluster.merge(workload_key(f.cluster, "a"), "{'spec':{'active':false}}");
    f.cluster.settle();
    REQUIRE(f.condition("a", "Evicted") == "True/Deactivated");
    f.pass(1h);
    CHECK(f.cluster.find(job_key("a")) != nullptr);
}

TEST_CASE("with blockAdmission one job starts at a time", "[controller][podsready]") {
    engine::Options options;
    options.block_admission_until_pods_ready = true;
    Fixture f(with_pods_ready(), options);
    f.cluster.put(job("a", 1));
    f.cluster.settle();
    f.cluster.put(job("b", 1));
    f.cluster.settle();
    REQUIRE(is_running(f.cluster, "a"));
    CHECK(f.condition("b", "QuotaReserved") == "False/WaitingForPodsReady");
    f.set_ready("a", 1);
    CHECK(is_running(f.cluster, "b"));
}

}  // namespace sluice::controller
