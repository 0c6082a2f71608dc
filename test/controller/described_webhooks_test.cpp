#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

// What the webhooks of described kinds say, and in which order.
namespace sluice::controller {
namespace {

/// The sample of a kind, whose first or other pod sets get annotations.
struct Review {
    explicit Review(std::string_view file)
        : sample(*std::ranges::find(job_samples(), file, &JobSample::file)), object(sample.object) {
        KindEntry entry = described_job_kind(sample.kind);
        key = {entry.kind, "team", sample.name()};
        cluster.add_kind(std::move(entry));
        make_large_queues(cluster);
    }
    Review& annotate(std::size_t pod_set, std::string_view annotation, const char* value) {
        json::Value& annotations = template_annotations(pod_set);
        annotations.set(fmt::format("kueue.x-k8s.io/podset-{}", annotation), value);
        return *this;
    }
    /// The annotations of a pod set as errors name them.
    std::string path(std::size_t pod_set, std::string_view annotation) const {
        std::string place = job_kinds::to_string(sample.pod_sets[pod_set].pod_template.steps());
        // Errors of a RayService call it as a RayJob has it.
        if (const auto at = place.find("rayClusterConfig"); at != std::string::npos) {
            place.replace(at, 16, "rayClusterSpec");
        }
        return fmt::format("{}.metadata.annotations[kueue.x-k8s.io/podset-{}]", place, annotation);
    }
    void change(std::string_view patch) {
        json::apply_merge_patch(object, *yaml::parse_document(patch));
    }
    std::string created() { return cluster.create(object); }
    /// The update of a job that was created before, by what has been changed since.
    std::string updated(std::string_view patch) { return cluster.edit(key, patch); }

    const JobSample& sample;
    AdmittingCluster cluster;
    json::Value object;
    ObjectKey key;

  private:
    json::Value& template_annotations(std::size_t pod_set) {
        job_kinds::Location place = sample.pod_sets[pod_set].pod_template.steps();
        for (const char* name : {"metadata", "annotations"}) {
            place.push_back({.kind = job_kinds::Step::Kind::Member, .name = name});
        }
        return *job_kinds::make_object(object, place);
    }
};

/// Whether the text has the parts, one after the other.
bool are_in_order(std::string_view text, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
        at = text.find(part, at);
        if (at == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE(
    "rules of new jobs are no rules of updates for PyTorchJob and its like",
    "[job-kinds][admission]"
) {
    const char* file = GENERATE("pytorchjob", "tfjob", "xgboostjob", "paddlejob", "jaxjob");
    CAPTURE(file);
    Review review(file);
    // It was there before its rules were.
    review.change("{metadata: {labels: {kueue.x-k8s.io/max-exec-time-seconds: '0'}}}");
    CHECK_FALSE(review.created().empty());
    review.change("{spec: {runPolicy: {suspend: true}}}");
    review.cluster.put(json::print(review.object));
    CHECK(review.updated("{'metadata':{'labels':{'a':'b'}}}") == "");
    Review other("jobset");
    other.change("{metadata: {labels: {kueue.x-k8s.io/max-exec-time-seconds: '0'}}}");
    other.cluster.put(json::print(other.object));
    CHECK_FALSE(other.updated("{'metadata':{'labels':{'a':'b'}}}").empty());
}

TEST_CASE("an update is told first what may not change", "[job-kinds][admission]") {
    const char* file = GENERATE("jobset", "raycluster", "rayjob", "rayservice");
    CAPTURE(file);
    Review review(file);
    review.cluster.put(json::print(review.object));  // it runs
    const std::string refusal = review.updated(
        "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'b',"
        "'kueue.x-k8s.io/max-exec-time-seconds':'0'}}}"
    );
    INFO(refusal);
    CHECK(are_in_order(
        refusal, {"queue-name]: Invalid value: \"b\": field is immutable", "should be greater than"}
    ));
}

TEST_CASE("all that is wrong with an MPIJob is sorted by field", "[job-kinds][admission]") {
    Review review("mpijob");
    review.change(
        "{metadata: {annotations: {kueue.x-k8s.io/prebuilt-workload-name: 'A B'}, "
        "labels: {kueue.x-k8s.io/queue-name: 'C D'}}}"
    );
    review.annotate(1, "required-topology", "r k");
    const std::string refusal = review.created();
    INFO(refusal);
    CHECK(are_in_order(refusal, {"metadata.annotations[", "metadata.labels[", "spec.mpiReplica"}));
}

TEST_CASE(
    "a topology that cannot be read is refused in the words of its kind", "[job-kinds][admission]"
) {
    constexpr std::string_view kSole = R"(strconv.ParseBool: parsing "x": invalid syntax)";
    SECTION("alone") {
        for (const char* file : {"jobset", "mpijob"}) {
            CAPTURE(file);
            Review review(file);
            review.annotate(1, "unconstrained-topology", "x").annotate(0, "group-name", "7");
            CHECK(review.created() == kSole);
        }
        Review number("jobset");
        number.annotate(0, "slice-required-topology", "rack").annotate(0, "slice-size", "y");
        CHECK(number.created() == R"(strconv.ParseInt: parsing "y": invalid syntax)");
    }
    SECTION("with what is wrong with annotations") {
        for (const char* file : {"pytorchjob", "rayjob", "rayservice"}) {
            CAPTURE(file);
            Review review(file);
            review.annotate(1, "unconstrained-topology", "x");
            CHECK(
                review.created() == review.path(1, "unconstrained-topology") +
                                        ": Invalid value: \"x\": must be a boolean value"
            );
        }
    }
    SECTION("of a RayCluster as its head has it") {
        Review worker("raycluster");
        worker.annotate(1, "unconstrained-topology", "x");
        CHECK(worker.created() == kSole);
        Review head("raycluster");
        head.annotate(0, "unconstrained-topology", "x").annotate(1, "group-name", "7");
        CHECK(
            head.created() == head.path(0, "unconstrained-topology") +
                                  ": Invalid value: \"x\": must be a boolean value"
        );
    }
}

TEST_CASE(
    "slices that are too large are told beside what else is wrong with them",
    "[job-kinds][admission]"
) {
    Review review("jobset");
    review.annotate(0, "slice-required-topology", "r k").annotate(0, "slice-size", "9");
    const std::string refusal = review.created();
    INFO(refusal);
    CHECK(are_in_order(
        refusal,
        {review.path(0, "slice-required-topology"),
         review.path(0, "slice-size") +
             ": Invalid value: \"9\": must not be greater than pod set count 1"}
    ));
}

TEST_CASE("groups are looked at where Kueue does", "[job-kinds][admission]") {
    const auto refusal_of = [](Review& review) {
        for (const auto pod_set : {0U, 1U, 2U}) {
            review.annotate(pod_set, "required-topology", "rack")
                .annotate(pod_set, "group-name", "g");
        }
        review.annotate(0, "preferred-topology", "rack");  // wrong with its annotations
        review.annotate(2, "preferred-topology", "rack");
        return review.created();
    };
    constexpr const char* kPair = "must not contain more than one topology annotation";
    constexpr const char* kGroup = "groups of exactly 2 pod sets, got: 3 pod set(s)";
    for (const char* file : {"raycluster", "rayjob", "rayservice"}) {
        CAPTURE(file);
        Review review(file);
        const std::string refusal = refusal_of(review);
        INFO(refusal);
        CHECK(are_in_order(refusal, {kPair, kGroup, kGroup, kGroup, kPair}));
    }
    Review head("raycluster");
    head.annotate(0, "required-topology", "rack").annotate(0, "group-name", "g");
    head.annotate(0, "slice-size", "9");
    CHECK(are_in_order(head.created(), {"got: 1 pod set(s)", "greater than pod set count 1"}));
    Review job("rayjob");
    job.annotate(0, "required-topology", "rack").annotate(0, "group-name", "g");
    job.annotate(0, "slice-size", "9");
    CHECK(are_in_order(job.created(), {"greater than pod set count 1", "got: 1 pod set(s)"}));
}

TEST_CASE("the submitter of a RayJob counts in its group", "[job-kinds][admission]") {
    Review review("rayjob_with_submitter");
    review.change("{spec: {submitterPodTemplate: {spec: {containers: [{name: c, image: i}]}}}}");
    for (const auto pod_set : {0U, 3U}) {
        review.annotate(pod_set, "required-topology", "rack").annotate(pod_set, "group-name", "g");
    }
    CHECK(review.created() == "");
    Review three("rayjob_with_submitter");
    three.object = review.object;
    three.annotate(1, "required-topology", "rack").annotate(1, "group-name", "g");
    const std::string refusal = three.created();
    INFO(refusal);
    CHECK(are_in_order(
        refusal,
        {"got: 3 pod set(s)",
         "got: 3 pod set(s)",
         ", [kueue.x-k8s.io/podset-group-name]: Invalid value: \"g\""}
    ));
}

TEST_CASE(
    "of the annotations of a template the group comes before the boolean", "[job-kinds][admission]"
) {
    Review review("rayjob");
    review.annotate(0, "group-name", "g").annotate(0, "unconstrained-topology", "x");
    const std::string refusal = review.created();
    INFO(refusal);
    CHECK(are_in_order(refusal, {"may not be set when neither", "must be a boolean value"}));
}

TEST_CASE("a job that can never be queued is refused with the place", "[job-kinds][admission]") {
    Review review("jobset");
    json::Value& jobs = *review.object.find("spec")->find("replicatedJobs");
    jobs.as_array()[0].set("replicas", -1);
    CHECK(
        review.created() ==
        "spec.replicatedJobs[0].replicas: Invalid value: -1 is not a number of pods"
    );
    review.object.find("metadata")->erase("labels");
    CHECK(review.created() == "");  // without a queue it is nobody's business
}

}  // namespace sluice::controller
