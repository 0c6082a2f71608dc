#pragma once

#include "controller/jobs/admission/job_admission.hpp"
#include "controller/jobs/described/described_job.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::controller {

/// Makes the view of one object of a kind.
using MakeDescribedJob = std::function<std::unique_ptr<DescribedJob>(
    std::shared_ptr<const api::DynamicObject> object, const Settings& settings, const Stores& stores
)>;

/// How Kueue's webhook of a kind looks at the topology that its pod sets ask for.
struct TopologyStyle {
    /// What is still said when the request of a pod set cannot be made.
    enum class Unreadable : std::uint8_t {
        Annotations,  ///< what is wrong with annotations
        FirstAlone,   ///< of the first pod set
        Nothing,
    };
    /// When pod sets that share a group are looked at.
    enum class Groups : std::uint8_t {
        Last,
        AfterFirst,             ///< after the first pod set
        AfterFirstAnnotations,  ///< before the size of its slices
    };
    Unreadable unreadable = Unreadable::Annotations;
    Groups groups = Groups::Last;
    std::string_view below_place = ".metadata";  ///< of a template: where its annotations are
    /// Why it cannot be told which pods there are is a sole refusal, of jobs without a queue too.
    bool is_told_without_pods = false;
    std::string_view advice = {};  ///< follows what is wrong with an annotation
};

/// The webhooks of a described kind: topology annotations of each pod template, fields that may
/// not change while the job runs, and what a kind adds.
class DescribedAdmission : public JobAdmission {
  public:
    DescribedAdmission(
        std::shared_ptr<const job_kinds::Description> description, MakeDescribedJob make
    );

    Result<std::unique_ptr<GenericJob>> read(std::string_view json, const AdmissionContext& context)
        const override;
    void suspend(json::Value& object) const override;
    void gate_pods(json::Value& object) const override;
    UpdateRules update_rules() const override { return UpdateRules::ChangesFirst; }
    std::string find_sole_refusal(const GenericJob& job, const config::FeatureGates& gates)
        const override;
    bool may_be_prebuilt() const override { return description_->may_be_prebuilt; }
    /// And of a job that names a queue what keeps it from being queued.
    api::FieldErrors validate(const GenericJob& job, const config::FeatureGates& gates)
        const override;
    api::FieldErrors validate_update(
        const GenericJob& before, const GenericJob& after, const config::FeatureGates& gates
    ) const override;

  protected:
    virtual TopologyStyle topology_style() const { return {}; }
    const job_kinds::Description& description() const { return *description_; }

  private:
    std::shared_ptr<const job_kinds::Description> description_;
    MakeDescribedJob make_;
};

/// Of PyTorchJob and its like: the rules of new jobs are for new jobs only.
class KubeflowAdmission final : public DescribedAdmission {
  public:
    using DescribedAdmission::DescribedAdmission;
    UpdateRules update_rules() const override { return UpdateRules::ChangesAlone; }
};

/// The job that DescribedAdmission::read() made.
const DescribedJob& described(const GenericJob& job);

bool names_queue(const GenericJob& job);
/// JobAdmission::is_judged_on_update() of kinds whose updates are judged only where the job names a
/// queue, or did.
bool is_judged_where_queued(
    const GenericJob& before, const GenericJob& after, const AdmissionContext& context
);

}  // namespace sluice::controller
