// Tries changes of a cluster on forks of its state: who would start and be evicted at once.
#pragma once

#include "api/insight/what_if.hpp"
#include "api/kueue/workload.hpp"
#include "base/error.hpp"
#include "engine/state/state.hpp"
#include "engine/trial/trial.hpp"
#include "engine/types/event.hpp"
#include "insight/situation.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::insight {

/// Makes the Workload that a job, given as JSON, would have. Errors: Invalid.
using MakeWorkload = std::function<Result<api::Workload>(std::string_view job)>;

/// Changes, translated for one moment of a cluster. It refers to nothing that changes, so that it
/// can be tried on another thread.
struct PlannedChange {
    engine::Time now;
    std::shared_ptr<engine::State> state;  ///< a fork
    std::vector<engine::Event> events;
    /// The workloads that the changes name; each as it will be, nullptr if it is deleted.
    struct Named {
        std::string workload;                 ///< "namespace/name"
        std::optional<std::string> obstacle;  ///< why no queue would try it
    };
    std::vector<Named> named;
};

/// Limits of one question.
inline constexpr std::size_t kEditsMax = 1'000;
inline constexpr std::int32_t kCopiesMax = 10'000;

/// Translates the changes, in their order; several are one change. `ns`: the namespace to which
/// they are bound; empty for changes of anything. Errors: Invalid, with the field; NotFound.
/// Thread: that of the state.
Result<PlannedChange> plan_change(
    const Surroundings& from,
    const std::vector<api::WhatIfEdit>& edits,
    std::string_view ns,
    const MakeWorkload& make_workload
);

/// The outcome of a change, which still names the workloads of all namespaces.
class ChangeDraft {
  public:
    /// Runs cycles with and without the change until nothing more happens. Pure. *Cost*: two runs.
    explicit ChangeDraft(PlannedChange plan, const engine::TrialLimits& limits = {});

    /// Returns the namespaces of the workloads that it names.
    std::set<std::string> namespaces() const;
    /// Returns the outcome for an asker who may read the workloads of these namespaces; others are
    /// named kAnotherNamespace.
    api::WhatIfStatus finish(const std::function<bool(std::string_view ns)>& may_read) const;

  private:
    void compare(
        const engine::Trial& with,
        const engine::TrialOutcome& changed,
        const engine::Trial& without,
        const engine::TrialOutcome& unchanged
    );
    void explain_waits(engine::Trial& trial, const engine::TrialOutcome& outcome);
    std::string amount_of(std::string_view workload) const;

    PlannedChange plan_;
    api::WhatIfStatus made_;
};

}  // namespace sluice::insight
