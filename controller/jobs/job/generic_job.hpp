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
    std::string message;  ///< the job's own
};

/// Why a job must stop.
struct StopCause {
    std::string reason;  ///< as a condition of pods spells it. Example: WorkloadDeleted
    std::string message;
};

/// The next step in stopping a job. The writes of a step are seen before the next is asked for.
struct StopStep {
    enum class Kind : std::uint8_t {
        Suspend,  ///< the writes suspend the job: its pods end
        Restore,  ///< the writes take back what its start injected
        Wait,     ///< something must be seen first, for example that its pods have ended
        Stopped,  ///< it is suspended and as its user made it
    };
    Kind kind = Kind::Stopped;
    std::vector<Write> writes;
    /// The time at which the next step is due even if nothing changes; nullopt if only a change
    /// makes one due.
    std::optional<Time> again_at;
};

class JobKind;

class PodJob;

/// One job as the generic reconciler sees it: a view of an object, or of several that are one job.
/// What it says follows from the stores alone, and each write it asks for is conditional on the
/// version it was made from. Lifetime: until the stores change.
class GenericJob {
  public:
    GenericJob() = default;
    GenericJob(const GenericJob&) = delete;
    GenericJob& operator=(const GenericJob&) = delete;
    virtual ~GenericJob() = default;

    /// Of the object that owns the Workload.
    virtual const api::ObjectMeta& metadata() const = 0;
    /// The pod sets as a new Workload stores them: templates without what names this one job. What
    /// find_problem() complains of is left out. Errors: Invalid when a template cannot be read.
    virtual Result<std::vector<api::PodSet>> pod_sets() const = 0;
    /// What of its labels, annotations and fields only a webhook would refuse; none: it can be run
    /// as it says. Errors: Invalid naming the field.
    virtual std::optional<Error> find_problem() const { return std::nullopt; }

    /// The PriorityClass that a field of its own names; "": none.
    virtual std::string priority_class() const { return {}; }
    /// It is not managed, whatever queue it names: it makes no pods of its own.
    virtual bool is_left_alone() const { return false; }
    /// Its kind may be put on hold by find_hold(), and comes back from there. What another
    /// controller has put on hold is left to that one.
    virtual bool may_be_on_hold() const { return false; }
    /// Why it gives its quota back and waits for its user, though it is not over; none: it does
    /// not.
    virtual std::optional<std::string> find_hold() const { return std::nullopt; }
    /// It runs no pods and is as its user made it.
    virtual bool is_suspended() const = 0;
    /// Though it is suspended, pods of it run or may be placed: somebody else let them.
    virtual bool runs_in_part() const { return false; }
    /// A stop with several steps has begun and not ended.
    virtual bool is_stop_unfinished() const { return false; }
    /// It has pods that have not ended.
    virtual bool is_active() const = 0;
    /// As many pods as the job runs at a time are ready or have succeeded.
    virtual bool are_pods_ready() const = 0;
    /// Its own order starts pods only once others are ready or have ended: that pods are not ready
    /// again does not mean that one has failed.
    virtual bool starts_in_order() const { return false; }
    /// How it ended; none: it has not.
    virtual std::optional<JobEnd> find_end() const = 0;
    /// Pods that need no quota any more, by pod set; those without any are left out.
    virtual std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload&) const {
        return {};
    }
    /// Its own controller makes the pods of the pod set, not that of an object below it.
    virtual bool makes_pods_of(std::string_view /*pod_set*/) const { return false; }
    /// Its kind may grow and shrink by workload slices (KEP-77).
    virtual bool may_have_slices() const { return false; }

    /// The writes, at least one, that start it with what is injected into each pod set, in the
    /// order of pod_sets(). Errors: Invalid when the injection contradicts a template, which no
    /// repetition can mend.
    virtual Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const = 0;
    /// Returns the nodeSelector of each pod set, in the order of pod_sets(), where a start injects
    /// into it; empty for kinds whose starts inject elsewhere, and where it cannot be read.
    virtual std::vector<api::StringMap> node_selectors() const { return {}; }
    /// The next step of suspending it and restoring what the Workload remembers (nullptr: there is
    /// nothing to restore from).
    virtual StopStep next_stop_step(const api::Workload* workload) const = 0;
    /// Returns true if somebody resumed it before its stop was complete.
    virtual bool is_stop_undone() const { return false; }
    /// Returns true if somebody resumed it and its controller has not seen that yet, so that it has
    /// no pods.
    virtual bool is_resuming() const { return false; }
    /// Returns when it was let run last, if its status shows that.
    virtual std::optional<Time> resumed_at() const { return std::nullopt; }
    /// Returns true if the Workload describes it. nullopt if is_equivalent() decides.
    virtual std::optional<bool> is_described_by(const api::Workload& /*workload*/) const {
        return std::nullopt;
    }
    /// Returns the job as one whose objects are pods, nullptr if they are none.
    virtual const PodJob* as_pods() const { return nullptr; }
};

class JobAdmission;

/// A kind of jobs.
class JobKind {
  public:
    JobKind() = default;
    JobKind(const JobKind&) = delete;
    JobKind& operator=(const JobKind&) = delete;
    virtual ~JobKind() = default;

    virtual Kind kind() const = 0;
    /// As integrations.frameworks of the configuration spells it. Example: batch/job
    virtual std::string_view integration() const = 0;
    /// A user describes it, and may take the description back.
    virtual bool is_described_by_user() const { return false; }
    /// Its Workload counts the pods that pods of the job control.
    virtual bool counts_pods_of_pods() const { return false; }
    /// Its defaults and rules when a job is written; nullptr: it has none.
    virtual const JobAdmission* admission() const { return nullptr; }
    /// The job of that name; nullptr: there is none, or it is being deleted.
    virtual std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const = 0;
    /// The same for a kind whose jobs depend on the time.
    virtual std::unique_ptr<GenericJob> find_at(
        const Stores& stores,
        const Settings& settings,
        const kube::NamespacedName& name,
        Time /*now*/
    ) const {
        return find(stores, settings, name);
    }
    /// What lets go of the objects of a job that find_at() does not find, after its Workloads.
    virtual Outcome release(
        const Stores& /*stores*/, const Settings& /*settings*/, const kube::NamespacedName& /*name*/
    ) const {
        return {};
    }
};

/// An event of a job's reconciler about the job.
EventNote job_event(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
);
/// The same as a warning.
EventNote job_warning(
    const JobKind& kind, const api::ObjectMeta& job, std::string_view reason, std::string_view note
);

/// A merge patch of an object of the kind that is refused when it changed since.
Write job_patch(
    Kind kind, const api::ObjectMeta& job, json::Value patch, Verb verb = Verb::MergePatch
);

}  // namespace sluice::controller
