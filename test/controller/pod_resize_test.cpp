#include "controller/jobs/pod/pod_resize.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/known_stores.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// Pods that are resized in place: what they request stays within what quota counts.
namespace sluice::controller {
namespace {

/// Stores with Job `j` of pods of 2 cpus, which counts with them, and the webhook over them.
struct Resizes {
    Registry registry;
    Stores stores;
    Settings settings;
    config::FeatureGates gates;

    explicit Resizes(bool with_pods) {
        std::vector<KindEntry> more;
        if (with_pods) {
            more.push_back(pod_kind(true));
        }
        registry = make_registry({}, true, std::move(more));
        add_synced_stores(registry, stores);
        put(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})");
        put(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"ns",
            "uid":"1","labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"template":{"spec":{
            "containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}}})");
        workload("w", "batch/v1", "Job", "j", "1");
    }
    void put(std::string_view json) {
        const auto value = json::parse(json);
        REQUIRE(value);
        const auto kind = stores.find_kind(
            kube::group_of(value->string_at("apiVersion")), value->string_at("kind")
        );
        REQUIRE(kind);
        const auto object = stores.find(*kind)->decode(json, {});
        REQUIRE(object);
        stores.find(*kind)->upsert(*object);
    }
    void workload(
        std::string_view name,
        std::string_view api_version,
        std::string_view owner,
        std::string_view owner_name,
        std::string_view uid
    ) {
        put(fmt::format(
            R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{{"name":"{}",
            "namespace":"ns","ownerReferences":[{{"apiVersion":"{}","kind":"{}","name":"{}",
            "uid":"{}","controller":true}}]}},"spec":{{"podSets":[{{"name":"main","count":1,
            "template":{{"spec":{{"containers":[{{"name":"c","resources":{{"requests":
            {{"cpu":"2"}}}}}}]}}}}}}]}},"status":{{"admission":{{"clusterQueue":"cq"}},"conditions":
            [{{"type":"QuotaReserved","status":"True"}},
            {{"type":"Admitted","status":"True"}}]}}}})",
            name,
            api_version,
            owner,
            owner_name,
            uid
        ));
    }
    static std::string pod(std::string_view metadata, std::string_view cpu) {
        return fmt::format(
            R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","uid":"7"{}}},"spec":{{
            "containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{}"}}}}}}]}}}})",
            metadata,
            cpu
        );
    }
    /// Why it is refused; "": it is not.
    std::string resize(std::string_view metadata, std::string_view from, std::string_view to)
        const {
        api::AdmissionRequest request;
        request.namespace_ = "ns";
        request.operation = "UPDATE";
        request.sub_resource = "resize";
        request.object = api::RawJson(pod(metadata, to));
        request.old_object = api::RawJson(pod(metadata, from));
        const AdmissionContext context{registry.job_kinds(), stores, settings, gates};
        const auto verdict = judge_resize(context, request);
        return verdict ? verdict->refusal : verdict.error().detail;
    }
};

constexpr std::string_view kOwned =
    R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"1",
    "controller":true}])";
constexpr std::string_view kLabelled =
    R"(,"labels":{"batch.kubernetes.io/job-name":"j","batch.kubernetes.io/controller-uid":"1"})";
constexpr std::string_view kRefusal =
    "pod p cannot be resized to 3 of cpu: Job j counts 2 for it; ask for no more, or change the "
    "job so that it is admitted with more";

}  // namespace

TEST_CASE("a pod of a managed job grows up to what is counted", "[resize]") {
    const Resizes resizes(GENERATE(true, false));
    const std::string_view metadata = GENERATE(kOwned, kLabelled);
    CHECK(resizes.resize(metadata, "2", "3") == kRefusal);
    CHECK(resizes.resize(metadata, "1", "3") == kRefusal);
    CHECK(resizes.resize(metadata, "2", "1").empty());
    CHECK(resizes.resize(metadata, "1", "2").empty());
    // It grew while nobody answered.
    CHECK(resizes.resize(metadata, "5", "4").empty());
}

TEST_CASE("a pod that no quota counts may be resized", "[resize]") {
    const Resizes resizes(GENERATE(true, false));
    CHECK(resizes.resize("", "2", "30").empty());
    CHECK(resizes
              .resize(
                  R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r",
                  "uid":"3","controller":true}])",
                  "2",
                  "30"
              )
              .empty());
}

TEST_CASE("a pod whose job is not known yet is not resized", "[resize]") {
    const Resizes resizes(true);
    CHECK(
        resizes.resize(
            R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"none","uid":"9",
            "controller":true}])",
            "2",
            "3"
        ) == "workload owner not found: Job none"
    );
}

TEST_CASE("a pod that its job left behind grows up to what its Workload counts", "[resize]") {
    const Resizes resizes(true);
    const std::string_view left =
        R"(,"labels":{"kueue.x-k8s.io/podset":"main"},
        "annotations":{"kueue.x-k8s.io/workload":"w"})";
    CHECK(resizes.resize(left, "2", "3").find("Workload w counts 2") != std::string::npos);
    CHECK(resizes.resize(left, "1", "2").empty());
}

TEST_CASE("a pod that is a job grows up to what its Workload counts", "[resize]") {
    Resizes resizes(true);
    const std::string_view managed = R"(,"labels":{"kueue.x-k8s.io/managed":"true"})";
    // Where the Workload is not found, it may not grow.
    CHECK(resizes.resize(managed, "2", "3").find("its job counts 2") != std::string::npos);
    CHECK(resizes.resize(managed, "2", "1").empty());
    resizes.workload("own", "v1", "Pod", "p", "7");
    CHECK(resizes.resize(managed, "1", "3").find("Workload own counts 2") != std::string::npos);
    CHECK(resizes.resize(managed, "1", "2").empty());
    // Without its label, too.
    CHECK(resizes.resize("", "1", "3").find("Workload own counts 2") != std::string::npos);
}

TEST_CASE("a managed pod that was resized to less runs on", "[resize]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .cpu = "2", .labels = {}, .annotations = {}});
    cluster.settle();
    run_pod(cluster, "a");
    cluster.settle();
    const auto resize = [&](std::string_view cpu) {
        cluster.merge(
            pod_key("a"),
            fmt::format(
                "{{'spec':{{'containers':[{{'name':'c','image':'i','resources':"
                "{{'requests':{{'cpu':'{}'}}}}}}]}}}}",
                cpu
            )
        );
        cluster.settle();
    };
    resize("1");
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
    resize("2");
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
    resize("3");  // nobody answered
    CHECK(is_pod_deleted(cluster, "a"));
}

TEST_CASE("a pod of a group that was resized to less runs on", "[resize]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2);
        pod.cpu = "2";
        put_pod(cluster, pod);
    }
    cluster.settle();
    for (const char* name : {"a", "b"}) {
        run_pod(cluster, name);
    }
    cluster.settle();
    cluster.merge(
        pod_key("a"),
        "{'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]}}"
    );
    cluster.settle();
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
    CHECK_FALSE(is_pod_deleted(cluster, "b"));
    cluster.merge(
        pod_key("a"),
        "{'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'3'}}}]}}"
    );
    cluster.settle();
    CHECK(is_pod_deleted(cluster, "a"));
}

}  // namespace sluice::controller
