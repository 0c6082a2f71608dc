// The interfaces of a job and of a kind of jobs, as the generic reconciler sees them.
#pragma once

#include "api/kueue/workload.hpp"
#include "api/meta/meta.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/jobs/job/job_problem.hpp"
#include "controller/jobs/job/pod_set_info.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "json/value.hpp"
#include "kube/core/kind.hpp"
#include "kube/core/resource_path.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// How a job ended.
struct JobEnd {
    enum class Result : std::uint8_t { Succeeded, Failed };
    Result result = Result::Succeeded;
    std::string message;  ///< the message of the job itself
};

/// The reason why a job must stop.
struct StopCause {
    std::string reason;  ///< as in a pod's condition. Example: WorkloadDeleted
    std::string message;
};

/// The next step in stopping a job. The next step is asked for after the stores show its writes.
struct StopStep {
    enum class Kind : std::uint8_t {
        Suspend,  ///< the writes suspend the job: its pods end
        Restore,  ///< the writes remove what the start of the job injected
        Wait,     ///< something must happen first, for example its pods must end
        Stopped,  ///< the job is suspended and as its user created it
    };
    Kind kind = Kind::Stopped;
    std::vector<Write> writes;
    /// The time at which the next step is due even if nothing changes; nullopt if only a change
    /// makes one due.
    std::optional<Time> again_at;
};

class JobKind;

class PodJob;

/// One job as the generic reconciler sees it: a view of one object, or of several objects that form
/// one job. Its answers depend on the stores alone, and each write is conditional on the version of
/// the object that was read. Lifetime: until the stores change.
class GenericJob {
  public:
    GenericJob() = default;
    GenericJob(const GenericJob&) = delete;
    GenericJob& operator=(const GenericJob&) = delete;
    virtual ~GenericJob() = default;

    /// Returns the metadata of the object that owns the Workload.
    virtual const api::ObjectMeta& metadata() const = 0;
    /// Returns the pod sets as a new Workload stores them: templates without the labels that
    /// identify this one job. Values that find_problem() reports are left out. Errors: Invalid if a
    /// template cannot be read.
    virtual Result<std::vector<api::PodSet>> pod_sets() const = 0;
    /// Returns the first label, annotation or field that a webhook would have rejected; nullopt if
    /// the job is valid. Errors: Invalid with the name of the field.
    virtual std::optional<Error> find_problem() const { return std::nullopt; }

    /// Returns the PriorityClass that a field of the job itself names; "" if no field does.
    virtual std::string priority_class() const { return {}; }
    /// Returns true if the job is not managed, whatever queue it names: it creates no pods itself.
    virtual bool is_left_alone() const { return false; }
    /// Returns true if find_hold() may put jobs of this kind on hold, and release them again. A
    /// hold by another controller is left to that controller.
    virtual bool may_be_on_hold() const { return false; }
    /// Returns why the job gives its quota back and waits for its user, though it has not ended;
    /// nullopt if it does not.
    virtual std::optional<std::string> find_hold() const { return std::nullopt; }
    /// Returns true if the job runs no pods and is as its user created it.
    virtual bool is_suspended() const = 0;
    /// Returns true if pods of a suspended job run or may be scheduled, because another client
    /// ungated them.
    virtual bool runs_in_part() const { return false; }
    /// Returns true if a stop with several steps has begun and has not ended.
    virtual bool is_stop_unfinished() const { return false; }
    /// Returns true if the job has pods that have not ended.
    virtual bool is_active() const = 0;
    /// Returns true if as many pods are ready or have succeeded as the job runs at a time.
    virtual bool are_pods_ready() const = 0;
    /// Returns true if the job starts some pods only after other pods are ready or have ended. If
    /// pods of such a job are not ready again, this does not mean that a pod has failed.
    virtual bool starts_in_order() const { return false; }
    /// Returns how the job ended; nullopt if it has not ended.
    virtual std::optional<JobEnd> find_end() const = 0;
    /// Returns the number of pods that need no quota any more, by pod set, without zeros.
    virtual std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload&) const {
        return {};
    }
    /// Returns true if the job's own controller creates the pods of the pod set, and not the
    /// controller of an object below the job.
    virtual bool makes_pods_of(std::string_view /*pod_set*/) const { return false; }
    /// Returns true if jobs of this kind can grow and shrink by workload slices (KEP-77).
    virtual bool may_have_slices() const { return false; }

    /// Returns the writes (at least one) that start the job. `injected` has the values for each pod
    /// set, in the order of pod_sets(). Errors: Invalid if the injection contradicts a template;
    /// trying again does not help.
    virtual Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const = 0;
    /// Returns the nodeSelector of each pod set into which a start injects, in the order of
    /// pod_sets(). Empty for kinds whose starts inject elsewhere, and if it cannot be read.
    virtual std::vector<api::StringMap> node_selectors() const { return {}; }
    /// Returns the next step of suspending the job and restoring the templates that the Workload
    /// stores. `workload` may be nullptr: then there is nothing to restore from.
    virtual StopStep next_stop_step(const api::Workload* workload) const = 0;
    /// Returns true if a user resumed the job before its stop was complete.
    virtual bool is_stop_undone() const { return false; }
    /// Returns true if a user resumed the job, but its controller has not seen that yet, so that
    /// the job has no pods.
    virtual bool is_resuming() const { return false; }
    /// Returns when the job was last unsuspended, if its status shows that.
    virtual std::optional<Time> resumed_at() const { return std::nullopt; }
    /// Returns true if the Workload describes the job; nullopt if is_equivalent() decides.
    virtual std::optional<bool> is_described_by(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
    /// Returns this job as a PodJob if its objects are pods; nullptr otherwise.
    virtual const PodJob* as_pods() const { return nullptr; }
};

class KindAdmission;

/// A kind of jobs: its names, its webhooks, and its jobs in the stores.
class JobKind {
  public:
    JobKind() = default;
    JobKind(const JobKind&) = delete;
    JobKind& operator=(const JobKind&) = delete;
    virtual ~JobKind() = default;

    virtual Kind kind() const = 0;
    /// Returns the name in integrations.frameworks of the configuration. Example: batch/job
    virtual std::string_view integration() const = 0;
    /// Returns true if a user describes the kind and may remove the description.
    virtual bool is_described_by_user() const { return false; }
    /// Returns true if a job's Workload also counts the pods that pods of the job control.
    virtual bool counts_pods_of_pods() const { return false; }
    /// Returns true if the pods of an elastic job of this kind are gated below a managed job too:
    /// that job's Workload counts the pods.
    virtual bool is_gated_below_managed() const { return false; }
    /// Returns the webhooks of the jobs; nullptr if the kind has no webhooks. Lifetime: that of the
    /// kind.
    virtual const KindAdmission* admission() const { return nullptr; }
    /// Returns the job in this JSON, whether or not a store has it. Errors: Invalid with the path
    /// of a field; Unavailable if an object that the job refers to is not known yet. Lifetime:
    /// settings and stores must outlive the job.
    virtual Result<std::unique_ptr<GenericJob>> read(
        const Stores& stores, const Settings& settings, std::string_view json
    ) const = 0;
    /// Returns the job of that name; nullptr if it does not exist or is being deleted.
    virtual std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const = 0;
    /// Returns find(), or a job that depends on the present time.
    virtual std::unique_ptr<GenericJob> find_at(
        const Stores& stores,
        const Settings& settings,
        const kube::NamespacedName& name,
        Time /*now*/
    ) const {
        return find(stores, settings, name);
    }
    /// Returns the outcome that releases the objects of a job that find_at() does not find. It is
    /// called after the job's Workloads were released.
    virtual Outcome release(
        const Stores& /*stores*/, const Settings& /*settings*/, const kube::NamespacedName& /*name*/
    ) const {
        return {};
    }
};

/// Returns an event of the job's reconciler about the job.
EventNote job_event(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
);
/// Returns a warning event of the job's reconciler about the job.
EventNote job_warning(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
);

/// Returns a merge patch of an object of the kind that is refused if the object has changed since
/// it was read.
Write job_patch(
    Kind kind, const api::ObjectMeta& job, json::Value patch, Verb verb = Verb::MergePatch
);

}  // namespace sluice::controller
