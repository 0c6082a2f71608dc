// Remedies that change pods, or that start a stopped queue: those that need a translation.
#pragma once

#include "insight/situation.hpp"
#include "workload/translation/translator.hpp"

namespace sluice::insight {

/// Adds the changes that could admit the workload: its pods tolerate the taints of a flavor, its
/// node selector and node affinity allow a flavor, or its stopped queue starts again.
void add_translated_changes(const workload::Translator& translator, Situation& situation);

}  // namespace sluice::insight
