#pragma once

#include "api/meta/dynamic_object.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "job_kinds/description.hpp"
#include "job_kinds/pod_sets.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// One object of a kind that a description tells of.
class DescribedJob : public GenericJob {
  public:
    /// Lifetime: the settings must outlive it.
    DescribedJob(
        Kind kind,
        std::shared_ptr<const job_kinds::Description> description,
        std::shared_ptr<const api::DynamicObject> object,
        const Settings& settings
    );

    const api::ObjectMeta& metadata() const override { return object_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    std::string priority_class() const override;
    /// While it is being deleted, too.
    bool is_left_alone() const override;
    bool may_be_on_hold() const override { return description_->on_hold.has_value(); }
    std::optional<std::string> find_hold() const override;
    bool is_suspended() const override;
    bool is_active() const override { return description_->active.holds(object_->value); }
    bool are_pods_ready() const override;
    std::optional<JobEnd> find_end() const override;
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;
    /// Of the Kubeflow and Spark jobs, and of a RayCluster that is not being deleted: when that has
    /// no pods any more, a Job below it cleans up Redis.
    bool makes_pods_of(std::string_view pod_set) const override;
    bool may_have_slices() const override { return description_->may_have_slices; }
    /// One patch that injects and starts.
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override;
    std::vector<api::StringMap> node_selectors() const override;
    /// One patch that suspends and restores.
    StopStep next_stop_step(const api::Workload* workload) const override;

    /// Its Workload stays until it is gone, while other jobs are ended when their deletion begins.
    virtual bool ends_when_gone() const { return false; }

    const job_kinds::Description& description() const { return *description_; }
    /// The object as it is.
    const json::Value& value() const { return object_->value; }
    /// The object with what a start writes into it beside injections.
    const json::Value& completed() const;
    /// What the description's pod sets are found in. Errors: Invalid: why it cannot be told which
    /// pods there are; Unavailable: not yet. Lifetime: that of the job.
    Result<const json::Value*> source() const;
    /// The pod sets by the description. Errors: as source(), and Invalid with the place.
    Result<std::vector<job_kinds::DescribedPodSet>> described_pod_sets() const;
    /// Where the pods of a pod set are described, as messages name it.
    virtual std::string place_of(const job_kinds::DescribedPodSet& pod_set) const;

  protected:
    /// What a start adds to the object, in a copy of it; none: nothing.
    virtual std::optional<json::Value> complete() const { return std::nullopt; }
    /// The source, of kinds whose pod templates are not in the object as it is: the object with
    /// them. None: completed().
    virtual std::optional<Result<json::Value>> derive() const { return std::nullopt; }
    /// The labels by which pods and replicas of a pod set are ranked.
    virtual RankLabels rank_labels(const job_kinds::DescribedPodSet& pod_set) const;
    /// Writes into the object, a copy of completed(), what is injected into each pod set. Errors:
    /// Invalid when that contradicts what is there.
    virtual Result<void> inject(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const std::vector<PodSetInfo>& injected
    ) const;
    /// Takes it back in the object, a copy of value(), by what the Workload remembers. Requires: as
    /// many pod sets as the Workload has.
    virtual void restore(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const api::Workload& workload
    ) const;
    /// Changes the template of a pod set, in a copy of it, from what the object says to what its
    /// controller makes of it.
    virtual void amend(std::string_view /*pod_set*/, json::Value& /*pod_template*/) const {}

    /// Removes from the document, a copy of source(), the pods that the job's own order has not
    /// released yet, and what the status says of them: the job is ready without them.
    virtual void keep_released(json::Value& /*document*/) const {}

    const Settings& settings() const { return settings_; }
    /// The patch that turns value() into that.
    std::vector<Write> one_write(const json::Value& changed) const;

  private:
    Result<api::PodSet> read_pod_set(const job_kinds::DescribedPodSet& one) const;
    Result<std::vector<api::PodSet>> read_pod_sets() const;

    Kind kind_;
    std::shared_ptr<const job_kinds::Description> description_;
    std::shared_ptr<const api::DynamicObject> object_;
    const Settings& settings_;
    mutable std::optional<json::Value> completed_;
    mutable std::optional<std::optional<Result<json::Value>>> derived_;
    mutable std::optional<Result<std::vector<api::PodSet>>> pod_sets_;
};

/// Changes the object so that its controller runs no pods.
void suspend(const job_kinds::Suspension& suspension, json::Value& object);

/// Errors: Invalid with the place when the template cannot be read.
Result<api::PodTemplateSpec> read_template(const json::Value& pod_template, std::string_view place);

/// The pod template there. Errors: Invalid with the place of one that is missing or cannot be read.
Result<api::PodTemplateSpec> read_template(
    const json::Value& object, const job_kinds::Location& location
);

}  // namespace sluice::controller
