// Says in words where quota and nodes differ.
#pragma once

#include "workload/capacity/capacity_report.hpp"

#include <string>

namespace sluice::workload {

/// Returns, for example, "12 of quota without a node: 8 on gpu-07 (NotReady), 4 used by others";
/// "nodes have all of it" if nothing is missing.
std::string verdict_of(const FlavorCapacity& capacity);

/// Returns, for example, "quota 64, but the nodes of flavor a100 can give 52".
std::string excess_words(const QuotaExcess& excess);

/// Returns, for example, "needs 8 x 8 nvidia.com/gpu on one node each; nodes have 5 such, 3 of them
/// free". Names the resources that pods compete for: extended ones, or else cpu and memory.
std::string unplaceable_words(const UnplaceablePods& pods);

/// Returns, for example, "needs 8 x 8 nvidia.com/gpu on one node each; nodes have 5 such", for pods
/// that find_pods_beyond_nodes() returned.
std::string beyond_nodes_words(const UnplaceablePods& pods);

/// Returns, for example, "8 nvidia.com/gpu". Names extended resources alone if there are some: they
/// decide where pods fit.
std::string request_words(const Amounts& request);

}  // namespace sluice::workload
