#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <string>

// A watch that shows what was written much later, or not at all: it costs time and nothing else.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

std::string workload(const std::string& name, const std::string& queue, int priority) {
    return "{'kind':'Workload','metadata':{'name':'" + name +
           "','namespace':'team'},'spec':{'queueName':'" + queue +
           "','active':true,'priority':" + std::to_string(priority) +
           ",'podSets':[{'name':'main','count':1,'template':{'spec':{'containers':[{'name':'c',"
           "'image':'i','resources':{'requests':{'cpu':'4'}}}]}}}]}}";
}

ObjectKey key_of(const std::string& name) {
    return {kind_of<api::Workload>(), "team", name};
}

/// Two queues into quota for one workload; from "vip" nothing is admitted so far.
void make_two_queues(MiniCluster& cluster) {
    make_queues(cluster);
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'vip','namespace':'team'},"
        "'spec':{'clusterQueue':'cq','stopPolicy':'Hold'}}"
    );
    cluster.settle();
}

void open_vip(MiniCluster& cluster) {
    cluster.merge({kind_of<api::LocalQueue>(), "team", "vip"}, "{'spec':{'stopPolicy':'None'}}");
}

bool has_admission(const MiniCluster& cluster, const std::string& name) {
    return !cluster.at(key_of(name), {"status", "admission"}).empty();
}

bool is_evicted(const MiniCluster& cluster, const std::string& name) {
    return cluster.condition("team", name, "Evicted").starts_with("True/");
}

}  // namespace

TEST_CASE("however late a watch is, quota is not given away twice", "[controller]") {
    MiniCluster cluster;
    make_two_queues(cluster);
    cluster.put(workload("first", "main", 0));
    cluster.put(workload("second", "vip", 0));
    while (cluster.deliver_next()) {
    }
    cluster.late.insert(kind_of<api::Workload>());
    cluster.settle();
    REQUIRE(has_admission(cluster, "first"));
    cluster.settle(40s);
    open_vip(cluster);
    for (int i = 0; i < 20; ++i) {
        cluster.settle(1min);
        cluster.clock.advance(1min);
        REQUIRE(has_admission(cluster, "first"));
        REQUIRE_FALSE(has_admission(cluster, "second"));
    }

    cluster.late.clear();
    cluster.settle();
    CHECK(cluster.condition("team", "first", "Admitted") == "True/Admitted");
    CHECK_FALSE(is_evicted(cluster, "first"));
    CHECK_FALSE(has_admission(cluster, "second"));
    CHECK(cluster.controller().applier.outstanding() == 0);
    cluster.remove(key_of("first"));
    cluster.settle();
    CHECK(cluster.condition("team", "second", "Admitted") == "True/Admitted");
}

TEST_CASE("a preemption waits for a late watch, and is then carried out", "[controller]") {
    MiniCluster cluster;
    make_two_queues(cluster);
    cluster.put(workload("first", "main", 0));
    cluster.put(workload("second", "vip", 9));
    while (cluster.deliver_next()) {
    }
    cluster.late.insert(kind_of<api::Workload>());
    cluster.settle();
    REQUIRE(has_admission(cluster, "first"));
    open_vip(cluster);
    for (int i = 0; i < 5; ++i) {
        cluster.settle(1min);
        cluster.clock.advance(1min);
        REQUIRE(has_admission(cluster, "first"));
        REQUIRE_FALSE(has_admission(cluster, "second"));
    }

    cluster.late.clear();
    cluster.settle();
    CHECK(is_evicted(cluster, "first"));
    CHECK(cluster.condition("team", "first", "QuotaReserved") == "True/QuotaReserved");
    CHECK_FALSE(has_admission(cluster, "second"));
    CHECK(cluster.controller().applier.outstanding() == 0);
    cluster.remove(key_of("first"));
    cluster.settle();
    CHECK(cluster.condition("team", "second", "Admitted") == "True/Admitted");
}

TEST_CASE("a workload that is deleted before its admission shows frees its quota", "[controller]") {
    MiniCluster cluster;
    make_two_queues(cluster);
    cluster.put(workload("first", "main", 0));
    cluster.put(workload("second", "vip", 0));
    while (cluster.deliver_next()) {
    }
    cluster.late.insert(kind_of<api::Workload>());
    cluster.settle();
    REQUIRE(has_admission(cluster, "first"));
    cluster.remove(key_of("first"));
    open_vip(cluster);
    cluster.settle(5min);
    CHECK_FALSE(has_admission(cluster, "second"));

    cluster.late.clear();
    cluster.settle();
    CHECK(cluster.condition("team", "second", "Admitted") == "True/Admitted");
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("a reason for waiting is not written over what it was not decided on", "[controller]") {
    MiniCluster cluster;
    make_two_queues(cluster);
    cluster.put(workload("first", "main", 0));
    cluster.settle();
    REQUIRE(has_admission(cluster, "first"));
    cluster.put(workload("second", "main", 0));
    bool is_changed = false;
    const auto change_first = [&](const std::string& patch) {
        cluster.fault = [&cluster, &is_changed, patch](const Write& w) -> std::optional<Error> {
            const bool refuses = w.body.find_path({"status", "conditions"}) != nullptr &&
                                 w.body.find_path({"status", "admission"}) == nullptr;
            if (w.object == key_of("second") && refuses && !is_changed) {
                is_changed = true;
                cluster.merge(w.object, patch);
            }
            return std::nullopt;
        };
    };
    SECTION("but over the newer state that waits as well") {
        change_first("{'metadata':{'labels':{'by':'another'}}}");
        cluster.settle();
        CHECK(cluster.at(key_of("second"), {"metadata", "labels", "by"}) == "another");
        CHECK(cluster.condition("team", "second", "QuotaReserved") == "False/WaitingForQuota");
    }
    SECTION("and dropped when that has an admission") {
        const std::string admission = cluster.at(key_of("first"), {"status", "admission"});
        const std::string at = "'lastTransitionTime':'2020-01-01T00:00:00Z','message':''}";
        change_first(
            "{'status':{'admission':" + admission +
            ",'conditions':[{'type':'QuotaReserved','status':'True','reason':'QuotaReserved'," +
            at + ",{'type':'Admitted','status':'True','reason':'Admitted'," + at + "]}}"
        );
        cluster.settle();
        CHECK(has_admission(cluster, "second"));
        CHECK(cluster.condition("team", "second", "QuotaReserved") == "True/QuotaReserved");
    }
    CHECK(is_changed);
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("a job is given one Workload, however late that is seen", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.late = {kind_of<api::Workload>()};
    int creations = 0;
    cluster.fault = [&](const Write& write) -> std::optional<Error> {
        creations += write.verb == Verb::Create ? 1 : 0;
        return std::nullopt;
    };
    cluster.put(job("first", 1));
    cluster.settle(1s);
    cluster.merge(job_key("first"), "{'metadata':{'annotations':{'note':'changed'}}}");
    cluster.settle(10s);
    CHECK(creations == 1);
    cluster.late = {};
    cluster.settle();
    CHECK(is_running(cluster, "first"));
    CHECK(creations == 1);
}

// Its owner is gone, so that the garbage collector deletes it at once.
TEST_CASE("a Workload whose Job is deleted unseen is created ever more slowly", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("gone", 8));
    cluster.settle();
    cluster.late.insert(kind_of<api::Job>());
    cluster.remove(job_key("gone"));
    const auto created = [&cluster] {
        return std::ranges::count_if(cluster.writes, [](const Write& write) {
            return write.verb == Verb::Create && write.object.kind == kind_of<api::Workload>();
        });
    };
    REQUIRE(created() == 1);
    cluster.clock.advance(1min);  // the first creation is forgotten
    const auto created_within = [&](Duration time) {
        const auto before = created();
        for (Duration passed{}; passed < time; passed += 100ms) {
            bool is_busy = true;
            for (int i = 0; i < 500 && is_busy; ++i) {
                for (const ObjectKey& key : cluster.keys_of(kind_of<api::Workload>())) {
                    if (cluster.at(key, {"metadata", "deletionTimestamp"}).empty()) {
                        cluster.remove(key);
                    }
                }
                is_busy = cluster.tick();
            }
            cluster.clock.advance(100ms);
        }
        return created() - before;
    };
    CHECK(created_within(1s) == 2);
    // After 1, 2, 4, 8 and 16 seconds, and then each half minute.
    CHECK(created_within(32s) == 5);
    CHECK(created_within(90s) == 3);
}

}  // namespace sluice::controller
