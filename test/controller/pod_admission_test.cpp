#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/known_stores.hpp"
#include "job_kinds/builtin.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What happens to a pod when it is written.
namespace sluice::controller {
namespace {

KindEntry kind_of_framework(std::string_view framework) {
    const auto* known = job_kinds::find_builtin(framework);
    return described_job_kind({std::make_shared<const job_kinds::Description>(*known)});
}

std::vector<KindEntry> other_kinds() {
    std::vector<KindEntry> kinds;
    kinds.push_back(pod_kind(true));
    kinds.push_back(replica_set_kind());
    kinds.push_back(kind_of_framework("sparkoperator.k8s.io/sparkapplication"));
    kinds.push_back(kind_of_framework("workload.codeflare.dev/appwrapper"));
    return kinds;
}

/// Stores with what the API server has, and the webhooks of pods over them.
struct PodWebhooks {
    Registry registry = make_registry({}, true, other_kinds());
    Stores stores;
    Settings settings;
    config::FeatureGates gates;

    PodWebhooks() {
        add_synced_stores(registry, stores);
        put(R"({"apiVersion":"v1","kind":"Namespace",
            "metadata":{"name":"ns","labels":{"team":"a"}}})");
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
    AdmissionContext context() const { return {registry.job_kinds(), stores, settings, gates}; }
    Result<webhook::Verdict> ask(
        std::string_view operation, std::string_view object, std::string_view old, bool judges
    ) const {
        const auto to_json = [](std::string_view yaml) {
            const auto value = yaml::parse_document(yaml);
            REQUIRE(value);
            return api::RawJson(json::print(*value));
        };
        api::AdmissionRequest made;
        made.uid = "u";
        made.namespace_ = "ns";
        made.operation = operation;
        made.object = to_json(object);
        made.old_object = to_json(old);
        const KindAdmission& pods = *registry.job_kinds().find("", "Pod")->admission();
        return judges ? pods.judge(context(), made) : pods.apply_defaults(context(), made);
    }
    /// The changed pod, or "" where it stays as it is.
    std::string defaults(std::string_view pod) const {
        const auto verdict = ask("CREATE", pod, "null", false);
        if (!verdict) {
            return verdict.error().detail;
        }
        return verdict->changed ? json::print_sorted(*verdict->changed) : "";
    }
    std::string created(std::string_view pod) const {
        return ask("CREATE", pod, "null", true)->refusal;
    }
    std::string updated(std::string_view before, std::string_view after) const {
        return ask("UPDATE", after, before, true)->refusal;
    }
};

std::string pod(
    std::string_view labels, std::string_view annotations = "", std::string_view more = ""
) {
    return fmt::format(
        "{{metadata: {{name: p, labels: {{{}}}, annotations: {{{}}}{}}}, spec: {{containers: "
        "[{{name: c}}]}}}}",
        labels,
        annotations,
        more
    );
}

constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name: q";
constexpr std::string_view kGroup = "kueue.x-k8s.io/pod-group-name: g";
constexpr std::string_view kTotal = "kueue.x-k8s.io/pod-group-total-count: ";
constexpr std::string_view kJob =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"ns","uid":"1",
    "labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"template":{}}})";
constexpr std::string_view kOwnedByJob =
    ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: '1', controller: true}]";

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a new pod that names a queue is held back", "[admission]") {
    const PodWebhooks webhooks;
    const std::string made = webhooks.defaults(pod(kQueue));
    CHECK(has(made, R"("finalizers":["kueue.x-k8s.io/managed"])"));
    CHECK(has(
        made,
        R"("schedulingGates":[{"name":"kueue.x-k8s.io/admission"},{"name":"kueue.x-k8s.io/topology"}])"
    ));
    CHECK(has(made, R"("kueue.x-k8s.io/managed":"true")"));
    CHECK(has(made, R"("kueue.x-k8s.io/role-hash":")"));
    // Its role is kept where it says one.
    CHECK(
        has(webhooks.defaults(pod(kQueue, "kueue.x-k8s.io/role-hash: mine")),
            R"("kueue.x-k8s.io/role-hash":"mine")")
    );
}

TEST_CASE("pods that are nobody's concern stay as they are", "[admission]") {
    PodWebhooks webhooks;
    CHECK(webhooks.defaults(pod("")).empty());
    CHECK(webhooks.defaults(pod("app: x")).empty());
    SECTION("and pods of managed jobs") {
        webhooks.put(kJob);
        CHECK(webhooks.defaults(pod(kQueue, "", kOwnedByJob)).empty());
    }
    SECTION("and pods in other namespaces") {
        webhooks.settings.managed_jobs_namespaces =
            *api::Selector::make({.match_labels = {{"team", "b"}}, .match_expressions = {}});
        CHECK(webhooks.defaults(pod(kQueue)).empty());
    }
}

TEST_CASE("a pod that its Job does not select is held back by itself", "[admission][children]") {
    PodWebhooks webhooks;
    std::string job(kJob);
    SECTION("by the uid that the Job controller gives to pods") {}
    SECTION("by the selector") {
        const std::string spec = R"("spec":{)";
        job.insert(job.find(spec) + spec.size(), R"("selector":{"matchLabels":{"app":"mine"}},)");
    }
    webhooks.put(job);
    const auto asking = [](std::string_view labels) {
        std::string text = pod(labels, "", kOwnedByJob);
        const std::string container = "{name: c}";
        return text.replace(
            text.find(container), container.size(), "{name: c, resources: {requests: {cpu: '1'}}}"
        );
    };
    CHECK(has(webhooks.defaults(asking(kQueue)), "kueue.x-k8s.io/admission"));
    const std::string made =
        fmt::format("{}, app: mine, batch.kubernetes.io/controller-uid: '1'", kQueue);
    CHECK(webhooks.defaults(asking(made)).empty());
}

TEST_CASE("a pod that another pod controls counts with the pods that make some", "[admission]") {
    const auto maker = [](std::string_view owner, std::string_view kind) {
        return fmt::format(
            R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"maker","namespace":"ns",)"
            R"("uid":"2","ownerReferences":[{{"apiVersion":"{}","kind":"{}","name":"j","uid":"1",)"
            R"("controller":true}}]}},"spec":{{"containers":[{{"name":"c"}}]}}}})",
            owner,
            kind
        );
    };
    constexpr std::string_view kOwnedByPod =
        ", ownerReferences: [{apiVersion: v1, kind: Pod, name: maker, uid: '2', controller: true}]";
    PodWebhooks webhooks;
    SECTION("not with a Job") {
        webhooks.put(kJob);
        webhooks.put(maker("batch/v1", "Job"));
        CHECK(has(webhooks.defaults(pod(kQueue, "", kOwnedByPod)), "kueue.x-k8s.io/admission"));
    }
    SECTION("with a SparkApplication, whose driver makes executors") {
        webhooks.put(
            R"({"apiVersion":"sparkoperator.k8s.io/v1beta2","kind":"SparkApplication","metadata":{"name":"j","namespace":"ns","uid":"1","labels":{"kueue.x-k8s.io/queue-name":"q"}}})"
        );
        webhooks.put(maker("sparkoperator.k8s.io/v1beta2", "SparkApplication"));
        CHECK(webhooks.defaults(pod(kQueue, "", kOwnedByPod)).empty());
    }
}

TEST_CASE(
    "pods of a scaled Deployment below a job are held back beyond what counts",
    "[admission][children]"
) {
    PodWebhooks webhooks;
    for (const std::string_view each : {
             R"({"apiVersion":"workload.codeflare.dev/v1beta2","kind":"AppWrapper","metadata":{"name":"w","namespace":"ns","uid":"1","labels":{"kueue.x-k8s.io/queue-name":"of-job"}},"spec":{"components":[]}})",
             R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"counts","namespace":"ns","uid":"5","ownerReferences":[{"apiVersion":"workload.codeflare.dev/v1beta2","kind":"AppWrapper","name":"w","uid":"1","controller":true}]},"spec":{"podSets":[{"name":"a","count":2,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}}]}})",
             R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"rs","namespace":"ns","uid":"2","ownerReferences":[{"apiVersion":"workload.codeflare.dev/v1beta2","kind":"AppWrapper","name":"w","uid":"1","controller":true}]}})",
         }) {
        webhooks.put(each);
    }
    const auto running = [&](std::string_view name, std::string_view more) {
        webhooks.put(fmt::format(
            R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"ns","uid":"{}","ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"2","controller":true}}]{}}},"spec":{{"containers":[{{"name":"c","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}})",
            name,
            name,
            more
        ));
    };
    std::string asking =
        pod("kueue.x-k8s.io/podset: a",
            "kueue.x-k8s.io/workload: counts",
            ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: '2', "
            "controller: true}]");
    const std::string container = "{name: c}";
    asking.replace(
        asking.find(container), container.size(), "{name: c, resources: {requests: {cpu: '1'}}}"
    );
    running("one", "");
    CHECK(webhooks.defaults(asking).empty());
    SECTION("though the others count by themselves or end") {
        running("two", R"(,"labels":{"kueue.x-k8s.io/managed":"true"})");
        running("three", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
        CHECK(webhooks.defaults(asking).empty());
    }
    SECTION("and ask for quota where the job does") {
        SECTION("when they are there") {
            running("two", "");
        }
        SECTION("when they are on their way") {
            webhooks.put(
                R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"rs","namespace":"ns","uid":"2","annotations":{"deployment.kubernetes.io/desired-replicas":"3"},"ownerReferences":[{"apiVersion":"workload.codeflare.dev/v1beta2","kind":"AppWrapper","name":"w","uid":"1","controller":true}]}})"
            );
        }
        const std::string made = webhooks.defaults(asking);
        CHECK(has(made, "kueue.x-k8s.io/admission"));
        CHECK(has(made, R"("kueue.x-k8s.io/queue-name":"of-job")"));
        CHECK(has(made, R"("kueue.x-k8s.io/managed":"true")"));
        CHECK(!has(made, "kueue.x-k8s.io/podset"));
        CHECK(!has(made, "kueue.x-k8s.io/workload"));
    }
}

TEST_CASE("pods without a queue are held back where they get one or need none", "[admission]") {
    PodWebhooks webhooks;
    SECTION("the default queue") {
        webhooks.put(
            R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"default","namespace":"ns"},"spec":{"clusterQueue":"q"}})"
        );
        CHECK(has(webhooks.defaults(pod("")), R"("kueue.x-k8s.io/queue-name":"default")"));
    }
    SECTION("manageJobsWithoutQueueName") {
        webhooks.settings.manage_jobs_without_queue_name = true;
        CHECK(has(webhooks.defaults(pod("")), R"("kueue.x-k8s.io/managed":"true")"));
    }
}

TEST_CASE("a pod that another framework holds back is only gated", "[admission]") {
    const PodWebhooks webhooks;
    const std::string made = webhooks.defaults(
        pod("rank: '3'",
            "kueue.x-k8s.io/pod-suspending-parent: statefulset, "
            "kueue.x-k8s.io/pod-group-pod-index-label: rank")
    );
    CHECK(has(made, "kueue.x-k8s.io/admission"));
    CHECK(has(made, R"("kueue.x-k8s.io/pod-group-pod-index":"3")"));
    CHECK_FALSE(has(made, "finalizers"));
    CHECK_FALSE(has(made, R"("kueue.x-k8s.io/managed")"));
}

TEST_CASE(
    "where only other frameworks turned pods on, other pods stay as they are", "[admission]"
) {
    PodWebhooks webhooks;
    webhooks.settings.manages_held_pods_alone = true;
    CHECK(webhooks.defaults(pod(kQueue)).empty());
    CHECK(
        has(webhooks.defaults(pod("", "kueue.x-k8s.io/pod-suspending-parent: deployment")),
            "kueue.x-k8s.io/admission")
    );
}

TEST_CASE("what pods may not say", "[admission]") {
    const PodWebhooks webhooks;
    CHECK(webhooks.created(pod(kQueue)).empty());
    CHECK(webhooks.created(pod(kQueue, fmt::format("{}, {}'2'", kGroup, kTotal))).empty());
    CHECK(
        webhooks.created(pod("kueue.x-k8s.io/managed: 'yes'")) ==
        "metadata.labels[kueue.x-k8s.io/managed]: Forbidden: managed label value can only be "
        "'true'"
    );
    CHECK(
        webhooks.created(pod(kGroup)) ==
        "metadata.annotations[kueue.x-k8s.io/pod-group-total-count]: Required value: both the "
        "'kueue.x-k8s.io/pod-group-total-count' annotation and the "
        "'kueue.x-k8s.io/pod-group-name' label should be set"
    );
    CHECK(
        webhooks.created(pod("", kGroup)) ==
        "metadata.annotations[kueue.x-k8s.io/pod-group-total-count]: Required value: both the "
        "'kueue.x-k8s.io/pod-group-total-count' annotation and the "
        "'kueue.x-k8s.io/pod-group-name' annotation should be set"
    );
    CHECK(
        webhooks.created(pod("", fmt::format("{}'2'", kTotal))) ==
        "metadata.labels[kueue.x-k8s.io/pod-group-name]: Required value: both the "
        "'kueue.x-k8s.io/pod-group-total-count' annotation and the "
        "'kueue.x-k8s.io/pod-group-name' label should be set"
    );
    CHECK(has(
        webhooks.created(pod(kGroup, fmt::format("{}'0'", kTotal))),
        "incorrect annotation value 'kueue.x-k8s.io/pod-group-total-count=0': group total count "
        "should be greater than zero"
    ));
    CHECK(
        has(webhooks.created(pod(kGroup, fmt::format("{}x", kTotal))),
            "strconv.Atoi: parsing \"x\": invalid syntax")
    );
    CHECK(
        has(webhooks.created(pod(
                kGroup, fmt::format("{}'2', kueue.x-k8s.io/prebuilt-workload-name: other", kTotal)
            )),
            "prebuilt workload and pod group should be equal")
    );
}

TEST_CASE("what of pods may not change", "[admission]") {
    const PodWebhooks webhooks;
    const std::string two = fmt::format("{}'2'", kTotal);
    const std::string final = two + ", kueue.x-k8s.io/retriable-in-group: 'false'";
    CHECK(webhooks.updated(pod(kGroup, two), pod(kGroup, final)).empty());
    CHECK(
        webhooks.updated(pod(kGroup, final), pod(kGroup, two)) ==
        "metadata.annotations[kueue.x-k8s.io/retriable-in-group]: Forbidden: unretriable pod "
        "group can't be converted to retriable"
    );
    CHECK(
        webhooks.updated(pod(kGroup, two), pod("kueue.x-k8s.io/pod-group-name: h", two)) ==
        "metadata.labels[kueue.x-k8s.io/pod-group-name]: Invalid value: \"h\": field is immutable"
    );
    // It runs: it has no gate.
    CHECK(
        has(webhooks.updated(
                pod("kueue.x-k8s.io/managed: 'true'"),
                pod(fmt::format("kueue.x-k8s.io/managed: 'true', {}", kGroup), two)
            ),
            "pod-group-name]: Invalid value: \"g\": field is immutable")
    );
    CHECK(has(
        webhooks.updated(pod(kQueue), pod("kueue.x-k8s.io/queue-name: r")), "field is immutable"
    ));
    // What only new pods may not say.
    CHECK(webhooks.updated(pod(""), pod("kueue.x-k8s.io/max-exec-time-seconds: ''")).empty());
}

TEST_CASE("who labels a job's pod as managed is warned", "[admission]") {
    const PodWebhooks webhooks;
    const auto verdict = webhooks.ask(
        "CREATE", pod("kueue.x-k8s.io/managed: 'true'", "", kOwnedByJob), "null", true
    );
    REQUIRE(verdict);
    REQUIRE(verdict->warnings.size() == 1);
    CHECK(
        verdict->warnings.front() ==
        "pod owner is managed by kueue, label 'kueue.x-k8s.io/managed=true' might lead to "
        "unexpected behaviour"
    );
}

}  // namespace sluice::controller
