// Explains a workload: why it waits or runs, and what would admit it.
#pragma once

#include "api/insight/explanation.hpp"
#include "engine/types/decision.hpp"
#include "insight/situation.hpp"
#include "workload/explanation/explanation.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::insight {

/// A workload that was refused, and why.
struct RefusedAlone {
    std::string workload;  ///< "namespace/name"
    engine::RefusalDecision refusal;
    std::vector<workload::Constraint> constraints;
};

/// An explanation that still names the workloads of all namespaces.
class Draft {
  public:
    /// Explains the workload. Pure: it may run on any thread. *Cost*: a decision on the workload
    /// alone, and that of its remedies.
    explicit Draft(Situation situation);

    /// Returns the namespaces of the workloads that it names, but for that of the asked one.
    std::set<std::string> namespaces() const;
    /// Returns the explanation for an asker who may read the workloads of these namespaces. Other
    /// workloads are named kAnotherNamespace, without their priority and times.
    api::Explanation finish(const std::function<bool(std::string_view ns)>& may_read) const;

  private:
    void describe();
    void explain_pending();
    void explain_held_back();
    void explain_holder();
    void add_pod_sets();
    /// Adds the resources for which the ClusterQueue has no quota: the search for flavors may have
    /// ended before it came to them.
    void add_undeclared();
    void add_levels();
    void mark_binding(const std::string& node);
    /// Adds the keys of the queue's order to the position.
    void add_order(engine::WorkloadIndex index, engine::NodeIndex queue);
    void decide_alone(engine::WorkloadIndex index);
    std::string words_of(const RefusedAlone& refused) const;
    api::ExplainedConstraint to_api(
        const workload::Constraint& constraint,
        const std::function<bool(std::string_view ns)>& may_read
    ) const;
    api::ExplainedHolder to_api(
        const workload::Holder& holder, const std::function<bool(std::string_view ns)>& may_read
    ) const;
    std::string obstacle_of(const workload::Constraint& constraint) const;
    std::string summary_of(const api::Explanation& explanation) const;

    Situation situation_;
    api::Explanation made_;
    std::optional<RefusedAlone> refused_;
    std::optional<RefusedAlone> strict_head_;  // StrictFIFO keeps the workload behind it
    bool fits_alone_ = false;
};

}  // namespace sluice::insight
