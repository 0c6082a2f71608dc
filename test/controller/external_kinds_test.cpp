#include "controller/admitting_cluster.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/run_time_cluster.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

// Kinds that other controllers manage by Kueue's library (integrations.externalFrameworks).
namespace sluice::controller {
namespace {

std::shared_ptr<const kube::RunTimeKind> flow_names() {
    static const auto names = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "science.example", .version = "v1alpha1", .kind = "Flow", .resource = "flows"
    });
    return names;
}

std::string flow(const std::string& labels) {
    return fmt::format(
        "{{'apiVersion':'science.example/v1alpha1','kind':'Flow','metadata':{{'name':'flow',"
        "'namespace':'team','labels':{{{}}}}},'spec':{{}}}}",
        labels
    );
}

/// A Workload that the other controller has made for the flow.
std::string workload_of_flow(const std::string& uid) {
    return fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{{'name':'of-flow',"
        "'namespace':'team','ownerReferences':[{{'apiVersion':'science.example/v1alpha1','kind':"
        "'Flow','name':'flow','uid':'{}','controller':true}}]}},'spec':{{'queueName':'main',"
        "'podSets':[{{'name':'main','count':1,'template':{{'spec':{{'containers':[{{'name':'c',"
        "'image':'i','resources':{{'requests':{{'cpu':'2'}}}}}}]}}}}}}]}}}}",
        uid
    );
}

std::string child(
    const std::string& uid, bool names_queue, bool is_suspended, const char* version = "v1alpha1"
) {
    std::string text = job("child", 1);
    const std::string own = "'namespace':'team',";
    text.replace(
        text.find(own),
        own.size(),
        own + fmt::format(
                  "'ownerReferences':[{{'apiVersion':'science.example/{}','kind':'Flow',"
                  "'name':'flow','uid':'{}','controller':true}}],",
                  version,
                  uid
              )
    );
    if (!names_queue) {
        const std::string label = "'kueue.x-k8s.io/queue-name':'main'";
        text.erase(text.find(label), label.size());
    }
    if (!is_suspended) {
        text.replace(text.find("'suspend':true"), 14, "'suspend':false");
    }
    return text;
}

struct Flows {
    explicit Flows(const std::string& labels, bool is_known = true) {
        cluster.add_kind(
            is_known ? external_job_kind(flow_names()) : make_dynamic_entry(flow_names())
        );
        make_queues(cluster);
        cluster.put(flow(labels));
        cluster.settle();
        uid = cluster.at({flow_names()->kind(), "team", "flow"}, {"metadata", "uid"});
    }
    void admit_flow() {
        cluster.put(workload_of_flow(uid));
        cluster.settle();
        REQUIRE(cluster.condition("team", "of-flow", "Admitted") == "True/Admitted");
    }
    void put_child(bool names_queue = true, bool is_suspended = false) {
        cluster.put(child(uid, names_queue, is_suspended));
        cluster.settle();
    }
    bool has_workload() const { return !cluster.workload_of("team", "child").empty(); }

    AdmittingCluster cluster;
    std::string uid;
};

constexpr const char* kQueued = "'kueue.x-k8s.io/queue-name':'main'";

}  // namespace

TEST_CASE(
    "a job below an external one has no Workload and runs with it", "[controller][external]"
) {
    Flows flows(kQueued);
    SECTION("while that is admitted") {
        flows.admit_flow();
        flows.put_child();
        CHECK(is_running(flows.cluster, "child"));
        SECTION("and is stopped with it") {
            flows.cluster.merge(
                {kind_of<api::Workload>(), "team", "of-flow"}, "{'spec':{'active':false}}"
            );
            flows.cluster.settle();
            flows.cluster.merge(job_key("child"), "{'metadata':{'labels':{'touched':'x'}}}");
            flows.cluster.settle();
            // Its Workload gives its quota back by the other controller alone.
            CHECK(is_running(flows.cluster, "child"));
        }
    }
    SECTION("while it is not, the job is held") {
        flows.put_child();
        CHECK_FALSE(is_running(flows.cluster, "child"));
        CHECK(has_event(flows.cluster, "Suspended", "Kueue managed child job suspended"));
    }
    CHECK_FALSE(flows.has_workload());
}

TEST_CASE(
    "a job below an external one that names no queue is by itself", "[controller][external]"
) {
    Flows flows("");
    flows.put_child();
    CHECK(flows.has_workload());
    CHECK(is_running(flows.cluster, "child"));
}

TEST_CASE("a job below a kind that nobody named is by itself", "[controller][external]") {
    Flows flows(kQueued, false);
    flows.put_child();
    CHECK(flows.has_workload());
}

TEST_CASE("an external owner is recognized in another version", "[controller][external]") {
    Flows flows(kQueued);
    flows.admit_flow();
    flows.cluster.put(child(flows.uid, true, false, "v2"));
    flows.cluster.settle();
    CHECK(is_running(flows.cluster, "child"));
    CHECK_FALSE(flows.has_workload());
}

TEST_CASE("the Workload of an external job is left to its controller", "[controller][external]") {
    Flows flows(kQueued);
    flows.admit_flow();
    flows.cluster.restart();
    flows.cluster.settle();
    CHECK(flows.cluster.condition("team", "of-flow", "Admitted") == "True/Admitted");
    CHECK(flows.cluster.condition("team", "of-flow", "Finished").empty());
}

TEST_CASE("webhooks leave a new job below an external one to it", "[admission][external]") {
    Flows flows(kQueued);
    flows.cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'default','namespace':'team'},"
        "'spec':{'clusterQueue':'cq','stopPolicy':'None'}}"
    );
    flows.cluster.settle();
    std::string text = child(flows.uid, false, false);
    std::ranges::replace(text, '\'', '"');
    CHECK(flows.cluster.create(*json::parse(text)) == "");
    CHECK_FALSE(flows.cluster.at(job_key("child"), {"metadata", "labels"}).starts_with("{\"kueue"));
    CHECK(is_running(flows.cluster, "child"));
}

TEST_CASE("an external kind is found by discovery, whatever its plural is", "[external]") {
    RunTimeCluster cluster;
    cluster.external = {"Ox.v1alpha1.science.example"};
    const auto put_ox = [&cluster] {
        cluster.put("science.example/v1alpha1", "oxen", "team", R"(
metadata: {name: ox, namespace: team, labels: {kueue.x-k8s.io/queue-name: main}}
)");
    };
    const auto put_child = [&cluster] {
        const auto ox = cluster.client.find_value(science_path("oxen", "ox"));
        cluster.put(
            "batch/v1",
            "jobs",
            "team",
            fmt::format(
                R"(
kind: Job
metadata:
  name: child
  namespace: team
  labels: {{kueue.x-k8s.io/queue-name: main}}
  ownerReferences:
  - {{apiVersion: science.example/v1alpha1, kind: Ox, name: ox, uid: {}, controller: true}}
spec:
  suspend: false
  parallelism: 1
  completions: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]
)",
                ox->find("metadata")->string_at("uid")
            )
        );
    };
    const auto is_held = [&cluster] {
        const auto job = cluster.client.find<api::Job>("team", "child");
        return job && job->spec.suspend == true;
    };
    cluster.client.serve(science_kind("Ox", "oxen"));
    put_ox();
    SECTION("at the start") {
        cluster.start();
        put_child();
        CHECK(cluster.eventually(is_held));
    }
    SECTION("or once discovery tells it; what names it as its owner waits") {
        const std::string target = "/apis/science.example/v1alpha1";
        cluster.client.set_raw(target, R"({"resources":[]})");
        cluster.start();
        put_child();
        cluster.pass_time();
        CHECK_FALSE(is_held());
        CHECK(cluster.client.all<api::Workload>().empty());
        cluster.client.unset_raw(target);
        CHECK(cluster.eventually(is_held));
    }
    CHECK(cluster.client.all<api::Workload>().empty());
    cluster.stop();
}

}  // namespace sluice::controller
