#include "controller/jobs/described/described_admission.hpp"

#include "api/kueue/kueue_names.hpp"
#include "validation/topology_request_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

using api::FieldErrors;
using config::Feature;
using config::FeatureGates;

void add_admission_gate(json::Value& pod_spec, const char* name) {
    json::Value* gates = pod_spec.find("schedulingGates");
    if (gates == nullptr || !gates->is_array()) {
        gates = &pod_spec.set("schedulingGates", json::Array{});
    }
    const auto is_it = [name](const json::Value& gate) { return gate.string_at("name") == name; };
    if (std::ranges::none_of(gates->as_array(), is_it)) {
        gates->as_array().emplace_back(json::Object{{"name", name}});
    }
}

/// Returns true if the pods of a job depend on an object that may still appear: the job waits for
/// it.
bool is_unknown_yet(const Error& error) {
    return error.code == ErrorCode::Unavailable;
}

/// Reads the topology requests of a job's pod sets, and collects their errors.
class TopologyReview {
  public:
    TopologyReview(const DescribedJob& job, const FeatureGates& gates, TopologyStyle style)
        : job_(job), gates_(gates), style_(style) {
        if (!gates.is_enabled(Feature::TopologyAwareScheduling)) {
            return;
        }
        const auto pod_sets = job.described_pod_sets();
        if (!pod_sets) {
            const bool is_reported =
                style.is_reported_without_pods && !is_unknown_yet(pod_sets.error());
            problem = is_reported ? pod_sets.error().detail : std::string();
            return;
        }
        for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
            read(pod_set);
        }
        review();
        for (api::FieldError& error : errors) {
            error.detail += style.advice;
        }
    }

    FieldErrors errors;
    /// The reason why no request can be made; used only without errors.
    std::string problem;

  private:
    void read(const job_kinds::DescribedPodSet& pod_set) {
        const auto pod_template = read_template(**job_.source(), pod_set.pod_template);
        if (!pod_template) {
            return;
        }
        if (problem.empty()) {
            problem = validation::find_request_problem(pod_template->metadata);
        }
        const bool is_named = pod_set.rule->has_topology_annotations;
        asked_.push_back(
            {pod_template->metadata,
             is_named ? job_.place_of(pod_set) + std::string(style_.below_place) : std::string(),
             pod_set.count()}
        );
    }

    void review() {
        using Unreadable = TopologyStyle::Unreadable;
        using Groups = TopologyStyle::Groups;
        const bool is_readable = problem.empty();
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            const validation::PodSetTopology& one = asked_[i];
            const bool is_said = is_readable || style_.unreadable == Unreadable::Annotations ||
                                 (style_.unreadable == Unreadable::FirstAlone && i == 0);
            if (one.path.empty() || !is_said) {
                continue;
            }
            api::append(
                errors,
                validation::validate_topology_annotations(one.pod_template, one.path, gates_)
            );
            if (i == 0 && style_.groups == Groups::AfterFirstAnnotations) {
                review_groups();
            }
            if (is_readable) {
                api::append(
                    errors, validation::validate_slice_sizes(one.pod_template, one.path, one.count)
                );
            }
            if (i == 0 && style_.groups == Groups::AfterFirst) {
                review_groups();
            }
        }
        if (style_.groups == Groups::Last) {
            review_groups();
        }
    }

    void review_groups() {
        if (problem.empty() && job_.description().may_have_pod_set_groups) {
            api::append(errors, validation::validate_pod_set_groups(asked_));
        }
    }

    const DescribedJob& job_;
    const FeatureGates& gates_;
    TopologyStyle style_;
    std::vector<validation::PodSetTopology> asked_;
};

/// Returns the error that keeps the job from being queued. Its field is the beginning of the text.
FieldErrors validate_pod_sets(const DescribedJob& job) {
    const auto pod_sets = job.described_pod_sets();
    if (!names_queue(job) || job.is_left_alone() || pod_sets || is_unknown_yet(pod_sets.error())) {
        return {};
    }
    const std::string& detail = pod_sets.error().detail;
    const std::size_t end = detail.find(": ");
    return {api::FieldError{
        api::FieldError::Class::Invalid,
        end == std::string::npos ? "spec" : detail.substr(0, end),
        std::nullopt,
        end == std::string::npos ? detail : detail.substr(end + 2)
    }};
}

FieldErrors validate_immutable(const DescribedJob& before, const DescribedJob& after) {
    FieldErrors errors;
    if (before.is_suspended() || after.is_suspended()) {
        return errors;
    }
    for (const job_kinds::Path& path : after.description().immutable_while_running) {
        const auto was = path.find_all(before.value());
        const auto is = path.find_all(after.value());
        const auto is_same = [](const job_kinds::Found& a, const job_kinds::Found& b) {
            return a.location == b.location && *a.value == *b.value;
        };
        if (!std::ranges::equal(was, is, is_same)) {
            errors.push_back(api::FieldError::forbidden(
                path.text(), "field is immutable while the job is not suspended"
            ));
        }
    }
    return errors;
}

}  // namespace

const DescribedJob& described(const GenericJob& job) {
    return static_cast<const DescribedJob&>(job);
}

bool names_queue(const GenericJob& job) {
    return !find_value(job.metadata().labels, api::label::kQueueName).empty();
}

bool is_judged_where_queued(
    const GenericJob& before, const GenericJob& after, const AdmissionContext& context
) {
    return context.settings.manage_jobs_without_queue_name || names_queue(after) ||
           (names_queue(before) && context.gates.is_enabled(Feature::ValidateRayAndSparkJobUpdates)
           );
}

DescribedAdmission::DescribedAdmission(
    const JobKind& kind, std::shared_ptr<const job_kinds::Description> description
)
    : JobAdmission(kind), description_(std::move(description)) {}

void DescribedAdmission::suspend(json::Value& object) const {
    controller::suspend(description_->suspension, object);
}

void DescribedAdmission::gate_pods(json::Value& object) const {
    const auto pod_sets = find_pod_sets(*description_, object);
    if (!pod_sets) {
        return;
    }
    for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
        job_kinds::Location pod_spec = pod_set.pod_template;
        pod_spec.push_back({.kind = job_kinds::Step::Kind::Member, .name = "spec"});
        if (json::Value* found = job_kinds::make_object(object, pod_spec)) {
            add_admission_gate(*found, api::scheduling_gate::kElasticJob);
        }
    }
}

std::string DescribedAdmission::find_sole_refusal(const GenericJob& job, const FeatureGates& gates)
    const {
    const TopologyReview review(described(job), gates, topology_style());
    return review.errors.empty() ? review.problem : std::string();
}

FieldErrors DescribedAdmission::validate(const GenericJob& job, const FeatureGates& gates) const {
    FieldErrors errors = TopologyReview(described(job), gates, topology_style()).errors;
    api::append(errors, validate_pod_sets(described(job)));
    return errors;
}

FieldErrors DescribedAdmission::validate_update(
    const GenericJob& before, const GenericJob& after, const FeatureGates& gates
) const {
    FieldErrors errors = validate_immutable(described(before), described(after));
    api::append(errors, TopologyReview(described(after), gates, topology_style()).errors);
    return errors;
}

}  // namespace sluice::controller
