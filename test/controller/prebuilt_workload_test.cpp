#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// Jobs whose Workload was made beforehand.
namespace sluice::controller {
namespace {

const std::string kLabel = ",'kueue.x-k8s.io/prebuilt-workload-name':'made'";
const ObjectKey kMade{kind_of<api::Workload>(), "team", "made"};

/// A Workload of one pod, whose container is that of job().
std::string workload(int cpu, std::string_view owner = "") {
    return fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'made','namespace':'team'{}}},'spec':{{"
        "'queueName':'main','podSets':[{{'name':'main','count':1,'template':{{'spec':{{"
        "'containers':[{{'name':'c','image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]}}}}}}]"
        "}}}}",
        owner,
        cpu
    );
}

std::size_t count_workloads(MiniCluster& cluster) {
    return cluster.controller().stores.of<api::Workload>().size();
}

}  // namespace

TEST_CASE(
    "a job takes the Workload that was made for it and runs by it", "[controller][prebuilt]"
) {
    const bool is_job_first = GENERATE(true, false);
    MiniCluster cluster;
    make_queues(cluster);
    if (is_job_first) {
        cluster.put(job("a", 1, kLabel));
        cluster.settle();
        CHECK(count_workloads(cluster) == 0);
        CHECK(has_event(cluster, "PrebuiltWorkloadNotFound", "prebuilt workload not found: made"));
        cluster.put(workload(1));
    } else {
        cluster.put(workload(1));
        cluster.settle();
        cluster.put(job("a", 1, kLabel));
    }
    cluster.settle();
    CHECK(count_workloads(cluster) == 1);
    CHECK(cluster.workload_of("team", "a") == "made");
    CHECK(is_running(cluster, "a"));
    CHECK_FALSE(cluster.at(kMade, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}).empty());
    complete(cluster, "a");
    cluster.settle();
    CHECK(cluster.condition("team", "made", "Finished") == "True/Succeeded");
}

TEST_CASE("a job that runs without its prebuilt Workload is stopped", "[controller][prebuilt]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("a", 1, kLabel));
    cluster.settle();
    cluster.merge(job_key("a"), "{'spec':{'suspend':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "a"));
}

TEST_CASE("a Workload of another object is not taken", "[controller][prebuilt]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(workload(
        1,
        ",'ownerReferences':[{'apiVersion':'example.com/v1','kind':'Other','name':'o','uid':'o',"
        "'controller':true}]"
    ));
    cluster.put(job("a", 1, kLabel));
    cluster.settle();
    CHECK(cluster.workload_of("team", "a") == "");
    CHECK(count_workloads(cluster) == 1);
    CHECK_FALSE(is_running(cluster, "a"));
    CHECK(has_event(cluster, "PrebuiltWorkloadNotFound", "prebuilt workload not found: made"));
}

TEST_CASE(
    "a prebuilt Workload that asks for something else is finished", "[controller][prebuilt]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(workload(2));
    cluster.put(job("a", 1, kLabel));
    cluster.settle();
    CHECK(cluster.condition("team", "made", "Finished") == "True/OutOfSync");
    CHECK(count_workloads(cluster) == 1);
    CHECK_FALSE(is_running(cluster, "a"));
}

TEST_CASE(
    "a prebuilt Workload counts every field of a pod that its job has", "[controller][prebuilt]"
) {
    const char* field = GENERATE(
        "'resources':{'requests':{'cpu':'1m'}}",
        "'overhead':{'cpu':'-3'}",
        "'overhead':{'cpu':'0'}",
        "'runtimeClassName':'small'",
        "'initContainers':[{'name':'s','image':'i','restartPolicy':'Always'}]"
    );
    CAPTURE(field);
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'made','namespace':'team'}},'spec':{{"
        "'queueName':'main','podSets':[{{'name':'main','count':1,'template':{{'spec':{{{},"
        "'containers':[{{'name':'c','image':'i','resources':{{'requests':{{'cpu':'3'}}}}}}]}}}}}}]"
        "}}}}",
        field
    ));
    cluster.put(job("a", 3, kLabel));
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "a"));
    CHECK(cluster.condition("team", "made", "Finished") == "True/OutOfSync");
}

TEST_CASE("the annotation names the Workload where its gate is on", "[controller][prebuilt]") {
    const bool is_on = GENERATE(true, false);
    Settings settings;
    settings.workload_identifier_annotations = is_on;
    MiniCluster cluster(1, {}, settings);
    make_queues(cluster);
    cluster.put(workload(1));
    cluster.put(job("b", 1));
    cluster.merge(
        job_key("b"),
        "{'metadata':{'annotations':{'kueue.x-k8s.io/prebuilt-workload-name':'made'}}}"
    );
    cluster.settle();
    CHECK((cluster.workload_of("team", "b") == "made") == is_on);
}

}  // namespace sluice::controller
