#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/known_stores.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What happens to a Job when it is written.
namespace sluice::controller {
namespace {

/// Stores with what the API server has, and a Job's webhooks over them.
struct Admission {
    KnownStores stores;
    Settings settings;
    config::FeatureGates gates;

    Admission() {
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
    const KindAdmission& webhooks() const {
        return *stores.registry.job_kinds().find("batch", "Job")->admission();
    }
    api::AdmissionRequest request(
        std::string_view operation, std::string_view object, std::string_view old_object
    ) const {
        api::AdmissionRequest made;
        made.uid = "u";
        made.namespace_ = "ns";
        made.operation = operation;
        made.object = api::RawJson(to_json(object));
        made.old_object = api::RawJson(to_json(old_object));
        return made;
    }
    static std::string to_json(std::string_view yaml) {
        const auto value = yaml::parse_document(yaml);
        REQUIRE(value);
        return json::print(*value);
    }
    AdmissionContext context() const {
        return {stores.registry.job_kinds(), stores, settings, gates};
    }
    /// The JSON patch of the defaults, or the error.
    std::string defaults(std::string_view job) const {
        const auto asked = request("CREATE", job, "null");
        const auto verdict = webhooks().apply_defaults(context(), asked);
        if (!verdict) {
            return verdict.error().detail;
        }
        REQUIRE(verdict->changed);
        const auto from = json::parse(asked.object.view());
        return json::print(json::Value(json::make_json_patch(*from, *verdict->changed)));
    }
    std::string created(std::string_view job) const {
        return webhooks().judge(context(), request("CREATE", job, "null"))->refusal;
    }
    std::string updated(std::string_view before, std::string_view after) const {
        return webhooks().judge(context(), request("UPDATE", after, before))->refusal;
    }
};

constexpr std::string_view kSuspend = R"({"op":"add","path":"/spec/suspend","value":true})";
const std::string kQueueLabel = "labels: {kueue.x-k8s.io/queue-name: q}";
const std::string kDefaultQueue =
    R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"default","namespace":"ns"},"spec":{"clusterQueue":"q"}})";

std::string job(std::string_view metadata, std::string_view spec = "template: {}") {
    return fmt::format("{{metadata: {{name: j, {}}}, spec: {{{}}}}}", metadata, spec);
}

}  // namespace

TEST_CASE("a new Job that names a queue is suspended", "[admission]") {
    Admission admission;
    CHECK(admission.defaults(job(kQueueLabel)) == fmt::format("[{}]", kSuspend));
    CHECK(admission.defaults(job(kQueueLabel, "suspend: true, template: {}")) == "[]");
    CHECK(
        admission.defaults(job(kQueueLabel, "suspend: false, template: {}")) ==
        R"([{"op":"replace","path":"/spec/suspend","value":true}])"
    );
    CHECK(admission.defaults(job("")) == "[]");
}

TEST_CASE("jobs without a queue are suspended where they are managed", "[admission]") {
    Admission admission;
    admission.settings.manage_jobs_without_queue_name = true;
    CHECK(admission.defaults(job("")) == fmt::format("[{}]", kSuspend));
    admission.settings.managed_jobs_namespaces =
        *api::Selector::make({.match_labels = {{"team", "b"}}, .match_expressions = {}});
    CHECK(admission.defaults(job("")) == "[]");
    // The reconciler would not look at a Job that names a queue there.
    CHECK(admission.defaults(job(kQueueLabel)) == "[]");
    CHECK(admission.defaults(job("namespace: unknown")) == "failed to get namespace: unknown");
}

TEST_CASE("a default queue and class are given where they exist", "[admission]") {
    Admission admission;
    admission.put(kDefaultQueue);
    admission.put(
        R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"WorkloadPriorityClass","metadata":{"name":"default"},"value":5})"
    );
    CHECK(
        admission.defaults(job("")) ==
        R"([{"op":"add","path":"/metadata/labels","value":{"kueue.x-k8s.io/queue-name":"default",)"
        R"("kueue.x-k8s.io/priority-class":"default"}},)" +
            std::string(kSuspend) + "]"
    );
    CHECK(
        admission.defaults(
            job("labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/priority-class: c}")
        ) == fmt::format("[{}]", kSuspend)
    );
    admission.settings.workload_priority_class_defaulting = false;
    CHECK(admission.defaults(job("")).find("priority-class") == std::string::npos);
    admission.settings.managed_jobs_namespaces =
        *api::Selector::make({.match_labels = {{"team", "b"}}, .match_expressions = {}});
    CHECK(admission.defaults(job("")) == "[]");
}

TEST_CASE("a stopped default queue is not given", "[admission]") {
    Admission admission;
    admission.put(
        R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"default","namespace":"ns"},"spec":{"clusterQueue":"q","stopPolicy":"Hold"}})"
    );
    CHECK(admission.defaults(job("")) == "[]");
}

TEST_CASE("a Job below a managed one is left as it is", "[admission]") {
    Admission admission;
    admission.put(kDefaultQueue);
    admission.put(
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"parent","namespace":"ns","uid":"p","labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"template":{}}})"
    );
    const auto child = [](std::string_view uid, std::string_view more) {
        return job(fmt::format(
            "{}ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: parent, uid: {}, "
            "controller: true}}]",
            more,
            uid
        ));
    };
    CHECK(admission.defaults(child("p", "")) == "[]");
    CHECK(admission.defaults(child("p", kQueueLabel + ", ")) == "[]");
    // Its owner was replaced by another of the name.
    CHECK(admission.defaults(child("other", kQueueLabel + ", ")) == fmt::format("[{}]", kSuspend));
    const std::string orphan =
        job(kQueueLabel +
            ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: none, uid: gone, "
            "controller: true}]");
    CHECK(admission.defaults(orphan) == "workload owner not found: Job none");
}

TEST_CASE("a Job that is being deleted is not asked about its owner", "[admission]") {
    Admission admission;
    const std::string dying =
        job(kQueueLabel +
            ", deletionTimestamp: \"2026-01-01T00:00:00Z\", ownerReferences: "
            "[{apiVersion: batch/v1, kind: Job, name: none, uid: gone, controller: true}]");
    CHECK(admission.defaults(dying) == "[]");
    admission.gates =
        *config::FeatureGates::from_map({{"SkipAncestorCheckForDeletedWorkloads", false}});
    CHECK(admission.defaults(dying) == "workload owner not found: Job none");
}

TEST_CASE("the pods of an elastic Job are gated once", "[admission]") {
    Admission admission;
    const std::string elastic =
        kQueueLabel + ", annotations: {kueue.x-k8s.io/elastic-job: \"true\"}";
    const auto gated = admission.defaults(job(elastic, "suspend: true, template: {spec: {}}"));
    CHECK(
        gated == R"([{"op":"add","path":"/spec/template/spec/schedulingGates",)"
                 R"("value":[{"name":"kueue.x-k8s.io/elastic-job"}]}])"
    );
    CHECK(
        admission.defaults(
            job(elastic,
                "suspend: true, template: {spec: {schedulingGates: [{name: "
                "kueue.x-k8s.io/elastic-job}]}}")
        ) == "[]"
    );
    admission.gates = *config::FeatureGates::from_map({{"ElasticJobsViaWorkloadSlices", false}});
    CHECK(admission.defaults(job(elastic, "suspend: true, template: {spec: {}}")) == "[]");
}

TEST_CASE("what of a new Job is refused", "[admission]") {
    const Admission admission;
    struct Row {
        std::string metadata;
        std::string spec;
        std::string refusal;
    };
    const std::string min = "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: ";
    const std::string same =
        "metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]: ";
    const std::string five = "parallelism: 5, completions: 6, template: {}";
    const auto row = GENERATE_COPY(
        Row{"annotations: {kueue.x-k8s.io/job-min-parallelism: \"4\"}", five, ""},
        Row{"annotations: {kueue.x-k8s.io/job-min-parallelism: \"5\"}",
            five,
            min + "Invalid value: 5: should be between 0 and 4"},
        Row{"annotations: {kueue.x-k8s.io/job-min-parallelism: \"0\"}",
            five,
            min + "Invalid value: 0: should be between 0 and 4"},
        Row{"annotations: {kueue.x-k8s.io/job-min-parallelism: x}",
            five,
            min + "Invalid value: \"x\": strconv.Atoi: parsing \"x\": invalid syntax"},
        Row{"annotations: {kueue.x-k8s.io/job-min-parallelism: \"4\", kueue.x-k8s.io/elastic-job: "
            "\"true\"}",
            five,
            min + "Invalid value: \"4\": partial admission and elastic job cannot be used together"
        },
        Row{"annotations: {kueue.x-k8s.io/job-completions-equal-parallelism: \"true\"}",
            "parallelism: 5, completions: 5, completionMode: Indexed, template: {}",
            ""},
        Row{"annotations: {kueue.x-k8s.io/job-completions-equal-parallelism: \"true\"}",
            five,
            "[" + same +
                "Invalid value: \"true\": should not be enabled for NonIndexed jobs, "
                "spec.completions: Invalid value: 6: should be equal to parallelism when "
                "kueue.x-k8s.io/job-completions-equal-parallelism annotation is true]"},
        Row{"annotations: {kueue.x-k8s.io/job-completions-equal-parallelism: maybe}",
            five,
            same + "Invalid value: \"maybe\": strconv.ParseBool: parsing \"maybe\": invalid syntax"
        },
        Row{"",
            "parallelism: 5, template: {metadata: {annotations: "
            "{kueue.x-k8s.io/podset-slice-required-topology: rack, "
            "kueue.x-k8s.io/podset-slice-size: \"6\"}}}",
            "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-size]: Invalid value: "
            "\"6\": must not be greater than pod set count 5"},
        Row{"annotations: {kueue.x-k8s.io/elastic-job: \"true\"}",
            "template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}}",
            "spec.template.metadata.annotations.kueue.x-k8s.io/podset-required-topology: "
            "Forbidden: "
            "required topology is not supported with elastic jobs"},
        Row{"labels: {kueue.x-k8s.io/max-exec-time-seconds: \"0\"}",
            five,
            "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: 0: should be "
            "greater than 0"}
    );
    CAPTURE(row.metadata, row.spec);
    CHECK(admission.created(job(row.metadata, row.spec)) == row.refusal);
}

TEST_CASE("what of a Job may not change", "[admission]") {
    Admission admission;
    const auto sized = [](int parallelism, bool suspend, std::string_view minimum) {
        return job(
            fmt::format("annotations: {{kueue.x-k8s.io/job-min-parallelism: \"{}\"}}", minimum),
            fmt::format("suspend: {}, parallelism: {}, template: {{}}", suspend, parallelism)
        );
    };
    CHECK(admission.updated(sized(5, true, "2"), sized(6, true, "2")) == "");
    CHECK(
        admission.updated(sized(5, false, "2"), sized(6, false, "2")) ==
        "spec.parallelism: Forbidden: cannot change when partial admission is enabled and the "
        "job is not suspended"
    );
    // The minimum is judged when it changes; a granted parallelism may lie below it.
    CHECK(admission.updated(sized(5, true, "4"), sized(3, true, "4")) == "");
    CHECK_FALSE(admission.updated(sized(5, true, "2"), sized(3, true, "4")).empty());
    CHECK(
        admission.updated(job(kQueueLabel), job("labels: {kueue.x-k8s.io/queue-name: r}")) ==
        "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"r\": field is immutable"
    );
    // In the order of Kueue's: what was judged of the new Job too comes first.
    const auto several = admission.updated(
        sized(5, false, "2"),
        job("labels: {kueue.x-k8s.io/queue-name: r}, "
            "annotations: {kueue.x-k8s.io/job-min-parallelism: x}",
            "suspend: false, parallelism: 6, template: {}")
    );
    CAPTURE(several);
    CHECK(several.starts_with("[metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: "));
    CHECK(several.find("metadata.labels[kueue.x-k8s.io/queue-name]: ") < several.find("spec.par"));
    const std::string suspended = "suspend: true, template: {}";
    CHECK(admission.updated(job(kQueueLabel, suspended), job("", suspended)) == "");
    admission.put(kDefaultQueue);
    CHECK(
        admission.updated(job(kQueueLabel, suspended), job("", suspended)) ==
        "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"\": queue-name must not be "
        "empty in namespace with default queue"
    );
}

TEST_CASE("a Job that cannot be read is the writer's fault", "[admission]") {
    const Admission admission;
    const KindAdmission& webhooks = admission.webhooks();
    const auto odd = admission.request("CREATE", "{spec: 3}", "null");
    CHECK(webhooks.apply_defaults(admission.context(), odd).error().code == ErrorCode::Invalid);
    CHECK(webhooks.judge(admission.context(), odd).error().code == ErrorCode::Invalid);
    const auto gone = admission.request("DELETE", "null", "{}");
    CHECK_FALSE(webhooks.apply_defaults(admission.context(), gone)->changed);
    CHECK(webhooks.judge(admission.context(), gone)->refusal.empty());
}

}  // namespace sluice::controller
