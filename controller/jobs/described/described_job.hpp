// An object of a described kind as a job: pod sets, progress, start and stop.
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

/// One object of a kind with a description.
class DescribedJob : public GenericJob {
  public:
    /// Lifetime: the settings must outlive the job.
    DescribedJob(
        Kind kind,
        std::shared_ptr<const job_kinds::Description> description,
        std::shared_ptr<const api::DynamicObject> object,
        const Settings& settings
    );

    const api::ObjectMeta& metadata() const override { return object_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override;
    std::string priority_class() const override;
    /// Also returns true while the job is being deleted.
    bool is_left_alone() const override;
    bool may_be_on_hold() const override { return description_->on_hold.has_value(); }
    std::optional<std::string> find_hold() const override;
    bool is_suspended() const override;
    bool is_active() const override { return description_->active.holds(object_->value); }
    bool are_pods_ready() const override;
    std::optional<JobEnd> find_end() const override;
    std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload& workload) const override;
    /// Returns true for Kubeflow and Spark jobs (except the launcher of an MPIJob, which is a Job),
    /// and for a RayCluster that is not being deleted. When a deleted RayCluster has no pods left,
    /// a Job below it cleans up Redis.
    bool makes_pods_of(std::string_view pod_set) const override;
    bool may_have_slices() const override { return description_->may_have_slices; }
    /// Returns one patch that injects and starts.
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override;
    std::vector<api::StringMap> node_selectors() const override;
    /// Returns one patch that suspends and restores.
    StopStep next_stop_step(const api::Workload* workload) const override;

    /// Returns true if the job's Workload stays until the object is gone. The Workloads of other
    /// jobs end when the deletion begins.
    virtual bool ends_when_gone() const { return false; }

    const job_kinds::Description& description() const { return *description_; }
    /// Returns the object as it is.
    const json::Value& value() const { return object_->value; }
    /// Returns the object with the fields that a start adds to it, without injections.
    const json::Value& completed() const;
    /// Returns the document in which the description finds the pod sets. Errors: Invalid if the
    /// pods cannot be derived, with the reason; Unavailable if they cannot be derived yet.
    /// Lifetime: that of the job.
    Result<const json::Value*> source() const;
    /// Returns the pod sets that the description finds. Errors: as source(), and Invalid with the
    /// place.
    Result<std::vector<job_kinds::DescribedPodSet>> described_pod_sets() const;
    /// Returns the path of the description of a pod set's pods, for messages.
    virtual std::string place_of(const job_kinds::DescribedPodSet& pod_set) const;

  protected:
    /// Returns a copy of the object with the fields that a start adds; nullopt if it adds none.
    virtual std::optional<json::Value> complete() const { return std::nullopt; }
    /// Returns the document for source(), for kinds whose pod templates are not in the object: the
    /// object with these templates. Returns nullopt if completed() is the source.
    virtual std::optional<Result<json::Value>> derive() const { return std::nullopt; }
    /// Returns the labels by which pods and replicas of a pod set are ranked.
    virtual RankLabels rank_labels(const job_kinds::DescribedPodSet& pod_set) const;
    /// Writes the injections of each pod set into `object`, a copy of completed(). Errors: Invalid
    /// if they contradict the object.
    virtual Result<void> inject(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const std::vector<PodSetInfo>& injected
    ) const;
    /// Restores the values that the Workload stores in `object`, a copy of value(). Requires: as
    /// many pod sets as the Workload has.
    virtual void restore(
        json::Value& object,
        const std::vector<job_kinds::DescribedPodSet>& pod_sets,
        const api::Workload& workload
    ) const;
    /// Changes a copy of a pod set's template into the template that the job's controller creates
    /// pods from.
    virtual void amend(std::string_view /*pod_set*/, json::Value& /*pod_template*/) const {}

    /// Removes from `document`, a copy of source(), the pods that the job starts later, and their
    /// status: the job is ready without them.
    virtual void keep_released(json::Value& /*document*/) const {}

    const Settings& settings() const { return settings_; }
    /// Returns the patch that changes value() into `changed`.
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

/// Reads a pod template. Errors: Invalid with the place if it cannot be read.
Result<api::PodTemplateSpec> read_template(const json::Value& pod_template, std::string_view place);

/// Reads the pod template at the location. Errors: Invalid with the place if it is missing or
/// cannot be read.
Result<api::PodTemplateSpec> read_template(
    const json::Value& object, const job_kinds::Location& location
);

}  // namespace sluice::controller
