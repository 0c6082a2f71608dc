// The state that a reconciler may read: stores, translator, settings and the kinds of jobs.
#pragma once

#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "workload/translation/translator.hpp"

#include <set>

namespace sluice::controller {

/// Everything that a reconciler may read.
struct View {
    const Stores& stores;
    const workload::Translator& translator;  ///< kept up to date with the stores
    const Settings& settings;
    /// The kinds of jobs whose reconcilers manage their Workloads; nullptr means no kinds.
    const std::set<Kind>* job_kinds = nullptr;
    /// The kinds in `job_kinds` whose jobs are not started any more; nullptr means no kinds.
    const std::set<Kind>* withdrawn_kinds = nullptr;
};

}  // namespace sluice::controller
