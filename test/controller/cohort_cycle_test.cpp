#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/refresh.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

// Cohorts whose parents go round in a circle.
namespace sluice::controller {
namespace {

const ObjectKey kQueue{kind_of<api::ClusterQueue>(), "", "cq"};

ObjectKey cohort_key(std::string_view name) {
    return {kind_of<api::Cohort>(), "", std::string(name)};
}

void put_cohort(MiniCluster& cluster, std::string_view name, std::string_view parent) {
    cluster.put(fmt::format(
        "{{'kind':'Cohort','metadata':{{'name':'{}'}},'spec':{{'parentName':'{}'}}}}", name, parent
    ));
}

/// Member `field` of the queue's condition Active.
std::string active(const MiniCluster& cluster, std::string_view field) {
    const json::Value* queue = cluster.find(kQueue);
    const json::Value* list =
        queue == nullptr ? nullptr : queue->find_path({"status", "conditions"});
    if (list == nullptr) {
        return "";
    }
    for (const json::Value& condition : list->as_array()) {
        if (condition.find("type")->as_string() == "Active") {
            return std::string(condition.find(field)->as_string());
        }
    }
    return "";
}

/// The cohorts that were warned of a cycle.
std::set<std::string> warned(const MiniCluster& cluster) {
    std::set<std::string> names;
    for (const EventNote& event : cluster.events) {
        if (event.type == EventType::Warning && event.regarding.kind == "Cohort" &&
            event.reason == "HasCycle") {
            names.insert(event.regarding.name);
        }
    }
    return names;
}

bool is_reported_active(MiniCluster& cluster) {
    auto& controller = cluster.controller();
    MetricsReporter reporter(
        {.stores = controller.stores,
         .translator = controller.translator,
         .state = controller.state,
         .cluster_queue_resources = true}
    );
    refresh(reporter);
    const std::string page = reporter.print();
    const auto at = page.find(R"(kueue_cluster_queue_status{cluster_queue="cq",)");
    REQUIRE(at != std::string::npos);
    const auto line = page.find(R"(status="active"} )", at);
    REQUIRE(line != std::string::npos);
    return page[page.find(' ', line) + 1] == '1';
}

}  // namespace

TEST_CASE("a cycle of cohorts is told on the queues and cohorts below it", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const bool cohorts_first = GENERATE(true, false);
    make_queues(cluster);
    if (cohorts_first) {
        cluster.merge(kQueue, "{'spec':{'cohortName':'leaf'}}");
    }
    put_cohort(cluster, "leaf", "x1");
    put_cohort(cluster, "x1", "x2");
    put_cohort(cluster, "other", "root");
    cluster.settle();
    CHECK(is_reported_active(cluster));
    put_cohort(cluster, "x2", "x1");
    cluster.merge(kQueue, "{'spec':{'cohortName':'leaf'}}");
    cluster.put(job("sample", 2));
    cluster.settle();
    const bool with_restart = GENERATE(false, true);
    if (with_restart) {
        cluster.restart();
        cluster.settle();
    }
    CHECK(active(cluster, "status") == "False");
    CHECK(active(cluster, "reason") == "HasCycle");
    CHECK(
        active(cluster, "message") ==
        "Can't admit new workloads: the parents of cohort \"leaf\" form the cycle x1 -> x2 -> x1."
    );
    CHECK_FALSE(is_reported_active(cluster));
    CHECK(warned(cluster) == std::set<std::string>{"leaf", "x1", "x2"});
    CHECK(has_event(
        cluster,
        "HasCycle",
        "Nothing is admitted in this cohort: its parents form the cycle x1 -> x2 -> x1"
    ));
    const std::string workload = cluster.workload_of("team", "sample");
    CHECK(cluster.condition("team", workload, "QuotaReserved") == "False/Suspended");
    CHECK_FALSE(is_running(cluster, "sample"));

    cluster.events.clear();
    if (GENERATE(true, false)) {
        cluster.merge(cohort_key("x2"), "{'spec':{'parentName':''}}");
    } else {
        cluster.remove(cohort_key("x2"));
    }
    cluster.settle();
    CHECK(active(cluster, "status") == "True");
    CHECK(is_reported_active(cluster));
    CHECK(warned(cluster).empty());
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("quota that is held below a cycle of cohorts counts once it is mended", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.merge(kQueue, "{'spec':{'cohortName':'x'}}");
    cluster.put(job("holder", 4));
    cluster.settle();
    REQUIRE(is_running(cluster, "holder"));
    put_cohort(cluster, "x", "x");
    cluster.settle();
    cluster.restart();
    cluster.put(job("late", 2));
    cluster.settle();
    CHECK(active(cluster, "reason") == "HasCycle");
    CHECK(is_running(cluster, "holder"));
    cluster.remove(cohort_key("x"));
    cluster.settle();
    CHECK(active(cluster, "status") == "True");
    CHECK_FALSE(is_running(cluster, "late"));
    complete(cluster, "holder");
    cluster.settle();
    CHECK(is_running(cluster, "late"));
}

TEST_CASE("a cohort that is its own parent is told so", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.merge(kQueue, "{'spec':{'cohortName':'x'}}");
    cluster.settle();
    put_cohort(cluster, "x", "x");
    cluster.settle();
    CHECK(active(cluster, "reason") == "HasCycle");
    CHECK(active(cluster, "message").ends_with("form the cycle x -> x."));
    CHECK(warned(cluster) == std::set<std::string>{"x"});
    cluster.remove(cohort_key("x"));
    cluster.settle();
    CHECK(active(cluster, "status") == "True");
}

}  // namespace sluice::controller
