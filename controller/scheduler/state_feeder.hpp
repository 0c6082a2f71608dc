#pragma once

#include "base/clock.hpp"
#include "base/clock_steps.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/scheduler/unaccounted_quota.hpp"
#include "engine/state/state.hpp"
#include "workload/translation/translator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::controller {

/// Tells the engine what changed in the stores. Nothing reaches the engine before feed_all, which
/// tells it everything that is there.
class StateFeeder {
  public:
    StateFeeder(
        const Registry& registry,
        const Stores& stores,
        workload::Translator& translator,
        engine::State& state,
        const Clock& clock
    )
        : context_{registry, stores}, translator_(translator), state_(state), clock_(clock) {}

    /// Everything, kind by kind in the order of the registry. Requires: all stores hold a whole
    /// list.
    void feed_all(Time now);
    bool is_fed() const { return is_fed_; }
    /// How many changes were told since the beginning; a cycle need not be repeated while it stays.
    std::uint64_t changes() const { return changes_; }

    /// Called after the store of its kind has taken the change: tells the object and all that
    /// depends on it.
    void changed(const kube::AnyChange& change, Time now);
    /// The Workload as the store has it now, though it did not change: a write of ours has ended.
    void workload_changed(const std::string& ns, const std::string& name, Time now);

    /// Quota that the engine does not count, as what holds or owns it cannot be read.
    std::vector<UnaccountedQuota> unaccounted() const;
    /// Makes exactly these ClusterQueues inactive, with the message of each; those whose activity
    /// or message changed are returned.
    std::vector<std::string> hold_back(workload::Translator::HeldBack messages, Time now);

    /// Any other event, for example how a write went.
    void apply(const engine::Event& event, Time now);
    /// Moves the engine's own delays along when the wall clock was set. `now` is the time that the
    /// engine is told next; apply() does this by itself.
    void follow_clock();

  private:
    void translate(const ObjectKey& key, Time now);
    /// The object as it is and what depends on it.
    void refresh(const ObjectKey& key, Time now);

    ChangeContext context_;
    workload::Translator& translator_;
    engine::State& state_;
    const Clock& clock_;
    ClockSteps clock_steps_;
    bool is_fed_ = false;
    std::uint64_t changes_ = 0;
};

}  // namespace sluice::controller
