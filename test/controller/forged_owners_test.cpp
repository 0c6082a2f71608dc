#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>

// Owner references that a tenant writes, of Jobs and of Workloads.
namespace sluice::controller {
namespace {

std::string owner(const MiniCluster& cluster, std::string_view job) {
    return fmt::format(
        "'ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':'{}','uid':'{}',"
        "'controller':true}}]",
        job,
        cluster.at(job_key(job), {"metadata", "uid"})
    );
}

void start(MiniCluster& cluster) {
    make_queues(cluster);
    cluster.put(job("a", 1));
    cluster.settle();
    REQUIRE(is_running(cluster, "a"));
    set_active_pods(cluster, "a", 1);
    cluster.settle();
}

}  // namespace

TEST_CASE("a Workload that a tenant makes for a running job takes no place", "[bypass]") {
    MiniCluster cluster;
    start(cluster);
    const ObjectKey own = workload_key(cluster, "a");
    json::Value copy = json::Object{
        {"apiVersion", "kueue.x-k8s.io/v1beta2"},
        {"kind", "Workload"},
        {"spec", *json::parse(cluster.at(own, {"spec"}))}
    };
    json::Value metadata =
        *json::parse("{\"name\":\"0-before-all-others\",\"namespace\":\"team\"}");
    metadata.set("ownerReferences", *json::parse(cluster.at(own, {"metadata", "ownerReferences"})));
    copy.set("metadata", metadata);
    cluster.clock.advance(std::chrono::seconds(2));
    cluster.put(json::print(copy));
    cluster.settle();
    CHECK(is_running(cluster, "a"));
    CHECK(cluster.condition("team", own.name, "Admitted") == "True/Admitted");
    CHECK(workload_key(cluster, "a") == own);
}

TEST_CASE(
    "a job whose parent is not seen yet does not start on a Workload of its own", "[bypass]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    std::string child = job("child", 1);
    child.insert(
        child.find("'labels'"),
        "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'parent','uid':'p',"
        "'controller':true}],"
    );
    cluster.put(child);
    cluster.put(fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{{'name':'own',"
        "'namespace':'team',{}}},'spec':{{'queueName':'main','podSets':[{{'name':'main',"
        "'count':1,'template':{{'spec':{{'restartPolicy':'Never','containers':[{{'name':'c',"
        "'image':'i','resources':{{'requests':{{'cpu':'1'}}}}}}]}}}}}}]}}}}",
        owner(cluster, "child")
    ));
    cluster.settle();
    CHECK(cluster.condition("team", "own", "Admitted") == "True/Admitted");
    CHECK_FALSE(is_running(cluster, "child"));
    cluster.merge(job_key("child"), "{'metadata':{'ownerReferences':null}}");
    cluster.settle();
    CHECK(is_running(cluster, "child"));
    cluster.settle();
    CHECK(
        cluster.at(
            {kind_of<api::Workload>(), "team", "own"},
            {"metadata", "labels", "kueue.x-k8s.io/job-uid"}
        ) == cluster.at(job_key("child"), {"metadata", "uid"})
    );
}

TEST_CASE("a job that is said to own itself does not run without a Workload", "[bypass]") {
    MiniCluster cluster;
    start(cluster);
    cluster.merge(job_key("a"), fmt::format("{{'metadata':{{{}}}}}", owner(cluster, "a")));
    cluster.put(job("b", 1));
    cluster.settle();
    cluster.merge(
        workload_key(cluster, "a"), fmt::format("{{'metadata':{{{}}}}}", owner(cluster, "b"))
    );
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "a"));
    CHECK(is_running(cluster, "b"));
}

TEST_CASE("a held pod without its marks starts on no Workload that asks for less", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    std::string text = PodText{.name = "p", .cpu = "3"}.text();
    for (const std::string mark :
         {"'kueue.x-k8s.io/managed':'true',", ",'finalizers':['kueue.x-k8s.io/managed']"}) {
        const auto at = text.find(mark);
        REQUIRE(at != std::string::npos);
        text.erase(at, mark.size());
    }
    cluster.put(text);
    cluster.put(fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'small','namespace':'team','ownerReferences':[{{"
        "'apiVersion':'v1','kind':'Pod','name':'p','uid':'{}','controller':true}}]}},'spec':{{"
        "'queueName':'main','active':true,'podSets':[{{'name':'main','count':2,'template':{{'spec':"
        "{{'containers':[{{'name':'c','image':'i','resources':{{'requests':{{'cpu':'1'}}}}}}]}}}}}}"
        "]}}}}",
        cluster.at(pod_key("p"), {"metadata", "uid"})
    ));
    cluster.settle();
    CHECK(is_pod_gated(cluster, "p"));
}

TEST_CASE("a Workload that names a pod of a group as its owner goes with its job", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, group_pod("p-1", 1));
    cluster.put(job("a", 1));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "a");
    cluster.merge(
        workload,
        "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p-1',"
        "'uid':'wrong','controller':true}]}}"
    );
    cluster.settle();
    cluster.remove(job_key("a"));
    cluster.remove(workload);  // the garbage collector finds no such pod
    cluster.settle();
    CHECK_FALSE(is_there(cluster, workload));
    CHECK(holds_pod(cluster, "p-1"));
}

}  // namespace sluice::controller
