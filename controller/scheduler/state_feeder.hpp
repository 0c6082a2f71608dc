// Sends changes of the stores to the engine as events.
#pragma once

#include "base/clock.hpp"
#include "base/clock_steps.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/scheduler/unaccounted_quota.hpp"
#include "engine/driver/driver.hpp"
#include "engine/types/event.hpp"
#include "workload/translation/translator.hpp"

#include <string>
#include <vector>

namespace sluice::controller {

/// Sends changes of the stores to the engine as events. The engine gets nothing before feed_all(),
/// which sends everything in the stores.
class StateFeeder {
  public:
    StateFeeder(
        const Registry& registry,
        const Stores& stores,
        workload::Translator& translator,
        engine::Driver& driver,
        const Clock& clock
    )
        : context_{registry, stores}, translator_(translator), driver_(driver), clock_(clock) {}

    /// Sends every object, kind by kind in the order of the registry. Requires: all stores hold a
    /// complete list.
    void feed_all(Time now);
    /// Returns true after feed_all().
    bool is_fed() const { return is_fed_; }

    /// Sends the object and everything that depends on it. Call this after the store has taken the
    /// change.
    void changed(const kube::AnyChange& change, Time now);
    /// Sends the Workload as the store has it now. Called when a write has ended, though the store
    /// did not change.
    void workload_changed(const std::string& ns, const std::string& name, Time now);

    /// Returns the quota that the engine does not count, because an object that holds or owns it
    /// cannot be read.
    std::vector<UnaccountedQuota> unaccounted() const;
    /// Makes exactly these ClusterQueues inactive, each with its message. Returns those whose
    /// activity or message changed.
    std::vector<std::string> hold_back(workload::Translator::HeldBack messages, Time now);

    /// Sends another event to the engine, for example the result of a write.
    void apply(const engine::Event& event, Time now);
    /// Shifts the engine's delays if the wall clock was set. apply() calls this before each event.
    void follow_clock();

  private:
    void translate(const ObjectKey& key, Time now);
    /// Sends the object as it is, and everything that depends on it.
    void refresh(const ObjectKey& key, Time now);

    ChangeContext context_;
    workload::Translator& translator_;
    engine::Driver& driver_;
    const Clock& clock_;
    ClockSteps clock_steps_;
    bool is_fed_ = false;
};

}  // namespace sluice::controller
