// Takes what answers of insight.sluice.dev are made of, on the thread of the stores.
#pragma once

#include "api/insight/what_if.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/insight/insight_path.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "insight/situation.hpp"
#include "insight/what_if.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace sluice::controller {

/// Takes situations and translates changes, from the stores and the engine's state. Thread: that of
/// the stores.
class InsightSource {
  public:
    struct Parts {
        const Stores& stores;
        const engine::State& state;
        const workload::Translator& translator;
        const JobKinds& job_kinds;
        const Settings& settings;
        const Clock& clock;
        std::function<std::optional<workload::PlaceInQueues>(engine::WorkloadIndex)> find_place;
    };
    /// Lifetime: the objects in `parts` must outlive this object.
    explicit InsightSource(Parts parts) : parts_(std::move(parts)) {}

    /// Returns nullopt if the Workload does not exist.
    std::optional<insight::Situation> take_situation(const InsightPath& path) const;
    std::vector<insight::Situation> take_situations(
        const InsightPath& path, const InsightPage& page
    ) const;
    /// Errors: as insight::plan_change().
    Result<insight::PlannedChange> plan_change(
        const InsightPath& path, const std::vector<api::WhatIfEdit>& edits
    ) const;

  private:
    template <class Ask>
    auto with_surroundings(const Ask& ask) const;

    Parts parts_;
};

}  // namespace sluice::controller
