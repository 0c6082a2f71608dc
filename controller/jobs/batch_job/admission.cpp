#include "controller/jobs/batch_job/admission.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "controller/jobs/members/batch_job_view.hpp"
#include "validation/go_numbers.hpp"
#include "validation/job_rules.hpp"
#include "validation/topology_request_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// The webhooks of batch/v1 Jobs, with Kueue's messages.
namespace sluice::controller {

namespace {

using api::FieldErrors;
using config::Feature;
using config::FeatureGates;

constexpr std::string_view kTemplatePath = "spec.template.metadata";

std::string annotation_path(const char* key) {
    return fmt::format("metadata.annotations[{}]", key);
}

const api::Job& job_of(const GenericJob& job) {
    return static_cast<const BatchJob&>(job).job();
}

std::int32_t pod_count_of(const GenericJob& job) {
    return static_cast<const BatchJob&>(job).pod_count();
}

bool wants_equal_completions(const api::Job& job) {
    const std::string* text =
        job.metadata.find_annotation(api::annotation::kJobCompletionsEqualParallelism);
    return text != nullptr && validation::parse_boolean(*text).value_or(false);
}

FieldErrors validate_min_parallelism(const GenericJob& job, const FeatureGates& gates) {
    constexpr const char* kKey = api::annotation::kJobMinParallelism;
    const std::string* text = job.metadata().find_annotation(kKey);
    FieldErrors errors;
    if (text == nullptr) {
        return errors;
    }
    const auto minimum = validation::parse_decimal<std::int64_t>(*text);
    const std::int32_t count = pod_count_of(job);
    if (!minimum) {
        errors.push_back(api::FieldError::invalid(
            annotation_path(kKey), *text, validation::number_problem(*text)
        ));
    } else if (*minimum >= count || *minimum <= 0) {
        errors.push_back(api::FieldError::invalid(
            annotation_path(kKey), *minimum, fmt::format("should be between 0 and {}", count - 1)
        ));
    }
    if (validation::asks_to_be_elastic(job.metadata(), gates)) {
        errors.push_back(api::FieldError::invalid(
            annotation_path(kKey),
            *text,
            "partial admission and elastic job cannot be used together"
        ));
    }
    return errors;
}

FieldErrors validate_equal_completions(const api::Job& job) {
    constexpr const char* kKey = api::annotation::kJobCompletionsEqualParallelism;
    const std::string* text = job.metadata.find_annotation(kKey);
    FieldErrors errors;
    if (text == nullptr) {
        return errors;
    }
    const auto wanted = validation::parse_boolean(*text);
    if (!wanted) {
        errors.push_back(api::FieldError::invalid(
            annotation_path(kKey), *text, validation::boolean_problem(*text)
        ));
    }
    if (!wanted.value_or(false)) {
        return errors;
    }
    if (job.spec.completion_mode != "Indexed") {
        errors.push_back(api::FieldError::invalid(
            annotation_path(kKey), *text, "should not be enabled for NonIndexed jobs"
        ));
    }
    if (job.spec.parallelism.value_or(1) != job.spec.completions.value_or(1)) {
        const auto& completions = job.spec.completions;
        errors.push_back(api::FieldError::invalid(
            "spec.completions",
            completions ? json::Value(*completions) : json::Value(),
            fmt::format("should be equal to parallelism when {} annotation is true", kKey)
        ));
    }
    return errors;
}

FieldErrors validate_topology(const GenericJob& job, const FeatureGates& gates) {
    if (!gates.is_enabled(Feature::TopologyAwareScheduling)) {
        return {};
    }
    const api::ObjectMeta& pod_template = job_of(job).spec.template_.metadata;
    const std::string path(kTemplatePath);
    FieldErrors errors = validation::validate_topology_annotations(pod_template, path, gates);
    if (!errors.empty()) {
        return errors;
    }
    if (validation::asks_to_be_elastic(job.metadata(), gates)) {
        for (const auto& [key, word] :
             {std::pair(api::annotation::kPodSetRequiredTopology, "required"),
              std::pair(api::annotation::kPodSetPreferredTopology, "preferred")}) {
            if (pod_template.find_annotation(key) != nullptr) {
                return {api::FieldError::forbidden(
                    fmt::format("{}.annotations.{}", path, key),
                    fmt::format("{} topology is not supported with elastic jobs", word)
                )};
            }
        }
    }
    return validation::validate_slice_sizes(pod_template, path, pod_count_of(job));
}

class BatchJobAdmission final : public JobAdmission {
  public:
    using JobAdmission::JobAdmission;

  protected:
    void suspend(json::Value& object) const override {
        object_at(object, {"spec"}).set("suspend", true);
    }

    void gate_pods(json::Value& object) const override {
        json::Value& pod = object_at(object, {"spec", "template", "spec"});
        json::Value* gates = pod.find("schedulingGates");
        if (gates == nullptr || !gates->is_array()) {
            gates = &pod.set("schedulingGates", json::Array{});
        }
        const auto is_gate = [](const json::Value& gate) {
            return gate.string_at("name") == api::scheduling_gate::kElasticJob;
        };
        if (std::ranges::none_of(gates->as_array(), is_gate)) {
            gates->as_array().emplace_back(json::Object{{"name", api::scheduling_gate::kElasticJob}}
            );
        }
    }

    bool may_be_prebuilt() const override { return true; }

    FieldErrors validate(const GenericJob& job, const FeatureGates& gates) const override {
        FieldErrors errors = validate_min_parallelism(job, gates);
        api::append(errors, validate_equal_completions(job_of(job)));
        api::append(errors, validate_topology(job, gates));
        return errors;
    }

    FieldErrors validate_changed(
        const GenericJob& before, const GenericJob& after, const FeatureGates& gates
    ) const override {
        constexpr const char* kMin = api::annotation::kJobMinParallelism;
        FieldErrors errors;
        if (find_value(before.metadata().annotations, kMin) !=
            find_value(after.metadata().annotations, kMin)) {
            errors = validate_min_parallelism(after, gates);
        }
        api::append(errors, validate_equal_completions(job_of(after)));
        return errors;
    }

    FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const FeatureGates& gates
    ) const override {
        constexpr const char* kMin = api::annotation::kJobMinParallelism;
        const api::Job& old_job = job_of(before);
        const api::Job& new_job = job_of(after);
        FieldErrors errors;
        if (old_job.metadata.find_annotation(kMin) != nullptr &&
            !old_job.spec.suspend.value_or(false) &&
            old_job.spec.parallelism.value_or(1) != new_job.spec.parallelism.value_or(1)) {
            errors.push_back(api::FieldError::forbidden(
                "spec.parallelism",
                "cannot change when partial admission is enabled and the job is not suspended"
            ));
        }
        if (!before.is_suspended() && !after.is_suspended() &&
            wants_equal_completions(old_job) != wants_equal_completions(new_job)) {
            errors.push_back(api::FieldError::forbidden(
                annotation_path(api::annotation::kJobCompletionsEqualParallelism),
                "field is immutable while the job is not suspended"
            ));
        }
        api::append(errors, validate_topology(after, gates));
        return errors;
    }
};

}  // namespace

std::unique_ptr<const KindAdmission> make_batch_job_admission(const JobKind& kind) {
    return std::make_unique<const BatchJobAdmission>(kind);
}

}  // namespace sluice::controller
