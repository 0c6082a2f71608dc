#pragma once

#include "api/meta.hpp"
#include "api/workload.hpp"
#include "base/error.hpp"
#include "controller/jobs/pod_set_info.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"
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
};

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
    /// A stop with several steps has begun and not ended.
    virtual bool is_stop_unfinished() const { return false; }
    /// It has pods that have not ended.
    virtual bool is_active() const = 0;
    /// As many pods as the job runs at a time are ready or have succeeded.
    virtual bool are_pods_ready() const = 0;
    /// How it ended; none: it has not.
    virtual std::optional<JobEnd> find_end() const = 0;
    /// Pods that need no quota any more, by pod set; those without any are left out.
    virtual std::vector<api::ReclaimablePod> reclaimable_pods(const api::Workload&) const {
        return {};
    }
    /// Its kind may grow and shrink by workload slices (KEP-77).
    virtual bool may_have_slices() const { return false; }

    /// The writes, at least one, that start it with what is injected into each pod set, in the
    /// order of pod_sets(). Errors: Invalid when the injection contradicts a template, which no
    /// repetition can mend.
    virtual Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const = 0;
    /// The next step of suspending it and restoring what the Workload remembers (nullptr: there is
    /// nothing to restore from).
    virtual StopStep next_stop_step(const api::Workload* workload) const = 0;
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
    /// Its defaults and rules when a job is written; nullptr: it has none.
    virtual const JobAdmission* admission() const { return nullptr; }
    /// The job of that name; nullptr: there is none, or it is being deleted.
    virtual std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const = 0;
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
