// The webhooks of a kind of jobs: defaults and rules of all jobs, and hooks for those of one kind.
#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "base/error.hpp"
#include "config/feature_gates.hpp"
#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "json/value.hpp"
#include "validation/job_rules.hpp"
#include "webhook/admission_review.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::controller {

/// The result of the rules that a kind checks first.
struct FirstRules {
    api::FieldErrors errors;
    bool are_all = false;  ///< no other rules are checked
};

/// Selects the rules for an update, and their order in the denial's message.
enum class UpdateRules : std::uint8_t {
    NewFirst,      ///< the rules for new jobs, then the rules for changes
    ChangesFirst,  ///< the rules for changes, then the rules for new jobs
    ChangesAlone,  ///< only the rules for changes
};

/// The webhooks of a kind of jobs. The defaults and rules that all jobs share are here; a derived
/// class adds those of its kind.
class JobAdmission : public KindAdmission {
  public:
    /// Lifetime: `kind` must outlive it.
    explicit JobAdmission(const JobKind& kind) : kind_(kind) {}

    /// Sets the queue and priority class named `default` if they exist. Suspends the job if the job
    /// itself is managed, or if it has no room below a managed job. Gates its pods if it is
    /// elastic.
    Result<webhook::Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const final;
    Result<webhook::Verdict> judge(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const final;

  protected:
    // Each job that a hook gets comes from JobKind::read() of the kind.

    /// Changes the object so that its controller creates no pods.
    virtual void suspend(json::Value& object) const = 0;
    /// Adds the scheduling gate of elastic jobs to all pod templates of the object.
    virtual void gate_pods(json::Value& /*object*/) const {}
    /// Sets the defaults of this kind only, in jobs that are managed or not.
    virtual void add_defaults(
        json::Value& /*object*/, const config::FeatureGates& /*gates*/
    ) const {}
    /// Returns true if jobs of the kind may use a prebuilt Workload.
    virtual bool may_be_prebuilt() const = 0;
    /// Returns true if the update is validated at all.
    virtual bool is_judged_on_update(
        const GenericJob& /*before*/,
        const GenericJob& /*after*/,
        const AdmissionContext& /*context*/
    ) const {
        return true;
    }
    virtual UpdateRules update_rules() const { return UpdateRules::NewFirst; }
    /// Sorts the errors of a job in the order of the kind.
    virtual void sort(api::FieldErrors& /*errors*/) const {}
    /// Returns a message with which the job is refused, whatever other errors it has; "" without
    /// one.
    virtual std::string find_sole_refusal(
        const GenericJob& /*job*/, const config::FeatureGates& /*gates*/
    ) const {
        return {};
    }
    /// Returns the errors of rules that come before the rules for all kinds.
    virtual FirstRules validate_first(const GenericJob& /*job*/, const AdmissionContext&) const {
        return {};
    }
    /// Returns the errors of the rules of this kind only.
    virtual api::FieldErrors validate(const GenericJob& job, const config::FeatureGates& gates)
        const = 0;
    /// Returns the errors of rules for a changed job that are listed before the rules of all kinds
    /// for changes.
    virtual api::FieldErrors validate_changed(
        const GenericJob& /*before*/,
        const GenericJob& /*after*/,
        const config::FeatureGates& /*gates*/
    ) const {
        return {};
    }
    /// Returns the errors of the rules of this kind for a change.
    virtual api::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const = 0;

  private:
    Result<std::unique_ptr<GenericJob>> read(
        const AdmissionContext& context, const api::RawJson& json
    ) const;
    validation::JobFacts facts_of(const GenericJob& job, const api::ObjectMeta& metadata) const;
    webhook::Verdict judge_new(
        const AdmissionContext& context, const api::AdmissionRequest& request, const GenericJob& job
    ) const;
    webhook::Verdict judge_update(
        const AdmissionContext& context,
        const api::AdmissionRequest& request,
        const GenericJob& before,
        const GenericJob& after
    ) const;

    const JobKind& kind_;
};

}  // namespace sluice::controller
