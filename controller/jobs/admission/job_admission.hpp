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

/// What happens to a job when it is written: defaults, and what is refused.
namespace sluice::controller {

/// What admission reads beside the job.
struct AdmissionContext {
    const JobKinds& kinds;
    const Stores& stores;
    const Settings& settings;
    const config::FeatureGates& gates;
};

/// What the first rules of a kind say.
struct FirstRules {
    api::FieldErrors errors;
    bool are_all = false;  ///< nothing else of the object is looked at
};

/// Which rules an update is judged by, in the order in which its denial lists what they say.
enum class UpdateRules : std::uint8_t {
    NewFirst,      ///< those of new jobs, then those of changes
    ChangesFirst,  ///< the other way round
    ChangesAlone,  ///< those of new jobs are for new jobs only
};

/// The part of a kind of jobs.
class JobAdmission {
  public:
    JobAdmission() = default;
    JobAdmission(const JobAdmission&) = delete;
    JobAdmission& operator=(const JobAdmission&) = delete;
    virtual ~JobAdmission() = default;

    /// The job that this JSON is, whether a store has it or not. Errors: Invalid with the path of a
    /// field; Unavailable when what it refers to is not known yet. Lifetime: settings and stores
    /// of the context must outlive it.
    virtual Result<std::unique_ptr<GenericJob>> read(
        std::string_view json, const AdmissionContext& context
    ) const = 0;
    /// Changes the object so that its controller makes no pods.
    virtual void suspend(json::Value& object) const = 0;
    /// Adds the gate of elastic jobs to all of its pod templates.
    virtual void gate_pods(json::Value& /*object*/) const {}
    /// That is done below a managed job too: the Workload of that job stands for its pods.
    virtual bool is_gated_below_managed() const { return false; }
    /// Defaults of this kind alone, of jobs that are managed or not.
    virtual void add_defaults(
        json::Value& /*object*/, const config::FeatureGates& /*gates*/
    ) const {}
    /// It may be given a Workload that was made beforehand.
    virtual bool may_be_prebuilt() const = 0;
    /// Whether updates are judged at all. Requires: read() made the jobs.
    virtual bool is_judged_on_update(
        const GenericJob& /*before*/,
        const GenericJob& /*after*/,
        const AdmissionContext& /*context*/
    ) const {
        return true;
    }
    virtual UpdateRules update_rules() const { return UpdateRules::NewFirst; }
    /// Brings all that is wrong with a job into the order of the kind.
    virtual void sort(api::FieldErrors& /*errors*/) const {}
    /// Why it is refused in these words alone, whatever else is wrong; "": for no such reason.
    virtual std::string find_sole_refusal(
        const GenericJob& /*job*/, const config::FeatureGates& /*gates*/
    ) const {
        return {};
    }
    /// Rules of this kind that come before those of all kinds. Requires: read() made the job.
    virtual FirstRules validate_first(const GenericJob& /*job*/, const AdmissionContext&) const {
        return {};
    }
    /// The whole of the defaults, where their course is not that of all kinds; none: it is.
    virtual std::optional<Result<webhook::Verdict>> apply_own_defaults(
        const AdmissionContext& /*context*/, const api::AdmissionRequest& /*request*/
    ) const {
        return std::nullopt;
    }
    /// The same for the rules.
    virtual std::optional<Result<webhook::Verdict>> judge_by_own_rules(
        const AdmissionContext& /*context*/,
        const JobKind& /*kind*/,
        const api::AdmissionRequest& /*request*/
    ) const {
        return std::nullopt;
    }
    /// Rules of this kind alone. Requires: read() made the jobs.
    virtual api::FieldErrors validate(const GenericJob& job, const config::FeatureGates& gates)
        const = 0;
    /// Rules of a changed job that are told before those that all kinds have for a change.
    virtual api::FieldErrors validate_changed(
        const GenericJob& /*before*/,
        const GenericJob& /*after*/,
        const config::FeatureGates& /*gates*/
    ) const {
        return {};
    }
    virtual api::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const = 0;
};

/// Defaults of a new job: the queue and priority class named `default` where they exist, suspended
/// where it is managed and no job above it is, gated where it is elastic.
/// Errors: Invalid for an object that cannot be read; Unavailable when its namespace or the job
/// above it is not known yet. Requires: the kind has an admission.
Result<webhook::Verdict> default_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
);

/// Whether a new or changed job is taken. Errors: Invalid for an object that cannot be read.
/// Requires: the kind has an admission.
Result<webhook::Verdict> judge_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
);

}  // namespace sluice::controller
