#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

// RayJobs and RayServices with the RayClusters that KubeRay makes for them.
namespace sluice::controller {
namespace {

const JobSample& sample_of(std::string_view file) {
    return *std::ranges::find(job_samples(), file, &JobSample::file);
}

/// A cluster with the Ray kinds, and a job `sample` of one of them.
struct RayCase {
    explicit RayCase(std::string_view file, Settings settings = {})
        : sample(sample_of(file)), cluster(std::move(settings)) {
        for (const char* kind : {"rayjob", "raycluster", "rayservice"}) {
            cluster.add_kind(described_job_kind(sample_of(kind).kind));
        }
        make_large_queues(cluster);
        key = key_of(sample.object.string_at("kind"), "sample");
    }
    ObjectKey key_of(std::string_view kind, std::string_view name) {
        return {
            cluster.controller().registry.find("ray.io", kind)->kind, "team", std::string(name)
        };
    }
    void create(bool is_elastic) {
        json::Value object = sample.object;
        if (is_elastic) {
            object.find("metadata")
                ->set("annotations", json::Object{{"kueue.x-k8s.io/elastic-job", "true"}});
        }
        REQUIRE(cluster.create(object) == "");
        cluster.settle();
    }
    /// What KubeRay makes: it copies labels and annotations. Why it is refused; "": it is not.
    std::string make_child() {
        const json::Value& parent = *cluster.find(key);
        const bool is_service = parent.string_at("kind") == "RayService";
        json::Value spec =
            *parent.find_path({"spec", is_service ? "rayClusterConfig" : "rayClusterSpec"});
        spec.erase("suspend");
        json::Value metadata = json::Object{
            {"name", "child"},
            {"namespace", "team"},
            {"labels", *parent.find_path({"metadata", "labels"})},
            {"ownerReferences",
             json::Array{json::Object{
                 {"apiVersion", "ray.io/v1"},
                 {"kind", parent.string_at("kind")},
                 {"name", "sample"},
                 {"uid", cluster.at(key, {"metadata", "uid"})},
                 {"controller", true},
             }}},
        };
        if (const json::Value* annotations = parent.find_path({"metadata", "annotations"})) {
            metadata.set("annotations", *annotations);
        }
        return cluster.create(json::Object{
            {"apiVersion", "ray.io/v1"},
            {"kind", "RayCluster"},
            {"metadata", std::move(metadata)},
            {"spec", std::move(spec)},
        });
    }
    /// After KubeRay has written something into it.
    bool is_child_suspended() {
        cluster.merge(
            key_of("RayCluster", "child"),
            "{'status':{'observedGeneration':" + std::to_string(++touched) + "}}"
        );
        cluster.settle();
        return cluster.at(key_of("RayCluster", "child"), {"spec", "suspend"}) == "true";
    }
    std::vector<ObjectKey> workloads() const { return cluster.workloads_of("team", "sample"); }

    const JobSample& sample;
    AdmittingCluster cluster;
    ObjectKey key;
    int touched = 0;
};

}  // namespace

TEST_CASE("the cluster of an elastic RayJob is taken, with gates", "[job-kinds][ray]") {
    RayCase ray("rayjob");
    ray.create(true);
    REQUIRE(ray.cluster.at(ray.key, {"spec", "suspend"}) == "false");
    REQUIRE(ray.make_child() == "");
    const json::Value& child = *ray.cluster.find(ray.key_of("RayCluster", "child"));
    const auto is_gated = [](const json::Value& group) {
        const json::Value* gates = group.find_path({"template", "spec", "schedulingGates"});
        return gates != nullptr &&
               json::print(*gates) == R"([{"name":"kueue.x-k8s.io/elastic-job"}])";
    };
    CHECK(is_gated(*child.find_path({"spec", "headGroupSpec"})));
    for (const json::Value& group : child.find_path({"spec", "workerGroupSpecs"})->as_array()) {
        CHECK(is_gated(group));
    }
    ray.cluster.settle();
    CHECK_FALSE(ray.is_child_suspended());
    CHECK(ray.cluster.workloads_of("team", "child").empty());
}

TEST_CASE("the cluster of a RayJob that is not elastic has no gates", "[job-kinds][ray]") {
    RayCase ray("rayjob");
    ray.create(false);
    REQUIRE(ray.make_child() == "");
    const ObjectKey child = ray.key_of("RayCluster", "child");
    CHECK(ray.cluster.at(child, {"spec", "headGroupSpec", "template", "spec", "schedulingGates"})
              .empty());
}

TEST_CASE("an elastic RayService that grows keeps its cluster running", "[job-kinds][ray]") {
    RayCase ray("rayservice");
    ray.create(true);
    REQUIRE(ray.make_child() == "");
    ray.cluster.settle();
    REQUIRE_FALSE(ray.is_child_suspended());
    // The larger slice waits.
    ray.cluster.merge({kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'Hold'}}");
    ray.cluster.settle();
    ray.cluster.clock.advance(std::chrono::seconds(5));
    json::Value larger = *ray.cluster.find(ray.key);
    larger.find("spec")
        ->find("rayClusterConfig")
        ->find("workerGroupSpecs")
        ->as_array()[0]
        .set("replicas", 3);
    ray.cluster.put(json::print(larger));
    ray.cluster.settle();
    REQUIRE(ray.workloads().size() == 2);
    CHECK_FALSE(ray.is_child_suspended());
    SECTION("until it is evicted") {
        for (const ObjectKey& workload : ray.workloads()) {
            ray.cluster.merge(workload, "{'spec':{'active':false}}");
        }
        ray.cluster.settle();
        CHECK(ray.is_child_suspended());
    }
}

TEST_CASE(
    "a Ray object that cleans up Redis keeps its quota until KubeRay lets it go", "[job-kinds][ray]"
) {
    const std::string kind = GENERATE("raycluster", "rayjob", "rayservice");
    const bool is_deferred = GENERATE(true, false);
    CAPTURE(kind, is_deferred);
    Settings settings;
    settings.defer_ray_service_finalization = is_deferred;
    RayCase ray(kind, settings);
    ray.create(false);
    const ObjectKey workload = ray.workloads().front();
    REQUIRE(ray.cluster.condition("team", workload.name, "Admitted") == "True/Admitted");
    const std::string finalizer = GENERATE("ray.io/cleanup", "foregroundDeletion");
    ray.cluster.merge(
        ray.key,
        "{'metadata':{'annotations':{'ray.io/ft-enabled':'True'},'finalizers':['" + finalizer +
            "','example.com/own']}}"
    );
    ray.cluster.settle();
    ray.cluster.remove(ray.key);
    ray.cluster.settle();
    CHECK(ray.cluster.condition("team", workload.name, "Finished").empty() == is_deferred);
    ray.cluster.merge(ray.key, "{'metadata':{'finalizers':['example.com/own']}}");
    ray.cluster.settle();
    CHECK(ray.cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
    CHECK(quota_held(ray.cluster).empty());
}

TEST_CASE("a Ray object without fault tolerance ends when it is deleted", "[job-kinds][ray]") {
    const std::string kind = GENERATE("raycluster", "rayjob", "rayservice");
    CAPTURE(kind);
    RayCase ray(kind);
    ray.create(false);
    const ObjectKey workload = ray.workloads().front();
    ray.cluster.merge(ray.key, "{'metadata':{'finalizers':['ray.io/cleanup']}}");
    ray.cluster.remove(ray.key);
    ray.cluster.settle();
    CHECK(ray.cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
}

TEST_CASE("the Job that cleans up Redis runs below a deleted RayCluster", "[job-kinds][ray]") {
    RayCase ray("raycluster");
    ray.create(false);
    ray.cluster.merge(
        ray.key,
        "{'metadata':{'finalizers':['ray.io/gcs-ft-redis-cleanup-finalizer']},"
        "'spec':{'gcsFaultToleranceOptions':{'redisAddress':'redis:6379'}}}"
    );
    ray.cluster.settle();
    ray.cluster.remove(ray.key);
    ray.cluster.settle();
    json::Value cleanup = *yaml::parse_document(R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: cleanup
  namespace: team
  ownerReferences:
  - {apiVersion: ray.io/v1, kind: RayCluster, name: sample, uid: "", controller: true}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: i, resources: {requests: {cpu: 200m}}}]
)");
    cleanup.find("metadata")
        ->find("ownerReferences")
        ->as_array()[0]
        .set("uid", ray.cluster.at(ray.key, {"metadata", "uid"}));
    REQUIRE(ray.cluster.create(cleanup) == "");
    ray.cluster.settle();
    CHECK(ray.cluster.at(job_key("cleanup"), {"spec", "suspend"}) != "true");
    CHECK(ray.cluster.workloads_of("team", "cleanup").empty());
}

TEST_CASE("the cluster of a RayJob leaves no room for another", "[job-kinds][ray][children]") {
    RayCase ray("rayjob");
    ray.create(false);
    REQUIRE(ray.make_child() == "");
    ray.cluster.settle();
    CHECK_FALSE(ray.is_child_suspended());
    json::Value other = *ray.cluster.find(ray.key_of("RayCluster", "child"));
    other.set(
        "metadata",
        json::Object{
            {"name", "other"},
            {"namespace", "team"},
            {"ownerReferences", *other.find_path({"metadata", "ownerReferences"})},
        }
    );
    ray.cluster.put(json::print(other));
    ray.cluster.settle();
    CHECK(ray.cluster.at(ray.key_of("RayCluster", "other"), {"spec", "suspend"}) == "true");
    CHECK_FALSE(ray.is_child_suspended());
}

TEST_CASE("a RayService runs two clusters while it is updated", "[job-kinds][ray][children]") {
    RayCase ray("rayservice");
    ray.create(false);
    REQUIRE(ray.make_child() == "");
    ray.cluster.merge(
        ray.key,
        "{'status':{'activeServiceStatus':{'rayClusterName':'child'},"
        "'pendingServiceStatus':{'rayClusterName':'next'}}}"
    );
    ray.cluster.settle();
    json::Value next = *ray.cluster.find(ray.key_of("RayCluster", "child"));
    next.set(
        "metadata",
        json::Object{
            {"name", "next"},
            {"namespace", "team"},
            {"ownerReferences", *next.find_path({"metadata", "ownerReferences"})},
        }
    );
    ray.cluster.put(json::print(next));
    ray.cluster.settle();
    CHECK(ray.cluster.at(ray.key_of("RayCluster", "next"), {"spec", "suspend"}) != "true");
    CHECK_FALSE(ray.is_child_suspended());
}

TEST_CASE("the Job that cleans up Redis is taken after its RayJob has gone", "[job-kinds][ray]") {
    RayCase ray("rayjob");
    ray.create(false);
    REQUIRE(ray.make_child() == "");
    const ObjectKey child = ray.key_of("RayCluster", "child");
    ray.cluster.merge(
        child, "{'metadata':{'finalizers':['ray.io/gcs-ft-redis-cleanup-finalizer']}}"
    );
    ray.cluster.settle();
    ray.cluster.remove(ray.key);
    ray.cluster.remove(child);
    ray.cluster.settle();
    json::Value cleanup = *json::parse(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{
        "name":"cleanup","namespace":"team","ownerReferences":[{"apiVersion":"ray.io/v1",
        "kind":"RayCluster","name":"child","controller":true}]},"spec":{"template":{"spec":{
        "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"200m"}}}]}}}})");
    cleanup.find("metadata")
        ->find("ownerReferences")
        ->as_array()[0]
        .set("uid", ray.cluster.at(child, {"metadata", "uid"}));
    CHECK(ray.cluster.create(cleanup) == "");
    ray.cluster.settle();
    CHECK(ray.cluster.at(job_key("cleanup"), {"spec", "suspend"}) != "true");
}

}  // namespace sluice::controller
