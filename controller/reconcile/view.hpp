#pragma once

#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "workload/translation/translator.hpp"

#include <set>

namespace sluice::controller {

/// All that a reconciler may read.
struct View {
    const Stores& stores;
    const workload::Translator& translator;  ///< fed with what the stores hold
    const Settings& settings;
    /// The kinds of jobs, whose reconcilers manage their Workloads; null: none.
    const std::set<Kind>* job_kinds = nullptr;
    /// Those of them that begin no job any more; null: none.
    const std::set<Kind>* withdrawn_kinds = nullptr;
};

}  // namespace sluice::controller
