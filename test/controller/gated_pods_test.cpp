#include "api/kueue/kueue_names.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/reconcile/pod_rows.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

// The gates of the pods of an elastic Job, whose slice has two pods.
namespace sluice::controller {
namespace {

ObjectKey pod_key(std::string_view name) {
    return {kind_of<api::Pod>(), "team", std::string(name)};
}

/// Makes the Job, whose slice has two pods.
void submit_job(MiniCluster& cluster) {
    cluster.add_kind(pod_kind_without_jobs());
    cluster.put(job("sample", 2));
    cluster.merge(
        job_key("sample"),
        "{'metadata':{'annotations':{'kueue.x-k8s.io/elastic-job':'true'}},'spec':{'parallelism':2,"
        "'completions':2,'template':{'spec':{'schedulingGates':[{'name':'kueue.x-k8s.io/elastic-job"
        "'}]}}}}"
    );
    cluster.settle();
}

/// The same until it is admitted; the name of the slice.
std::string run_job(MiniCluster& cluster) {
    make_queues(cluster);
    submit_job(cluster);
    REQUIRE(is_running(cluster, "sample"));
    return workload_key(cluster, "sample").name;
}

void put_pod(
    MiniCluster& cluster,
    std::string_view name,
    std::string_view slice,
    std::string_view pod_set = "main",
    std::string_view more_gates = ""
) {
    cluster.put(fmt::format(
        "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','namespace':'team',"
        "'labels':{{'kueue.x-k8s.io/podset':'{}'}},"
        "'annotations':{{'kueue.x-k8s.io/workload-slice-name':'{}'}}}},"
        "'spec':{{'containers':[],'schedulingGates':[{}{{'name':'kueue.x-k8s.io/"
        "elastic-job'}}]}}}}",
        name,
        pod_set,
        slice,
        more_gates
    ));
}

bool is_gated(const MiniCluster& cluster, std::string_view name) {
    return cluster.find(pod_key(name))->find_path({"spec", "schedulingGates"}) != nullptr;
}

/// The names of those whose gate is open, of the pods a, b, c and d.
std::string open_pods(const MiniCluster& cluster) {
    std::string open;
    for (const char* name : {"a", "b", "c", "d"}) {
        const bool is_there = cluster.find(pod_key(name)) != nullptr;
        open += is_there && !is_gated(cluster, name) ? name : "";
    }
    return open;
}

}  // namespace

TEST_CASE("the gates of as many pods are opened as the slice has, by name", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    const std::string slice = run_job(cluster);
    for (const char* name : {"d", "b", "c"}) {
        put_pod(cluster, name, slice);
    }
    cluster.settle();
    CHECK(open_pods(cluster) == "bc");
    const auto opened = std::ranges::count_if(cluster.observations, [](const Observation& seen) {
        return seen.kind == Observation::Kind::GateOpened && seen.cluster_queue == "cq" &&
               seen.reason == "kueue.x-k8s.io/elastic-job";
    });
    CHECK(opened == 2);
    put_pod(cluster, "a", slice);
    cluster.settle();
    CHECK(open_pods(cluster) == "bc");
    cluster.merge(pod_key("c"), "{'status':{'phase':'Succeeded'}}");
    cluster.settle();
    CHECK(open_pods(cluster) == "abc");
    cluster.remove(pod_key("b"));
    cluster.settle();
    CHECK(open_pods(cluster) == "acd");
}

TEST_CASE("no more gates are opened than there is room, however late echoes are", "[controller]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 20));
    MiniCluster cluster(seed);
    Prng prng(seed);
    const std::string slice = run_job(cluster);
    for (const char* name : {"d", "c", "b", "a"}) {
        put_pod(cluster, name, slice);
        for (std::uint64_t steps = prng.below(6); steps > 0; --steps) {
            cluster.tick();
        }
    }
    cluster.settle();
    CHECK(open_pods(cluster).size() == 2);
}

TEST_CASE("a slice that is evicted opens no gate", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const std::string slice = run_job(cluster);
    put_pod(cluster, "a", slice);
    set_active_pods(cluster, "sample", 1);
    cluster.settle();
    REQUIRE(open_pods(cluster) == "a");
    cluster.merge({kind_of<api::Workload>(), "team", slice}, "{'spec':{'active':false}}");
    cluster.settle();
    put_pod(cluster, "b", slice);
    cluster.settle();
    CHECK(open_pods(cluster) == "a");
}

TEST_CASE("the pods of a larger slice are let go with it", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const std::string slice = run_job(cluster);
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':1,'completions':1}}");
    cluster.settle();
    put_pod(cluster, "a", slice);
    put_pod(cluster, "b", slice);
    cluster.settle();
    CHECK(open_pods(cluster) == "a");
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle();
    CHECK(open_pods(cluster) == "ab");
}

TEST_CASE("other gates, other pods and unknown pod sets are left alone", "[controller]") {
    MiniCluster cluster;
    const std::string slice = run_job(cluster);
    put_pod(cluster, "a", slice, "main", "{'name':'example.com/other'},");
    put_pod(cluster, "b", slice, "unknown");
    put_pod(cluster, "c", "no-such-slice");
    cluster.settle();
    const json::Value& gates = *cluster.find(pod_key("a"))->find_path({"spec", "schedulingGates"});
    REQUIRE(gates.as_array().size() == 1);
    CHECK(gates.as_array().front().string_at("name") == "example.com/other");
    CHECK(is_gated(cluster, "b"));
    CHECK(is_gated(cluster, "c"));
}

TEST_CASE("the topology gate of a job that Kueue started is opened", "[controller][topology]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    cluster.add_kind(pod_kind_without_jobs());
    cluster.put(job("sample", 2));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    const ObjectKey key = workload_key(cluster, "sample");
    const auto put_pods = [&] {
        for (const char* name : {"a", "b", "c"}) {
            cluster.put(fmt::format(
                "{{'apiVersion':'v1','kind':'Pod','metadata':{{'name':'{}','namespace':'team',"
                "'labels':{{'kueue.x-k8s.io/podset':'main'}},"
                "'annotations':{{'kueue.x-k8s.io/workload':'{}'}}}},'spec':{{'containers':[],"
                "'schedulingGates':[{{'name':'kueue.x-k8s.io/topology'}}]}}}}",
                name,
                key.name
            ));
        }
    };
    SECTION("for as many pods as it has") {
        put_pods();
        cluster.settle();
        CHECK(open_pods(cluster) == "ab");
        const auto opened = std::ranges::count_if(cluster.observations, [](const auto& seen) {
            return seen.kind == Observation::Kind::GateOpened &&
                   seen.reason == "kueue.x-k8s.io/topology";
        });
        CHECK(opened == 2);
    }
    SECTION("but not after an eviction") {
        set_active_pods(cluster, "sample", 2);
        cluster.merge(key, "{'spec':{'active':false}}");
        cluster.settle();
        put_pods();
        cluster.settle();
        CHECK(open_pods(cluster).empty());
    }
}

TEST_CASE("which Workloads have pods with gates", "[controller][topology]") {
    api::Workload workload;
    CHECK_FALSE(has_gated_pods(workload, true));
    workload.metadata.annotations[api::annotation::kElasticJob] = "true";
    CHECK(has_gated_pods(workload, true));
    CHECK_FALSE(has_gated_pods(workload, false));
    workload.status.admission.emplace().pod_set_assignments.emplace_back();
    CHECK_FALSE(has_gated_pods(workload, false));
    workload.status.admission->pod_set_assignments.back().topology_assignment.emplace();
    CHECK(has_gated_pods(workload, false));
}

TEST_CASE("pods are sent to the nodes that the checks of their slice chose", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(
        "{'kind':'AdmissionCheck','metadata':{'name':'c'},'spec':{'controllerName':'example.com/"
        "c'},"
        "'status':{'conditions':[{'type':'Active','status':'True','reason':'Active','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'admissionChecksStrategy':{'admissionChecks':[{'name':'c'}]}}}"
    );
    submit_job(cluster);
    const std::string slice = workload_key(cluster, "sample").name;
    const ObjectKey key{kind_of<api::Workload>(), "team", slice};
    cluster.merge(
        key,
        "{'status':{'admissionChecks':[{'name':'c','state':'Ready','message':'','podSetUpdates':[{"
        "'name':'main','nodeSelector':{'pool':'new'}}]}]}}"
    );
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    put_pod(cluster, "a", slice);
    put_pod(cluster, "b", slice);
    cluster.merge(pod_key("a"), "{'spec':{'nodeSelector':{'pool':'old'}}}");
    cluster.settle();
    CHECK(open_pods(cluster) == "b");
    CHECK(cluster.at(pod_key("b"), {"spec", "nodeSelector", "pool"}) == "new");
    CHECK(cluster.at(pod_key("a"), {"spec", "nodeSelector", "pool"}) == "old");
}

TEST_CASE("a Job stops when somebody takes gates off pods beyond its slice", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const std::string slice = run_job(cluster);
    for (const char* name : {"a", "b", "c"}) {
        put_pod(cluster, name, slice);
    }
    cluster.settle();
    REQUIRE(open_pods(cluster) == "ab");
    // Four cpus are all that there are: the larger slice waits.
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':3,'completions':3}}");
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    REQUIRE(open_pods(cluster) == "ab");
    cluster.merge(pod_key("c"), "{'spec':{'schedulingGates':null}}");
    cluster.settle();
    CHECK(has_event(cluster, "Stopped", "More pods were started than the workload slice has"));
}

}  // namespace sluice::controller
