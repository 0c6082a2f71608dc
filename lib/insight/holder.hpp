// A workload that has quota: what it has, what it still waits for, and who may evict it.
#pragma once

#include "api/insight/explanation.hpp"
#include "insight/situation.hpp"

namespace sluice::insight {

/// Describes a workload with quota. Requires: its condition QuotaReserved is True.
void describe_holder(const Situation& situation, api::Explanation& made);

}  // namespace sluice::insight
