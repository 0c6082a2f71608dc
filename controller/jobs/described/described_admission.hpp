// The webhooks of described kinds of jobs.
#pragma once

#include "controller/jobs/admission/job_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The way in which Kueue's webhook of a kind checks the topology requests of its pod sets.
struct TopologyStyle {
    /// The errors that are still reported if the request of some pod set cannot be read.
    enum class Unreadable : std::uint8_t {
        Annotations,  ///< errors of annotations
        FirstAlone,   ///< errors of annotations of the first pod set
        Nothing,
    };
    /// Says when pod sets that share a group are checked.
    enum class Groups : std::uint8_t {
        Last,
        AfterFirst,             ///< after the first pod set
        AfterFirstAnnotations,  ///< before the size of its slices
    };
    Unreadable unreadable = Unreadable::Annotations;
    Groups groups = Groups::Last;
    std::string_view below_place = ".metadata";  ///< path of the annotations below a template
    /// If the pods cannot be derived, the job is refused for that reason alone, even without a
    /// queue.
    bool is_reported_without_pods = false;
    std::string_view advice = {};  ///< is appended to each error
};

/// The webhooks of a described kind: checks the topology annotations of each pod template, fields
/// that must not change while the job runs, and rules that a derived class adds.
class DescribedAdmission : public JobAdmission {
  public:
    DescribedAdmission(
        const JobKind& kind, std::shared_ptr<const job_kinds::Description> description
    );

  protected:
    void suspend(json::Value& object) const override;
    void gate_pods(json::Value& object) const override;
    UpdateRules update_rules() const override { return UpdateRules::ChangesFirst; }
    std::string find_sole_refusal(const GenericJob& job, const config::FeatureGates& gates)
        const override;
    bool may_be_prebuilt() const override { return description_->may_be_prebuilt; }
    /// Also returns the error that keeps a job with a queue name from being queued.
    api::FieldErrors validate(const GenericJob& job, const config::FeatureGates& gates)
        const override;
    api::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const override;
    virtual TopologyStyle topology_style() const { return {}; }
    const job_kinds::Description& description() const { return *description_; }

  private:
    std::shared_ptr<const job_kinds::Description> description_;
};

/// The webhooks of PyTorchJob and similar kinds: the rules for new jobs are not checked on updates.
class KubeflowAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;

  protected:
    UpdateRules update_rules() const override { return UpdateRules::ChangesAlone; }
};

/// Returns the job as a DescribedJob. Requires: it is of a described kind.
const DescribedJob& described(const GenericJob& job);

/// Returns true if the job's label names a queue.
bool names_queue(const GenericJob& job);
/// Implements JobAdmission::is_judged_on_update() for kinds whose updates are checked only if the
/// job names a queue, or did so before.
bool is_judged_where_queued(
    const GenericJob& before, const GenericJob& after, const AdmissionContext& context
);

}  // namespace sluice::controller
