#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/known_stores.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What happens to Deployments, StatefulSets and LeaderWorkerSets when they are written.
namespace sluice::controller {
namespace {

/// Stores with what the API server has, and the webhooks over them.
struct ServingWebhooks {
    Registry registry = make_registry(
        {},
        true,
        {pod_kind(true),
         deployment_kind(),
         replica_set_kind(),
         stateful_set_kind(true),
         leader_worker_set_kind()}
    );
    Stores stores;
    Settings settings;
    config::FeatureGates gates;

    ServingWebhooks() {
        add_synced_stores(registry, stores);
        put(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})");
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
    Result<webhook::Verdict> ask(
        std::string_view group,
        std::string_view kind,
        std::string_view object,
        std::string_view before,
        bool judges
    ) const {
        const auto to_json = [](std::string_view yaml) {
            const auto value = yaml::parse_document(yaml);
            REQUIRE(value);
            return api::RawJson(json::print(*value));
        };
        api::AdmissionRequest made;
        made.uid = "u";
        made.namespace_ = "ns";
        made.operation = before == "null" ? "CREATE" : "UPDATE";
        made.object = to_json(object);
        made.old_object = to_json(before);
        const AdmissionContext context{registry.job_kinds(), stores, settings, gates};
        const KindAdmission& admission = *registry.find(group, kind)->admission;
        return judges ? admission.judge(context, made) : admission.apply_defaults(context, made);
    }
    /// The changed object.
    std::string defaults(std::string_view group, std::string_view kind, std::string_view object)
        const {
        const auto verdict = ask(group, kind, object, "null", false);
        REQUIRE(verdict);
        return verdict->changed ? json::print_sorted(*verdict->changed) : "";
    }
    std::string refusal(
        std::string_view group,
        std::string_view kind,
        std::string_view object,
        std::string_view before = "null"
    ) const {
        const auto verdict = ask(group, kind, object, before, true);
        return verdict ? verdict->refusal : verdict.error().detail;
    }
};

constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name: q";

std::string workload_maker(
    std::string_view labels, std::string_view spec = "", std::string_view more = ""
) {
    return fmt::format(
        "{{metadata: {{name: web, uid: '7', labels: {{{}}}}}, spec: {{{}template: {{spec: "
        "{{containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]}}}}}}{}}}",
        labels,
        spec,
        more
    );
}

std::string leader_worker_set(
    std::string_view labels, std::string_view group = "size: 2", std::string_view spec = ""
) {
    return fmt::format(
        "{{metadata: {{name: llm, uid: '8', labels: {{{}}}}}, spec: {{{}leaderWorkerTemplate: "
        "{{{}, workerTemplate: {{spec: {{containers: [{{name: c}}]}}}}}}}}}}",
        labels,
        spec,
        group
    );
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

constexpr std::string_view kLws = "leaderworkerset.x-k8s.io";

}  // namespace

TEST_CASE("a Deployment that names a queue has its pods held back", "[admission]") {
    const ServingWebhooks webhooks;
    const std::string labels = std::string(kQueue) + ", kueue.x-k8s.io/priority-class: high";
    const std::string made = webhooks.defaults("apps", "Deployment", workload_maker(labels));
    CHECK(has(made, R"("annotations":{"kueue.x-k8s.io/pod-suspending-parent":"deployment"})"));
    CHECK(
        has(made,
            R"("labels":{"kueue.x-k8s.io/managed":"true","kueue.x-k8s.io/priority-class":"high",)"
            R"("kueue.x-k8s.io/queue-name":"q"})")
    );
    CHECK_FALSE(has(
        webhooks.defaults("apps", "Deployment", workload_maker("app: web")), "pod-suspending-parent"
    ));
}

TEST_CASE("without a queue a Deployment is held where it gets one or needs none", "[admission]") {
    ServingWebhooks webhooks;
    SECTION("the default queue") {
        webhooks.put(R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue",
            "metadata":{"name":"default","namespace":"ns"},
            "spec":{"clusterQueue":"cq","stopPolicy":"None"}})");
        const std::string made = webhooks.defaults("apps", "Deployment", workload_maker(""));
        CHECK(has(made, R"("kueue.x-k8s.io/queue-name":"default")"));
        CHECK(has(made, "pod-suspending-parent"));
    }
    SECTION("manageJobsWithoutQueueName") {
        webhooks.settings.manage_jobs_without_queue_name = true;
        CHECK(has(
            webhooks.defaults("apps", "Deployment", workload_maker("")), "pod-suspending-parent"
        ));
    }
}

TEST_CASE("what a Deployment may not say or change", "[admission]") {
    const ServingWebhooks webhooks;
    CHECK(webhooks.refusal("apps", "Deployment", workload_maker(kQueue)).empty());
    CHECK(
        has(webhooks.refusal("apps", "Deployment", workload_maker("kueue.x-k8s.io/queue-name: Q_")),
            "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value")
    );
    const std::string idle = workload_maker(kQueue);
    const std::string ready = workload_maker(kQueue, "", ", status: {readyReplicas: 1}");
    const std::string moved = workload_maker("kueue.x-k8s.io/queue-name: other");
    CHECK(webhooks.refusal("apps", "Deployment", moved, idle).empty());
    CHECK(has(
        webhooks.refusal("apps", "Deployment", moved, ready),
        R"(metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "other": field is immutable)"
    ));
    CHECK(
        has(webhooks.refusal("apps", "Deployment", workload_maker(""), idle), "field is immutable")
    );
    const std::string classed =
        workload_maker(std::string(kQueue) + ", kueue.x-k8s.io/priority-class: high");
    CHECK(webhooks.refusal("apps", "Deployment", classed, idle).empty());
    CHECK(
        has(webhooks.refusal("apps", "Deployment", classed, ready),
            "WorkloadPriorityClass cannot be added to a non-suspended workload")
    );
    CHECK(
        has(webhooks.refusal("apps", "Deployment", idle, classed),
            "WorkloadPriorityClass cannot be removed from a workload")
    );
}

TEST_CASE("a StatefulSet's template says only who holds its pods back", "[admission]") {
    const ServingWebhooks webhooks;
    const std::string made = webhooks.defaults("apps", "StatefulSet", workload_maker(kQueue));
    CHECK(has(made, R"("annotations":{"kueue.x-k8s.io/pod-suspending-parent":"statefulset"})"));
    CHECK_FALSE(has(made, "kueue.x-k8s.io/managed"));
    const std::string other =
        "{metadata: {name: web, labels: {kueue.x-k8s.io/queue-name: q}}, spec: {template: "
        "{metadata: {annotations: {kueue.x-k8s.io/pod-suspending-parent: other}}}}}";
    CHECK(webhooks.defaults("apps", "StatefulSet", other).empty());
}

TEST_CASE("a StatefulSet is scaled to zero and from there, and not otherwise", "[admission]") {
    ServingWebhooks webhooks;
    const auto scaled = [](int replicas, std::string_view more = "") {
        return workload_maker(kQueue, fmt::format("replicas: {}, ", replicas), more);
    };
    CHECK(webhooks.refusal("apps", "StatefulSet", scaled(0), scaled(3)).empty());
    CHECK(
        has(webhooks.refusal("apps", "StatefulSet", scaled(2), scaled(3)),
            "spec.replicas: Invalid value: 2: field is immutable")
    );
    CHECK(webhooks.refusal("apps", "StatefulSet", scaled(2), scaled(0)).empty());
    CHECK(has(
        webhooks.refusal("apps", "StatefulSet", scaled(2, ", status: {replicas: 1}"), scaled(0)),
        "spec.replicas: Forbidden: scaling down is still in progress"
    ));
    api::ObjectMeta metadata;
    metadata.uid = "7";
    const std::string name = group_workload_name(
        {*webhooks.stores.find_kind("apps", "StatefulSet"), "", metadata}, "web", {}
    );
    const auto put_workload = [&](std::string_view reason) {
        webhooks.put(fmt::format(
            R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{{"name":"{}",)"
            R"("namespace":"ns"}},"status":{{"conditions":[{{"type":"QuotaReserved",)"
            R"("status":"False","reason":"{}"}}]}}}})",
            name,
            reason
        ));
    };
    put_workload("OnHold");
    CHECK(webhooks.refusal("apps", "StatefulSet", scaled(2), scaled(0)).empty());
    put_workload("PendingEvaluation");
    CHECK(
        has(webhooks.refusal("apps", "StatefulSet", scaled(2), scaled(0)),
            "workload from previous scale-down is still being deleted")
    );
}

TEST_CASE("what a pod is admitted for may not change in a StatefulSet", "[admission]") {
    const ServingWebhooks webhooks;
    const auto of_cpu = [](std::string_view labels, std::string_view container) {
        return fmt::format(
            "{{metadata: {{name: web, labels: {{{}}}}}, spec: {{template: {{spec: {{containers: "
            "[{{name: c, {}}}]}}}}}}}}",
            labels,
            container
        );
    };
    const std::string before = of_cpu(kQueue, "image: a, resources: {requests: {cpu: '1'}}");
    CHECK(webhooks
              .refusal(
                  "apps",
                  "StatefulSet",
                  of_cpu(kQueue, "image: b, resources: {requests: {cpu: 1000m}}"),
                  before
              )
              .empty());
    CHECK(
        has(webhooks.refusal(
                "apps",
                "StatefulSet",
                of_cpu(kQueue, "image: a, resources: {requests: {cpu: '2'}}"),
                before
            ),
            "spec.template.spec.containers[0].resources.requests: Invalid value")
    );
    CHECK(webhooks
              .refusal(
                  "apps",
                  "StatefulSet",
                  of_cpu("", "image: a, resources: {requests: {cpu: '2'}}"),
                  of_cpu("", "image: a")
              )
              .empty());
}

TEST_CASE("pods that are served count for as much after an update", "[admission]") {
    struct Change {
        std::string_view promise;
        std::string before;
        std::string after;
        std::string_view field;  ///< refused; empty: accepted
    };
    const auto in_container = [](std::string_view resources) {
        return fmt::format("containers: [{{name: c, image: i, resources: {{{}}}}}]", resources);
    };
    const std::string kPlain = in_container("requests: {cpu: '1'}");
    const auto c = GENERATE_COPY(
        Change{
            "limits alone are requests",
            in_container("limits: {cpu: '1'}"),
            in_container("limits: {cpu: '30'}"),
            "containers[0].resources.requests"
        },
        Change{
            "so are limits of devices",
            in_container("limits: {nvidia.com/gpu: 1}"),
            in_container("limits: {nvidia.com/gpu: 8}"),
            "containers[0].resources.requests"
        },
        Change{
            "a limit where there was none is a request",
            kPlain,
            in_container("requests: {cpu: '1'}, limits: {memory: 1Gi}"),
            "containers[0].resources.requests"
        },
        Change{
            "a request that is taken away leaves its limit",
            in_container("requests: {cpu: '1'}, limits: {cpu: '30'}"),
            in_container("limits: {cpu: '30'}"),
            "containers[0].resources.requests"
        },
        Change{
            "a limit above a request counts for nothing",
            in_container("requests: {cpu: '1'}, limits: {cpu: '2'}"),
            in_container("requests: {cpu: '1'}, limits: {cpu: '30'}"),
            ""
        },
        Change{
            "a written request that was the limit",
            in_container("limits: {cpu: '2'}"),
            in_container("requests: {cpu: 2000m}, limits: {cpu: '2'}"),
            ""
        },
        Change{
            "an init container that becomes a sidecar",
            "initContainers: [{name: s, image: i, resources: {requests: {cpu: '3'}}}], " + kPlain,
            "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: "
            "{cpu: '3'}}}], " +
                kPlain,
            "initContainers[0].restartPolicy"
        },
        Change{
            "limits of init containers",
            "initContainers: [{name: s, image: i, resources: {limits: {cpu: '3'}}}], " + kPlain,
            "initContainers: [{name: s, image: i, resources: {limits: {cpu: '9'}}}], " + kPlain,
            "initContainers[0].resources.requests"
        },
        Change{
            "pod-level limits alone",
            "resources: {limits: {cpu: '3'}}, containers: [{name: c, image: i}]",
            "resources: {limits: {cpu: '9'}}, containers: [{name: c, image: i}]",
            "resources"
        },
        Change{
            "pod-level limits above what the containers ask for",
            "resources: {limits: {cpu: '3'}}, " + kPlain,
            "resources: {limits: {cpu: '9'}}, " + kPlain,
            ""
        },
        Change{
            "pod-level requests that are new",
            kPlain,
            "resources: {requests: {cpu: '9'}}, " + kPlain,
            "resources"
        },
        Change{"overhead", kPlain, "overhead: {cpu: '9'}, " + kPlain, "overhead"},
        Change{"a runtime class", kPlain, "runtimeClassName: kata, " + kPlain, "runtimeClassName"}
    );
    CAPTURE(c.promise);
    const ServingWebhooks webhooks;
    const auto check = [&](const std::string& refused, std::string_view path) {
        const std::string field = fmt::format("{}.{}: Invalid value", path, c.field);
        CHECK((c.field.empty() ? refused.empty() : has(refused, field)));
    };
    const auto set_of = [](std::string_view spec) {
        return fmt::format(
            "{{metadata: {{name: web, labels: {{{}}}}}, spec: {{template: {{spec: {{{}}}}}}}}}",
            kQueue,
            spec
        );
    };
    check(
        webhooks.refusal("apps", "StatefulSet", set_of(c.after), set_of(c.before)),
        "spec.template.spec"
    );
    const auto group_of = [](std::string_view name, std::string_view spec) {
        const bool has_leader = name == "leaderTemplate";
        return fmt::format(
            "{{metadata: {{name: web, labels: {{{}}}}}, spec: {{leaderWorkerTemplate: {{size: 2, "
            "{}: {{spec: {{{}}}}}{}}}}}}}",
            kQueue,
            name,
            spec,
            has_leader ? ", workerTemplate: {spec: {containers: [{name: c, image: i}]}}" : ""
        );
    };
    for (const std::string_view name : {"leaderTemplate", "workerTemplate"}) {
        check(
            webhooks.refusal(
                "leaderworkerset.x-k8s.io",
                "LeaderWorkerSet",
                group_of(name, c.after),
                group_of(name, c.before)
            ),
            fmt::format("spec.leaderWorkerTemplate.{}.spec", name)
        );
    }
}

TEST_CASE("both templates of a LeaderWorkerSet are held back", "[admission]") {
    const ServingWebhooks webhooks;
    const std::string made = webhooks.defaults(
        kLws, "LeaderWorkerSet", leader_worker_set(kQueue, "size: 2, leaderTemplate: {spec: {}}")
    );
    constexpr std::string_view kHeld =
        R"("kueue.x-k8s.io/pod-suspending-parent":"leaderworkerset.x-k8s.io/leaderworkerset"})";
    const auto first = made.find(kHeld);
    REQUIRE(first != std::string::npos);
    CHECK(made.find(kHeld, first + 1) != std::string::npos);
    CHECK(has(made, R"("kueue.x-k8s.io/pod-group-serving":"true")"));
    CHECK(has(made, R"("kueue.x-k8s.io/pod-index-offset":"1")"));
    CHECK(has(made, R"("labels":{"kueue.x-k8s.io/queue-name":"q"})"));
}

TEST_CASE("what a LeaderWorkerSet may not say or change", "[admission]") {
    ServingWebhooks webhooks;
    const auto refusal = [&webhooks](const std::string& after, const std::string& before = "null") {
        return webhooks.refusal(kLws, "LeaderWorkerSet", after, before);
    };
    CHECK(refusal(leader_worker_set(kQueue)).empty());
    CHECK(
        has(refusal(leader_worker_set(kQueue, "size: 2", "replicas: 1000001, ")),
            "spec.replicas: Invalid value: 1000001: invalid LeaderWorkerSet replicas: must be <= "
            "1000000, got 1000001")
    );
    CHECK(refusal(leader_worker_set(kQueue, "size: 2", "replicas: 5, "), leader_worker_set(kQueue))
              .empty());
    CHECK(
        has(refusal(leader_worker_set(kQueue, "size: 3"), leader_worker_set(kQueue)),
            "spec.leaderWorkerTemplate.size: Invalid value: 3: field is immutable")
    );
    CHECK(refusal(leader_worker_set("", "size: 3"), leader_worker_set("")).empty());
    CHECK(
        has(refusal(
                leader_worker_set(kQueue, "size: 2, leaderTemplate: {spec: {}}"),
                leader_worker_set(kQueue)
            ),
            "spec.leaderWorkerTemplate.leaderTemplate: Invalid value")
    );
    CHECK(
        has(refusal(leader_worker_set(
                kQueue,
                "size: 2, leaderTemplate: {metadata: {annotations: "
                "{kueue.x-k8s.io/podset-required-topology: rack, "
                "kueue.x-k8s.io/podset-preferred-topology: rack}}}"
            )),
            "spec.leaderWorkerTemplate.leaderTemplate.metadata.annotations")
    );
}

TEST_CASE("what a managed object makes is not held by itself", "[admission]") {
    ServingWebhooks webhooks;
    webhooks.put(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"ns",
        "uid":"1","labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"template":{}}})");
    const std::string owned =
        "{metadata: {name: web, labels: {kueue.x-k8s.io/queue-name: q}, ownerReferences: "
        "[{apiVersion: batch/v1, kind: Job, name: j, uid: '1', controller: true}]}, spec: "
        "{template: {}}}";
    CHECK_FALSE(has(webhooks.defaults("apps", "Deployment", owned), "pod-suspending-parent"));
    CHECK_FALSE(has(webhooks.defaults("apps", "StatefulSet", owned), "pod-suspending-parent"));
}

TEST_CASE("a pod below a managed Deployment is found through its ReplicaSet", "[admission]") {
    ServingWebhooks webhooks;
    webhooks.put(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",
        "namespace":"ns","uid":"1","labels":{"kueue.x-k8s.io/queue-name":"q"}}})");
    webhooks.put(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r",
        "namespace":"ns","uid":"2","labels":{"kueue.x-k8s.io/queue-name":"q"},"ownerReferences":[
        {"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"1","controller":true}]}})");
    const std::string pod =
        "{metadata: {name: p, labels: {kueue.x-k8s.io/queue-name: q}, ownerReferences: "
        "[{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: '2', controller: true}]}, spec: "
        "{containers: [{name: c}]}}";
    api::AdmissionRequest request;
    request.namespace_ = "ns";
    request.operation = "CREATE";
    request.object = api::RawJson(json::print(*yaml::parse_document(pod)));
    const AdmissionContext context{
        webhooks.registry.job_kinds(), webhooks.stores, webhooks.settings, webhooks.gates
    };
    const KindAdmission& pods = *context.kinds.find("", "Pod")->admission();
    const auto verdict = pods.apply_defaults(context, request);
    REQUIRE(verdict);
    CHECK_FALSE(verdict->changed);
}

}  // namespace sluice::controller
