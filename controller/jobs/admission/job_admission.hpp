// The webhooks of a kind of jobs: defaults and validation.
#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "base/error.hpp"
#include "config/feature_gates.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "json/value.hpp"
#include "webhook/admission_review.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The webhooks of jobs: they set defaults, and refuse invalid jobs and changes.
namespace sluice::controller {

/// The state that webhooks read in addition to the job.
struct AdmissionContext {
    const JobKinds& kinds;
    const Stores& stores;
    const Settings& settings;
    const config::FeatureGates& gates;
};

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

/// The part of the webhooks that depends on the kind of jobs.
class JobAdmission {
  public:
    JobAdmission() = default;
    JobAdmission(const JobAdmission&) = delete;
    JobAdmission& operator=(const JobAdmission&) = delete;
    virtual ~JobAdmission() = default;

    /// Returns the job in this JSON, whether or not a store has it. Errors: Invalid with the path
    /// of a field; Unavailable if an object that the job refers to is not known yet. Lifetime:
    /// settings and stores of the context must outlive the job.
    virtual Result<std::unique_ptr<GenericJob>> read(
        std::string_view json, const AdmissionContext& context
    ) const = 0;
    /// Changes the object so that its controller creates no pods.
    virtual void suspend(json::Value& object) const = 0;
    /// Adds the scheduling gate of elastic jobs to all pod templates of the object.
    virtual void gate_pods(json::Value& /*object*/) const {}
    /// Returns true if gate_pods() is called below a managed job too: that job's Workload counts
    /// the pods.
    virtual bool is_gated_below_managed() const { return false; }
    /// Sets the defaults of this kind only, in jobs that are managed or not.
    virtual void add_defaults(
        json::Value& /*object*/, const config::FeatureGates& /*gates*/
    ) const {}
    /// Returns true if jobs of the kind may use a prebuilt Workload.
    virtual bool may_be_prebuilt() const = 0;
    /// Returns true if the update is validated at all. Requires: read() returned the jobs.
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
    /// Returns the errors of rules that come before the rules for all kinds. Requires: read()
    /// returned the job.
    virtual FirstRules validate_first(const GenericJob& /*job*/, const AdmissionContext&) const {
        return {};
    }
    /// Sets all defaults, for a kind that replaces default_job(); nullopt for all other kinds.
    virtual std::optional<Result<webhook::Verdict>> apply_own_defaults(
        const AdmissionContext& /*context*/, const api::AdmissionRequest& /*request*/
    ) const {
        return std::nullopt;
    }
    /// Checks all rules, for a kind that replaces judge_job(); nullopt for all other kinds.
    virtual std::optional<Result<webhook::Verdict>> judge_by_own_rules(
        const AdmissionContext& /*context*/,
        const JobKind& /*kind*/,
        const api::AdmissionRequest& /*request*/
    ) const {
        return std::nullopt;
    }
    /// Returns the errors of the rules of this kind only. Requires: read() returned the job.
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
    /// Returns the errors of the rules of this kind for a change. Requires: read() returned the
    /// jobs.
    virtual api::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const = 0;
};

/// Sets the defaults of a new or changed job: the queue and priority class named `default` if they
/// exist; suspended if the job itself is managed, or if it has no room below a managed job; gated
/// if it is elastic. Errors: Invalid if the object cannot be read; Unavailable if its namespace or
/// the job above it is not known yet. Requires: the kind has an admission.
Result<webhook::Verdict> default_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
);

/// Accepts or refuses a new or changed job. Errors: Invalid if the object cannot be read. Requires:
/// the kind has an admission.
Result<webhook::Verdict> judge_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
);

}  // namespace sluice::controller
