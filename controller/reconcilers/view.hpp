#pragma once

#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"
#include "workload/translator.hpp"

namespace sluice::controller {

/// All that a reconciler may look at.
struct View {
    const Stores& stores;
    const workload::Translator& translator;  ///< fed with what the stores hold
    const Settings& settings;
};

}  // namespace sluice::controller
