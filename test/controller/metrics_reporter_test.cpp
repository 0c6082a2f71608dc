#include "controller/process/metrics/metrics_reporter.hpp"

#include "controller/mini_cluster.hpp"
#include "controller/refresh.hpp"
#include "controller/scheduler/state_feeder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

// What the metrics say about a cluster. Their names and labels are in test/golden/metrics.txt.
namespace sluice::controller {
namespace {

constexpr std::string_view kRole = R"(replica_role="standalone")";

std::string cluster_queue(std::string_view name, std::string_view cohort, std::string_view more) {
    return fmt::format(
        R"({{'kind':'ClusterQueue','metadata':{{'name':'{}'}},'spec':{{'namespaceSelector':{{}},
        'queueingStrategy':'BestEffortFIFO','stopPolicy':'None','cohortName':'{}'{},
        'resourceGroups':[{{'coveredResources':['cpu'],'flavors':[{{'name':'spot','resources':[
            {{'name':'cpu','nominalQuota':'4'}}]}}]}}]}}}})",
        name,
        cohort,
        more
    );
}

std::string job(std::string_view name, std::string_view cpu, std::string_view more_labels = "") {
    return fmt::format(
        R"({{'kind':'Job','metadata':{{'name':'{}','namespace':'team','labels':{{
        'kueue.x-k8s.io/queue-name':'main'{}}}}},'spec':{{'parallelism':1,'completions':1,
        'suspend':true,'template':{{'spec':{{'restartPolicy':'Never','containers':[
            {{'name':'c','image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]}}}}}}}})",
        name,
        more_labels,
        cpu
    );
}

/// Two queues in cohort org, which lies in cohort root; LocalQueue main goes to the first one.
void make_queues(MiniCluster& cluster, std::string_view more = "") {
    cluster.put("{'kind':'Namespace','metadata':{'name':'team'}}");
    cluster.put("{'kind':'ResourceFlavor','metadata':{'name':'spot'}}");
    cluster.put("{'kind':'Cohort','metadata':{'name':'org'},'spec':{'parentName':'root'}}");
    cluster.put(cluster_queue("first", "org", more));
    cluster.put(cluster_queue("second", "org", ""));
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'main','namespace':'team'},'spec':{"
        "'clusterQueue':'first','stopPolicy':'None'}}"
    );
}

MetricsReporter::Parts parts_of(MiniCluster& cluster) {
    const auto& controller = cluster.controller();
    return {
        .stores = controller.stores,
        .translator = controller.translator,
        .state = controller.state,
        .cluster_queue_resources = true
    };
}

void observe_all(const MiniCluster& cluster, MetricsReporter& reporter) {
    for (const Observation& observation : cluster.observations) {
        reporter.observe(observation);
    }
}

/// The page once all that changed is reported.
std::string fresh_page(MetricsReporter& reporter) {
    refresh(reporter);
    return reporter.print();
}

bool has_line(const std::string& page, const std::string& line) {
    return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

bool has_name(const std::string& page, std::string_view name) {
    return page.find(name) != std::string::npos;
}

}  // namespace

TEST_CASE("cohorts report quota, reservations and admissions of all below them", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "6"));
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    observe_all(cluster, reporter);
    const std::string page = fresh_page(reporter);
    for (const std::string_view cohort : {"org", "root"}) {
        const std::string where =
            fmt::format(R"({{cohort="{}",flavor="spot",{},resource="cpu"}})", cohort, kRole);
        CHECK(has_line(page, "kueue_cohort_subtree_quota" + where + " 8"));
        CHECK(has_line(page, "kueue_cohort_subtree_resource_reservations" + where + " 6"));
        CHECK(has_line(
            page,
            fmt::format(
                R"(kueue_cohort_subtree_admitted_active_workloads{{cohort="{}",{}}} 1)",
                cohort,
                kRole
            )
        ));
        CHECK(has_line(
            page,
            fmt::format(
                R"(kueue_cohort_subtree_admitted_workloads_total{{cohort="{}",priority_class="",{}}} 1)",
                cohort,
                kRole
            )
        ));
    }
    CHECK_FALSE(has_name(page, "weighted_share"));
}

TEST_CASE("queues and cohorts can be joined with those above them", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(cluster_queue("alone", "", ""));
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    const std::string page = fresh_page(reporter);
    const auto info = [](std::string_view what, std::string_view parent, std::string_view root) {
        return fmt::format(
            R"(kueue_{},parent_cohort="{}",{},root_cohort="{}"}} 1)", what, parent, kRole, root
        );
    };
    CHECK(has_line(page, info(R"(cluster_queue_info{cluster_queue="first")", "org", "root")));
    CHECK(has_line(page, info(R"(cluster_queue_info{cluster_queue="alone")", "", "")));
    CHECK(has_line(page, info(R"(cohort_info{cohort="org")", "root", "root")));
    CHECK(has_line(page, info(R"(cohort_info{cohort="root")", "", "root")));
}

TEST_CASE("a cohort that is gone has no metrics, nor have cohorts in a cycle", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "2"));
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    observe_all(cluster, reporter);
    REQUIRE(has_name(fresh_page(reporter), R"(kueue_cohort_info{cohort="root")"));
    SECTION("gone") {
        cluster.put("{'kind':'Cohort','metadata':{'name':'org'},'spec':{}}");
        cluster.settle();
        const std::string page = fresh_page(reporter);
        CHECK_FALSE(has_name(page, R"(cohort="root")"));
        CHECK(has_name(page, R"(kueue_cohort_subtree_admitted_workloads_total{cohort="org")"));
    }
    SECTION("in a cycle") {
        cluster.put("{'kind':'Cohort','metadata':{'name':'root'},'spec':{'parentName':'org'}}");
        cluster.settle();
        const std::string page = fresh_page(reporter);
        CHECK_FALSE(has_name(page, "kueue_cohort_info"));
        CHECK_FALSE(has_name(page, "kueue_cohort_subtree_quota"));
        CHECK(has_name(page, R"(cluster_queue="first",parent_cohort="",)"));
    }
}

TEST_CASE("without their gate cohorts have no metrics", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "2"));
    cluster.settle();
    auto parts = parts_of(cluster);
    parts.cohorts = false;
    MetricsReporter reporter(parts);
    observe_all(cluster, reporter);
    const std::string page = fresh_page(reporter);
    CHECK_FALSE(has_name(page, "kueue_cohort_"));
    CHECK_FALSE(has_name(page, "kueue_cluster_queue_info"));
}

TEST_CASE("LocalQueues and the quotas of ClusterQueues report when asked to", "[metrics]") {
    const bool local_queues = GENERATE(true, false);
    const bool resources = GENERATE(true, false);
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "2"));
    cluster.settle();
    auto parts = parts_of(cluster);
    parts.local_queues = local_queues;
    parts.cluster_queue_resources = resources;
    MetricsReporter reporter(parts);
    observe_all(cluster, reporter);
    const std::string page = fresh_page(reporter);
    for (const auto* name :
         {"kueue_local_queue_status", "kueue_local_queue_admitted_workloads_total"}) {
        CHECK(has_name(page, name) == local_queues);
    }
    for (const auto* name :
         {"kueue_cluster_queue_nominal_quota",
          "kueue_cluster_queue_resource_usage",
          "kueue_cluster_queue_resource_pending"}) {
        CHECK(has_name(page, name) == resources);
    }
    CHECK(has_name(page, "kueue_local_queue_") == local_queues);
    CHECK(has_name(page, "kueue_admitted_workloads_total"));
}

TEST_CASE("with fair sharing queues and cohorts report their share", "[metrics]") {
    const bool has_weight = GENERATE(true, false);
    MiniCluster cluster;
    make_queues(cluster, has_weight ? "" : ",'fairSharing':{'weight':'0'}");
    cluster.put(job("sample", "6"));
    cluster.settle();
    auto& controller = cluster.controller();
    engine::Options options;
    options.fair_sharing = true;
    engine::State state(options);
    workload::Translator translator{workload::TranslationSettings{}};
    engine::Driver driver(state);
    StateFeeder feeder(controller.registry, controller.stores, translator, driver, cluster.clock);
    feeder.feed_all(cluster.clock.now());
    MetricsReporter reporter({controller.stores, translator, state, true});
    const std::string page = fresh_page(reporter);
    CHECK(has_line(
        page,
        fmt::format(
            R"(kueue_cluster_queue_weighted_share{{cluster_queue="first",cohort="org",{}}} {})",
            kRole,
            has_weight ? "250" : "NaN"
        )
    ));
    CHECK(has_line(page, fmt::format(R"(kueue_cohort_weighted_share{{cohort="org",{}}} 0)", kRole))
    );
    CHECK_FALSE(has_name(page, R"(kueue_cohort_weighted_share{cohort="root")"));
}

TEST_CASE("what waits is reported by resource and by kind", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    for (const std::string_view name : {"a", "b"}) {
        cluster.put(job(name, "100500m"));
    }
    cluster.put(job("c", "200"));
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    const std::string page = fresh_page(reporter);
    const auto queue = [](std::string_view name) {
        return fmt::format(R"({{cluster_queue="{}",{},)", name, kRole);
    };
    const std::string resource = R"(resource="cpu"} )";
    const std::string pending = "kueue_cluster_queue_resource_pending";
    CHECK(has_line(page, pending + queue("first") + resource + "401"));
    CHECK(has_line(page, pending + queue("second") + resource + "0"));
    const std::string hashes = "kueue_pending_scheduling_hashes" + queue("first");
    CHECK(has_line(page, hashes + R"(status="inadmissible"} 2)"));
    CHECK(has_line(page, hashes + R"(status="active"} 0)"));
    CHECK(has_line(
        page,
        R"(kueue_local_queue_unadmitted_workloads{cluster_queue="first",name="main",)"
        R"(namespace="team",reason="NoReservation",replica_role="standalone",)"
        R"(underlying_cause="ExceedsMaxQuota"} 3)"
    ));
}

TEST_CASE("the time from eviction to release of quota is observed", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(cluster_queue(
        "first",
        "",
        ",'preemption':{'withinClusterQueue':'LowerPriority','reclaimWithinCohort':'Never'}"
    ));
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    cluster.put(job("low", "4"));
    cluster.settle();
    const ObjectKey low{kind_of<api::Job>(), "team", "low"};
    cluster.merge(low, "{'status':{'active':1}}");
    cluster.put(job("urgent", "4", ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    cluster.clock.advance(std::chrono::seconds(7));
    cluster.merge(low, "{'status':{'active':0}}");
    cluster.settle();
    const std::string page = fresh_page(reporter);
    const std::string labels =
        fmt::format(R"({{cluster_queue="first",reason="Preempted",{}}})", kRole);
    CHECK(has_line(page, "kueue_workload_eviction_latency_seconds_count" + labels + " 1"));
    const std::string bucket = R"(kueue_workload_eviction_latency_seconds_bucket{)"
                               R"(cluster_queue="first",reason="Preempted",)";
    CHECK(has_line(page, fmt::format(R"({}{},le="5"}} 0)", bucket, kRole)));
    CHECK(has_line(page, fmt::format(R"({}{},le="10"}} 1)", bucket, kRole)));
}

TEST_CASE("finished workloads are counted by their local queue", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "2"));
    cluster.settle();
    cluster.merge(
        {kind_of<api::Job>(), "team", "sample"},
        "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}"
    );
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    CHECK(has_line(
        fresh_page(reporter),
        fmt::format(
            R"(kueue_local_queue_finished_workloads{{name="main",namespace="team",{}}} 1)", kRole
        )
    ));
}

TEST_CASE("a quota that counts as unlimited is infinite", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    const std::string most = GENERATE("9223372036854775807", "9223372036854775808", "10E");
    CAPTURE(most);
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "first"},
        "{'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot',"
        "'resources':[{'name':'cpu','nominalQuota':'" +
            most + "','borrowingLimit':'" + most + "','lendingLimit':'" + most + "'}]}]}]}}"
    );
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    const std::string page = fresh_page(reporter);
    for (const char* name : {"nominal_quota", "borrowing_limit", "lending_limit"}) {
        CAPTURE(name);
        CHECK(has_line(
            page,
            fmt::format(
                R"(kueue_cluster_queue_{}{{cluster_queue="first",cohort="org",flavor="spot",{},resource="cpu"}} +Inf)",
                name,
                kRole
            )
        ));
    }
    CHECK(has_line(
        page,
        fmt::format(
            R"(kueue_cohort_subtree_quota{{cohort="org",flavor="spot",{},resource="cpu"}} +Inf)",
            kRole
        )
    ));
}

TEST_CASE("what a queue no longer has is not reported", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    const std::string nominal = R"(kueue_cluster_queue_nominal_quota{cluster_queue="first")";
    REQUIRE(has_name(fresh_page(reporter), nominal + R"(,cohort="org",)"));
    cluster.put(cluster_queue("first", "other", ""));
    cluster.settle();
    const std::string page = fresh_page(reporter);
    CHECK_FALSE(has_name(page, nominal + R"(,cohort="org",)"));
    CHECK(has_name(page, nominal + R"(,cohort="other",)"));
}

TEST_CASE("the holder of the lease says so", "[metrics]") {
    MiniCluster cluster;
    auto parts = parts_of(cluster);
    parts.runtime.lease = "lock";
    MetricsReporter reporter(parts);
    reporter.set_role("follower");
    CHECK(has_line(fresh_page(reporter), R"(leader_election_master_status{name="lock"} 0)"));
    reporter.set_role("leader");
    CHECK(has_line(fresh_page(reporter), R"(leader_election_master_status{name="lock"} 1)"));
    CHECK(has_line(fresh_page(reporter), R"(leader_election_master_status{name="lock"} 1)"));
}

TEST_CASE("the work of each reconciler and the calls are counted", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", "2"));
    cluster.settle();
    auto parts = parts_of(cluster);
    parts.runtime.work = [&cluster] { return cluster.controller().runner.work(); };
    parts.runtime.rows_max = 64;
    parts.runtime.dropped_events = [] { return std::uint64_t{7}; };
    MetricsReporter reporter(parts);
    reporter.runtime().observe_request("api:6443", "PATCH", 409);
    reporter.runtime().observe_request("api:6443", "GET", 0);
    REQUIRE(fresh_page(reporter) == fresh_page(reporter));
    const std::string page = fresh_page(reporter);
    const auto total = [](std::string_view result) {
        return fmt::format(
            R"(controller_runtime_reconcile_total{{controller="job",result="{}"}} )", result
        );
    };
    CHECK(has_name(page, total("success")));
    CHECK_FALSE(has_name(page, total("success") + "0"));
    CHECK(has_line(page, total("error") + "0"));
    CHECK(has_line(page, R"(controller_runtime_reconcile_errors_total{controller="job"} 0)"));
    const std::string labels = R"({controller="workload_controller",name="workload_controller"} )";
    CHECK(has_line(
        page,
        R"(workqueue_depth{controller="workload_controller",name="workload_controller",priority="0"} 0)"
    ));
    CHECK(has_name(page, R"(controller_runtime_reconcile_time_seconds_count{controller="job"} )"));
    CHECK(has_line(page, R"(controller_runtime_active_workers{controller="job"} 0)"));
    CHECK(has_line(page, R"(sluice_reconcile_failing_objects{controller="job"} 0)"));
    CHECK(has_line(page, R"(controller_runtime_max_concurrent_reconciles{controller="job"} 64)"));
    CHECK(has_name(page, "workqueue_queue_duration_seconds_sum" + labels));
    CHECK(has_name(page, "workqueue_work_duration_seconds_sum" + labels));
    CHECK(has_line(page, "workqueue_unfinished_work_seconds" + labels + "0"));
    CHECK(has_line(page, "workqueue_longest_running_processor_seconds" + labels + "0"));
    CHECK(has_line(page, "sluice_events_dropped_total 7"));
    CHECK_FALSE(has_name(page, "process_"));
    CHECK(has_name(page, "workqueue_adds_total" + labels));
    CHECK_FALSE(has_line(page, "workqueue_adds_total" + labels + "0"));
    CHECK(has_line(page, "workqueue_retries_total" + labels + "0"));
    CHECK(
        has_line(page, R"(rest_client_requests_total{code="409",host="api:6443",method="PATCH"} 1)")
    );
    CHECK(has_line(
        page, R"(rest_client_requests_total{code="<error>",host="api:6443",method="GET"} 1)"
    ));
}

TEST_CASE("a deleted Cohort loses its series until something happens below it", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    cluster.put(job("a", "1"));
    cluster.settle();
    observe_all(cluster, reporter);
    constexpr std::string_view kQuota = R"(kueue_cohort_subtree_quota{cohort="org")";
    constexpr std::string_view kTotal =
        R"(kueue_cohort_subtree_admitted_workloads_total{cohort="org")";
    REQUIRE(has_name(fresh_page(reporter), std::string(kQuota)));
    REQUIRE(has_name(fresh_page(reporter), std::string(kTotal)));
    cluster.remove({kind_of<api::Cohort>(), "", "org"});
    cluster.settle();
    CHECK_FALSE(has_name(fresh_page(reporter), std::string(kQuota)));
    CHECK_FALSE(has_name(fresh_page(reporter), std::string(kTotal)));
    CHECK(has_name(fresh_page(reporter), R"(kueue_cluster_queue_info{cluster_queue="first")"));
    cluster.observations.clear();
    cluster.put(job("b", "1"));
    cluster.settle();
    observe_all(cluster, reporter);
    const std::string page = fresh_page(reporter);
    CHECK(has_name(page, std::string(kQuota)));
    CHECK(has_line(page, fmt::format(R"({},priority_class="",{}}} 1)", kTotal, kRole)));
}

TEST_CASE(
    "everything waits inadmissible in a LocalQueue of an inactive ClusterQueue", "[metrics]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.remove({kind_of<api::ResourceFlavor>(), "", "spot"});
    cluster.put(job("a", "1"));
    cluster.put(job("b", "1"));
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    const std::string page = fresh_page(reporter);
    const auto pending = [](std::string_view status, int count) {
        return fmt::format(
            R"(kueue_local_queue_pending_workloads{{name="main",namespace="team",{},status="{}"}} {})",
            kRole,
            status,
            count
        );
    };
    CHECK(has_line(page, pending("active", 0)));
    CHECK(has_line(page, pending("inadmissible", 2)));
}

TEST_CASE("LocalQueues that the selector leaves out have no metrics", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    auto parts = parts_of(cluster);
    parts.local_queue_selector.emplace().match_labels = {{"team", "a"}};
    MetricsReporter reporter(parts);
    cluster.metrics = &reporter;
    const ObjectKey queue{kind_of<api::LocalQueue>(), "team", "main"};
    const std::string name = R"(kueue_local_queue_status{)";
    cluster.settle();
    CHECK_FALSE(has_name(fresh_page(reporter), name));
    cluster.merge(queue, "{'metadata':{'labels':{'team':'a'}}}");
    cluster.settle();
    CHECK(has_name(fresh_page(reporter), name));
    cluster.merge(queue, "{'metadata':{'labels':{'team':'b'}}}");
    cluster.settle();
    CHECK_FALSE(has_name(fresh_page(reporter), name));
}

TEST_CASE("gauges follow the labels of a queue and of what waits in it", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    auto parts = parts_of(cluster);
    parts.custom_labels = {
        {.name = "team", .source = metrics::LabelSource::ClusterQueue},
        {.name = "kind", .source = metrics::LabelSource::Workload, .tracked_values = {"x"}},
    };
    MetricsReporter reporter(parts);
    cluster.metrics = &reporter;
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "first"};
    cluster.merge(queue, "{'metadata':{'labels':{'team':'blue'}}}");
    cluster.put(job("a", "100"));
    cluster.settle();
    const auto pending = [](std::string_view kind, std::string_view team) {
        return fmt::format(
            R"(kueue_pending_workloads{{cluster_queue="first",custom_kind="{}",custom_team="{}",{},)"
            R"(status="inadmissible"}} 1)",
            kind,
            team,
            kRole
        );
    };
    constexpr std::string_view kUntracked = "kueue.x-k8s.io/_UNTRACKED_VALUE_";
    CHECK(has_line(fresh_page(reporter), pending(kUntracked, "blue")));
    const std::string workload = cluster.workload_of("team", "a");
    cluster.merge(
        {kind_of<api::Workload>(), "team", workload}, "{'metadata':{'labels':{'kind':'x'}}}"
    );
    cluster.merge(queue, "{'metadata':{'labels':{'team':'red'}}}");
    cluster.settle();
    const std::string page = fresh_page(reporter);
    CHECK(has_line(page, pending("x", "red")));
    CHECK(page.find("_UNTRACKED_VALUE_") == std::string::npos);
    CHECK(page.find(R"(custom_team="blue")") == std::string::npos);
}

TEST_CASE("searches for other targets of preemption are counted by what they found", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    engine::CycleResult cycle;
    for (const auto kind :
         {engine::RefusalKind::DeferredFit,
          engine::RefusalKind::PendingPreemption,
          engine::RefusalKind::OverlappingTargets,
          engine::RefusalKind::NoLongerFits}) {
        engine::RefusalDecision refusal;
        refusal.cluster_queue = cluster.controller().state.find_cluster_queue("first");
        refusal.kind = kind;
        refusal.is_recomputed = true;
        cycle.refused.push_back(refusal);
    }
    engine::RefusalDecision other;
    other.cluster_queue = cycle.refused.front().cluster_queue;
    cycle.refused.push_back(other);
    reporter.observe_cycle(cycle, {});
    const std::string page = fresh_page(reporter);
    const auto count = [&](const char* result) {
        return fmt::format(
            R"(kueue_preemption_target_recomputations_total{{cluster_queue="first",{},result="{}"}})",
            kRole,
            result
        );
    };
    CHECK(has_line(page, count("deferred_fit") + " 1"));
    CHECK(has_line(page, count("new_targets") + " 1"));
    CHECK(has_line(page, count("skipped") + " 2"));
}

TEST_CASE("a queue that is gone has lost no targets of preemption", "[metrics]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    engine::CycleResult cycle;
    for (const char* name : {"first", "second"}) {
        engine::RefusalDecision refusal;
        refusal.cluster_queue = cluster.controller().state.find_cluster_queue(name);
        refusal.kind = engine::RefusalKind::OverlappingTargets;
        cycle.refused.push_back(refusal);
    }
    reporter.observe_cycle(cycle, {});
    const auto skips = [](std::string_view name) {
        return fmt::format(
            R"(kueue_admission_cycle_preemption_skips{{cluster_queue="{}",{}}})", name, kRole
        );
    };
    REQUIRE(has_line(fresh_page(reporter), skips("second") + " 1"));
    cluster.remove({kind_of<api::LocalQueue>(), "team", "main"});
    cluster.remove({kind_of<api::ClusterQueue>(), "", "second"});
    cluster.settle();
    REQUIRE_FALSE(has_name(fresh_page(reporter), skips("second")));
    reporter.observe_cycle({}, {});
    const std::string page = fresh_page(reporter);
    CHECK_FALSE(has_name(page, skips("second")));
    CHECK(has_line(page, skips("first") + " 0"));
}

}  // namespace sluice::controller
