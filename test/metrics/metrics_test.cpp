#include "metrics/gauge_group.hpp"
#include "metrics/kueue_metrics.hpp"
#include "metrics/process_usage.hpp"
#include "metrics/registry.hpp"
#include "metrics/runtime_metrics.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace sluice::metrics {
namespace {

bool has_line(const std::string& page, const std::string& line) {
    return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

/// The value of a series without labels; the test fails if the page lacks it.
double value_on(const std::string& page, const std::string& name) {
    const auto at = ("\n" + page).find("\n" + name + " ");
    REQUIRE(at != std::string::npos);
    return std::strtod(page.c_str() + at + name.size(), nullptr);
}

/// One series of every metric; a new metric that is missing here is missing on the golden page.
void report_all(KueueMetrics& metrics) {
    metrics.admission_attempts_total.add({"a-result"});
    metrics.admission_attempt_duration_seconds.observe({"a-result"}, 3);
    metrics.build_info.set(
        {"a-git_version", "a-git_commit", "a-build_date", "a-go_version", "a-compiler", "a-platform"
        },
        3
    );
    metrics.admission_cycle_preemption_skips.set({"a-cluster_queue"}, 3);
    metrics.workload_creation_latency_seconds.observe({"a-job_kind"}, 3);
    metrics.pending_workloads.set({"a-cluster_queue", "a-status"}, 3);
    metrics.pending_scheduling_hashes.set({"a-cluster_queue", "a-status"}, 3);
    metrics.reserving_active_workloads.set({"a-cluster_queue"}, 3);
    metrics.admitted_active_workloads.set({"a-cluster_queue"}, 3);
    metrics.finished_workloads.set({"a-cluster_queue"}, 3);
    metrics.quota_reserved_workloads_total.add({"a-cluster_queue", "a-priority_class"});
    metrics.admitted_workloads_total.add({"a-cluster_queue", "a-priority_class"});
    metrics.finished_workloads_total.add({"a-cluster_queue", "a-priority_class"});
    metrics.evicted_workloads_total.add(
        {"a-cluster_queue", "a-reason", "a-underlying_cause", "a-priority_class"}
    );
    metrics.evicted_workloads_once_total.add(
        {"a-cluster_queue", "a-reason", "a-underlying_cause", "a-priority_class"}
    );
    metrics.pod_scheduling_gate_removal_seconds.observe(
        {"a-name", "a-cluster_queue", "a-is_group"}, 3
    );
    metrics.preemption_target_recomputations_total.add({"a-cluster_queue", "a-result"});
    metrics.preempted_workloads_total.add({"a-preempting_cluster_queue", "a-reason"});
    metrics.quota_reserved_wait_time_seconds.observe({"a-cluster_queue", "a-priority_class"}, 3);
    metrics.admission_wait_time_seconds.observe({"a-cluster_queue", "a-priority_class"}, 3);
    metrics.admission_checks_wait_time_seconds.observe({"a-cluster_queue", "a-priority_class"}, 3);
    metrics.execution_time_seconds.observe({"a-cluster_queue", "a-priority_class"}, 3);
    metrics.workload_eviction_latency_seconds.observe({"a-cluster_queue", "a-reason"}, 3);
    metrics.cluster_queue_status.set({"a-cluster_queue", "a-status"}, 3);
    metrics.unadmitted_workloads.set({"a-cluster_queue", "a-reason", "a-underlying_cause"}, 3);
    metrics.cluster_queue_info.set({"a-cluster_queue", "a-parent_cohort", "a-root_cohort"}, 3);
    metrics.cluster_queue_weighted_share.set({"a-cluster_queue", "a-cohort"}, 3);
    metrics.cluster_queue_resource_reservation.set(
        {"a-cohort", "a-cluster_queue", "a-flavor", "a-resource"}, 3
    );
    metrics.cluster_queue_resource_usage.set(
        {"a-cohort", "a-cluster_queue", "a-flavor", "a-resource"}, 3
    );
    metrics.cluster_queue_nominal_quota.set(
        {"a-cohort", "a-cluster_queue", "a-flavor", "a-resource"}, 3
    );
    metrics.cluster_queue_borrowing_limit.set(
        {"a-cohort", "a-cluster_queue", "a-flavor", "a-resource"}, 3
    );
    metrics.cluster_queue_lending_limit.set(
        {"a-cohort", "a-cluster_queue", "a-flavor", "a-resource"}, 3
    );
    metrics.cluster_queue_resource_pending.set({"a-cluster_queue", "a-resource"}, 3);
    metrics.local_queue_pending_workloads.set({"a-name", "a-namespace", "a-status"}, 3);
    metrics.local_queue_reserving_active_workloads.set({"a-name", "a-namespace"}, 3);
    metrics.local_queue_admitted_active_workloads.set({"a-name", "a-namespace"}, 3);
    metrics.local_queue_finished_workloads.set({"a-name", "a-namespace"}, 3);
    metrics.local_queue_quota_reserved_workloads_total.add(
        {"a-name", "a-namespace", "a-priority_class"}
    );
    metrics.local_queue_admitted_workloads_total.add({"a-name", "a-namespace", "a-priority_class"});
    metrics.local_queue_finished_workloads_total.add({"a-name", "a-namespace", "a-priority_class"});
    metrics.local_queue_evicted_workloads_total.add(
        {"a-name", "a-namespace", "a-reason", "a-underlying_cause", "a-priority_class"}
    );
    metrics.local_queue_quota_reserved_wait_time_seconds.observe(
        {"a-name", "a-namespace", "a-priority_class"}, 3
    );
    metrics.local_queue_admission_wait_time_seconds.observe(
        {"a-name", "a-namespace", "a-priority_class"}, 3
    );
    metrics.local_queue_admission_checks_wait_time_seconds.observe(
        {"a-name", "a-namespace", "a-priority_class"}, 3
    );
    metrics.local_queue_execution_time_seconds.observe(
        {"a-name", "a-namespace", "a-priority_class"}, 3
    );
    metrics.local_queue_status.set({"a-name", "a-namespace", "a-active"}, 3);
    metrics.local_queue_unadmitted_workloads.set(
        {"a-name", "a-namespace", "a-cluster_queue", "a-reason", "a-underlying_cause"}, 3
    );
    metrics.local_queue_resource_reservation.set(
        {"a-name", "a-namespace", "a-flavor", "a-resource"}, 3
    );
    metrics.local_queue_resource_usage.set({"a-name", "a-namespace", "a-flavor", "a-resource"}, 3);
    metrics.local_queue_admission_fair_sharing_usage.set(
        {"a-name", "a-namespace", "a-cluster_queue"}, 3
    );
    metrics.cohort_weighted_share.set({"a-cohort"}, 3);
    metrics.cohort_subtree_quota.set({"a-cohort", "a-flavor", "a-resource"}, 3);
    metrics.cohort_subtree_resource_reservations.set({"a-cohort", "a-flavor", "a-resource"}, 3);
    metrics.cohort_subtree_admitted_workloads_total.add({"a-cohort", "a-priority_class"});
    metrics.cohort_subtree_admitted_active_workloads.set({"a-cohort"}, 3);
    metrics.cohort_info.set({"a-cohort", "a-parent_cohort", "a-root_cohort"}, 3);
    metrics.audit_findings.set({"a-root"}, 3);
    metrics.capacity.set({"a-flavor", "a-resource", "usable"}, 32);
}

void report_all(RuntimeMetrics& metrics) {
    metrics.leader_election_master_status.set({"a-name"}, 3);
    metrics.controller_runtime_reconcile_total.add({"a-controller", "a-result"});
    metrics.controller_runtime_reconcile_errors_total.add({"a-controller"});
    metrics.controller_runtime_reconcile_time_seconds.observe({"a-controller"}, 3);
    metrics.controller_runtime_active_workers.set({"a-controller"}, 3);
    metrics.controller_runtime_max_concurrent_reconciles.set({"a-controller"}, 3);
    metrics.workqueue_depth.set({"a-controller", "a-name", "a-priority"}, 3);
    metrics.workqueue_queue_duration_seconds.observe({"a-controller", "a-name"}, 3);
    metrics.workqueue_work_duration_seconds.observe({"a-controller", "a-name"}, 3);
    metrics.workqueue_unfinished_work_seconds.set({"a-controller", "a-name"}, 3);
    metrics.workqueue_longest_running_processor_seconds.set({"a-controller", "a-name"}, 3);
    metrics.controller_runtime_webhook_requests_total.add({"a-code", "a-webhook"});
    metrics.controller_runtime_webhook_requests_in_flight.set({"a-webhook"}, 3);
    metrics.controller_runtime_webhook_latency_seconds.observe({"a-webhook"}, 3);
    metrics.process_cpu_seconds_total.add({});
    metrics.process_max_fds.set({}, 3);
    metrics.process_open_fds.set({}, 3);
    metrics.process_resident_memory_bytes.set({}, 3);
    metrics.process_start_time_seconds.set({}, 3);
    metrics.process_virtual_memory_bytes.set({}, 3);
    metrics.sluice_events_dropped_total.add({});
    metrics.sluice_journal_bytes_total.add({});
    metrics.sluice_journal_gap.set({}, 3);
    metrics.sluice_reconcile_failing_objects.set({"a-controller"}, 3);
    metrics.workqueue_adds_total.add({"a-controller", "a-name"});
    metrics.workqueue_retries_total.add({"a-controller", "a-name"});
    metrics.rest_client_requests_total.add({"a-code", "a-host", "a-method"});
}

}  // namespace

TEST_CASE("a page has help, type and series in a fixed order", "[metrics]") {
    Registry registry;
    Gauge gauge(registry, {.name = "b_gauge", .help = "A gauge", .labels = {"z", "a"}});
    Counter counter(registry, {.name = "a_total", .help = "A\nhelp", .has_role = false});
    counter.add({});
    counter.add({}, 2.5);
    gauge.set({"2", "x"}, -1);
    gauge.set({"1", "q\"uo\\te\n"}, std::numeric_limits<double>::infinity());
    gauge.set({"3", ""}, std::nan(""));
    CHECK(
        registry.print() ==
        "# HELP a_total A\\nhelp\n"
        "# TYPE a_total counter\n"
        "a_total 3.5\n"
        "# HELP b_gauge A gauge\n"
        "# TYPE b_gauge gauge\n"
        "b_gauge{a=\"q\\\"uo\\\\te\\n\",replica_role=\"standalone\",z=\"1\"} +Inf\n"
        "b_gauge{a=\"x\",replica_role=\"standalone\",z=\"2\"} -1\n"
        "b_gauge{a=\"\",replica_role=\"standalone\",z=\"3\"} NaN\n"
    );
}

TEST_CASE("a metric without series is not printed", "[metrics]") {
    Registry registry;
    Counter counter(registry, {.name = "a_total", .help = "A", .labels = {"x"}});
    CHECK(registry.print().empty());
    counter.touch({"1"});
    CHECK(has_line(registry.print(), R"(a_total{replica_role="standalone",x="1"} 0)"));
}

TEST_CASE("a histogram's buckets are cumulated and its bounds are inclusive", "[metrics]") {
    Registry registry;
    Histogram histogram(
        registry, {.name = "h", .help = "H", .buckets = {0.5, 1, 2.5}, .has_role = false}
    );
    for (const double value : {0.1, 1.0, 1.1, 99.0}) {
        histogram.observe({}, value);
    }
    const auto page = registry.print();
    CHECK(has_line(page, R"(h_bucket{le="0.5"} 1)"));
    CHECK(has_line(page, R"(h_bucket{le="1"} 2)"));
    CHECK(has_line(page, R"(h_bucket{le="2.5"} 3)"));
    CHECK(has_line(page, R"(h_bucket{le="+Inf"} 4)"));
    CHECK(has_line(page, "h_sum 101.2"));
    CHECK(has_line(page, "h_count 4"));
}

TEST_CASE(
    "a replica that becomes leader reports its gauges anew and keeps its counters", "[metrics]"
) {
    Registry registry;
    registry.set_role("follower");
    Gauge gauge(registry, {.name = "g", .help = "G"});
    Counter counter(registry, {.name = "c_total", .help = "C"});
    gauge.set({}, 1);
    counter.add({});
    registry.set_role("leader");
    auto page = registry.print();
    CHECK_FALSE(has_line(page, R"(g{replica_role="follower"} 1)"));
    CHECK(has_line(page, R"(c_total{replica_role="follower"} 1)"));
    gauge.set({}, 2);
    CHECK(has_line(registry.print(), R"(g{replica_role="leader"} 2)"));
}

TEST_CASE("the series of a deleted queue go, those of others stay", "[metrics]") {
    Registry registry;
    const CustomLabels custom;
    KueueMetrics metrics(registry, custom);
    metrics.admitted_workloads_total.add({"cq", ""});
    metrics.admitted_workloads_total.add({"other", ""});
    metrics.preempted_workloads_total.add({"cq", "InClusterQueue"});
    metrics.local_queue_status.set({"lq", "ns", "True"}, 1);
    metrics.local_queue_status.set({"lq", "ns2", "True"}, 1);
    metrics.cohort_info.set({"co", "", "co"}, 1);
    metrics.remove_cluster_queue("cq");
    metrics.remove_local_queue("ns", "lq");
    metrics.remove_cohort("co");
    const std::string page = registry.print();
    const auto has = [&page](const char* text) { return page.find(text) != std::string::npos; };
    CHECK_FALSE(has("\"cq\""));
    CHECK(has("kueue_admitted_workloads_total{cluster_queue=\"other\""));
    CHECK_FALSE(has("\"ns\""));
    CHECK(has("\"ns2\""));
    CHECK_FALSE(has("kueue_cohort_info"));
}

TEST_CASE("a group removes what its next report leaves out, and nothing else", "[metrics]") {
    Registry registry;
    Gauge quota(registry, {.name = "quota", .help = "Q", .labels = {"x"}, .has_role = false});
    Gauge usage(registry, {.name = "usage", .help = "U", .labels = {"x"}, .has_role = false});
    quota.set({"of another"}, 9);
    GaugeGroup group;
    group.begin();
    group.set(quota, {"a"}, 1);
    group.set(quota, {"b"}, 2);
    group.set(usage, {"a"}, 3);
    group.end();
    CHECK(has_line(registry.print(), R"(quota{x="b"} 2)"));
    group.begin();
    group.set(quota, {"a"}, 4);
    group.set(usage, {"a"}, 3);
    group.end();
    const auto page = registry.print();
    CHECK(has_line(page, R"(quota{x="a"} 4)"));
    CHECK(has_line(page, R"(usage{x="a"} 3)"));
    CHECK(has_line(page, R"(quota{x="of another"} 9)"));
    CHECK(page.find(R"(x="b")") == std::string::npos);
    group.clear();
    CHECK(registry.print().find(R"(x="a")") == std::string::npos);
    CHECK(has_line(registry.print(), R"(quota{x="of another"} 9)"));
}

TEST_CASE("a group whose series others removed reports them again", "[metrics]") {
    Registry registry;
    Gauge gauge(registry, {.name = "g", .help = "G"});
    GaugeGroup group;
    const auto report = [&] {
        group.begin();
        group.set(gauge, {}, 1);
        group.end();
    };
    report();
    registry.set_role("leader");
    report();
    CHECK(registry.print().find("replica_role") == std::string::npos);
    group.forget();
    report();
    CHECK(has_line(registry.print(), R"(g{replica_role="leader"} 1)"));
}

TEST_CASE("a page is printed while others change its series", "[metrics]") {
    Registry registry;
    Gauge gauge(registry, {.name = "g", .help = "G", .labels = {"x"}});
    Counter counter(registry, {.name = "c_total", .help = "C", .labels = {"x"}});
    std::atomic<bool> is_done = false;
    std::thread writer([&] {
        for (int i = 0; i < 2'000; ++i) {
            const auto label = std::to_string(i % 50);
            gauge.set({label}, i);
            counter.add({label});
            if (i % 3 == 0) {
                gauge.erase({label});
            }
            if (i % 500 == 0) {
                registry.set_role(i % 1000 == 0 ? "leader" : "follower");
                registry.remove("c_", {{"x", "1"}});
            }
        }
        is_done = true;
    });
    std::size_t pages = 0;
    do {
        const auto page = registry.print();
        REQUIRE((page.empty() || page.back() == '\n'));
        ++pages;
    } while (!is_done);
    writer.join();
    CHECK(pages > 0);
}

TEST_CASE("bounds are those of the dashboards", "[metrics]") {
    CHECK(wait_buckets(4) == std::vector<double>{1, 2.5, 5, 10});
    CHECK(wait_buckets(16).back() == 40960);
    CHECK(latency_buckets().back() == 10.24);
    CHECK(default_buckets().size() == 11);
}

TEST_CASE("the page has every metric by Kueue's name and labels", "[metrics][golden]") {
    Registry registry;
    const CustomLabels custom;
    KueueMetrics metrics(registry, custom);
    report_all(metrics);
    RuntimeMetrics runtime(registry);
    report_all(runtime);
    const auto page = registry.print();
    const std::string path = SLUICE_GOLDEN_FOLDER "/metrics.txt";
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << page;
    }
    std::ifstream file(path);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    CHECK(page == golden);
}

TEST_CASE("metrics have the custom labels of the object that they name", "[metrics]") {
    CustomLabels custom({
        {.name = "team", .source = LabelSource::ClusterQueue},
        {.name = "cost", .source = LabelSource::LocalQueue, .annotation_key = "billing/cost"},
        {.name = "kind", .source = LabelSource::Workload, .label_key = "k", .tracked_values = {"a"}
        },
    });
    Registry registry;
    KueueMetrics metrics(registry, custom);
    CHECK_FALSE(custom.store(LabelSource::ClusterQueue, "other", {}, {}));
    CHECK(custom.store(LabelSource::ClusterQueue, "q", {{"team", "blue"}}, {}));
    CHECK_FALSE(custom.store(LabelSource::ClusterQueue, "q", {{"team", "blue"}, {"x", "y"}}, {}));
    CHECK(custom.store(LabelSource::LocalQueue, "ns/q", {}, {{"billing/cost", "7"}}));
    CHECK_FALSE(custom.store(LabelSource::Cohort, "q", {{"team", "red"}}, {}));
    metrics.reserving_active_workloads.set({"q"}, 1);
    metrics.reserving_active_workloads.set({"other"}, 2);
    metrics.local_queue_reserving_active_workloads.set({"q", "ns"}, 3);
    metrics.pending_workloads.set({"q", "active", "a"}, 4);
    metrics.preempted_workloads_total.add({"q", "InClusterQueue"});
    metrics.cohort_info.set({"c", "", ""}, 1);
    const std::string page = registry.print();
    const auto has = [&](const std::string& line) { return page.find(line + "\n") != page.npos; };
    CHECK(has(R"(kueue_reserving_active_workloads{cluster_queue="q",custom_team="blue",)"
              R"(replica_role="standalone"} 1)"));
    CHECK(has(R"(kueue_reserving_active_workloads{cluster_queue="other",custom_team="",)"
              R"(replica_role="standalone"} 2)"));
    CHECK(has(R"(kueue_local_queue_reserving_active_workloads{custom_cost="7",name="q",)"
              R"(namespace="ns",replica_role="standalone"} 3)"));
    CHECK(has(R"(kueue_pending_workloads{cluster_queue="q",custom_kind="a",custom_team="blue",)"
              R"(replica_role="standalone",status="active"} 4)"));
    CHECK(has(R"(kueue_preempted_workloads_total{custom_team="blue",preempting_cluster_queue="q",)"
              R"(reason="InClusterQueue",replica_role="standalone"} 1)"));
    CHECK(has(R"(kueue_cohort_info{cohort="c",parent_cohort="",replica_role="standalone",)"
              R"(root_cohort=""} 1)"));
}

TEST_CASE("a value that is not tracked is replaced by one that says so", "[metrics]") {
    const CustomLabels custom({
        {.name = "kind", .source = LabelSource::Workload, .label_key = "k", .tracked_values = {"a"}
        },
        {.name = "any", .source = LabelSource::Workload},
    });
    using Texts = CustomLabels::Texts;
    const auto values = [&](const Texts& labels) {
        return custom.values(LabelSource::Workload, labels, {});
    };
    CHECK(values({{"k", "a"}, {"any", "x"}}) == Labels{"a", "x"});
    CHECK(values({{"k", "b"}}) == Labels{"kueue.x-k8s.io/_UNTRACKED_VALUE_", ""});
}

TEST_CASE("a queue that is relabelled loses its gauges and keeps its counters", "[metrics]") {
    CustomLabels custom({{.name = "team", .source = LabelSource::ClusterQueue}});
    Registry registry;
    KueueMetrics metrics(registry, custom);
    custom.store(LabelSource::ClusterQueue, "q", {{"team", "blue"}}, {});
    metrics.reserving_active_workloads.set({"q"}, 1);
    metrics.pending_workloads.set({"q", "active"}, 1);
    metrics.cluster_queue_nominal_quota.set({"", "q", "f", "cpu"}, 1);
    metrics.admitted_workloads_total.add({"q", ""});
    metrics.reserving_active_workloads.set({"other"}, 1);
    REQUIRE(custom.store(LabelSource::ClusterQueue, "q", {{"team", "red"}}, {}));
    metrics.remove_gauges_of_cluster_queue("q");
    metrics.reserving_active_workloads.set({"q"}, 1);
    const std::string page = registry.print();
    CHECK(page.find("kueue_pending_workloads{") == page.npos);
    CHECK(page.find("kueue_cluster_queue_nominal_quota{") == page.npos);
    CHECK(
        page.find(R"(reserving_active_workloads{cluster_queue="q",custom_team="red")") != page.npos
    );
    CHECK(
        page.find(R"(reserving_active_workloads{cluster_queue="q",custom_team="blue")") == page.npos
    );
    CHECK(page.find(R"(cluster_queue="other")") != page.npos);
    CHECK(
        page.find(R"(admitted_workloads_total{cluster_queue="q",custom_team="blue")") != page.npos
    );
}

TEST_CASE("a histogram shows what was counted elsewhere", "[metrics]") {
    Registry registry;
    const std::vector<double> bounds{1, 2};
    Histogram histogram(
        registry, {.name = "h", .help = "H", .labels = {"a"}, .buckets = bounds, .has_role = false}
    );
    Distribution counted(bounds);
    histogram.set({"x"}, counted);
    CHECK(registry.print().find("h_bucket{a=\"x\",le=\"+Inf\"} 0\n") != std::string::npos);
    for (const double value : {0.5, 1.0, 1.5, 9.0}) {
        counted.add(value);
    }
    histogram.set({"x"}, counted);
    const std::string page = registry.print();
    CHECK(page.find("h_bucket{a=\"x\",le=\"1\"} 2\n") != std::string::npos);
    CHECK(page.find("h_bucket{a=\"x\",le=\"2\"} 3\n") != std::string::npos);
    CHECK(page.find("h_bucket{a=\"x\",le=\"+Inf\"} 4\n") != std::string::npos);
    CHECK(page.find("h_sum{a=\"x\"} 12\n") != std::string::npos);
}

TEST_CASE("what a process uses is read from the kernel's line about it", "[metrics]") {
    const auto stat = parse_process_stat(
        "42 (a ) name) S 1 42 42 0 -1 4194560 900 0 0 0 150 50 0 0 20 0 4 0 1000 8192 3 "
        "18446744073709551615 1",
        100,
        4096
    );
    REQUIRE(stat);
    CHECK(stat->cpu_seconds == 2);
    CHECK(stat->started_after_boot_seconds == 10);
    CHECK(stat->virtual_bytes == 8192);
    CHECK(stat->resident_bytes == 3 * 4096);
    for (const char* line :
         {"",
          "42 name S 1",
          "42 (name) S 1 42",
          "42 (name) S a b c d e f g h i j "
          "k l m n o p q r s t u v w x y z"}) {
        CAPTURE(line);
        CHECK_FALSE(parse_process_stat(line, 100, 4096));
    }
}

TEST_CASE("this process has used something", "[metrics]") {
    Registry registry;
    RuntimeMetrics metrics(registry);
    for (int i = 0; i < 2; ++i) {
        report_process_usage(metrics);
    }
    const std::string page = registry.print();
    const auto value = [&page](const std::string& name) { return value_on(page, name); };
    CHECK(value("process_resident_memory_bytes") > 1e5);
    CHECK(value("process_virtual_memory_bytes") >= value("process_resident_memory_bytes"));
    CHECK(value("process_open_fds") >= 1);
    CHECK(value("process_max_fds") >= value("process_open_fds"));
    CHECK(value("process_start_time_seconds") > 1.6e9);
}

}  // namespace sluice::metrics
