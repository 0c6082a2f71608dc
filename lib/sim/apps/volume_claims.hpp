#pragma once

#include "json/value.hpp"
#include "sim/turn.hpp"
#include "sim/write.hpp"

#include <cstdint>
#include <vector>

/// Claims of a StatefulSet's pods (spec.volumeClaimTemplates): one of each template for each pod,
/// named `TEMPLATE-SET-ORDINAL`, which outlive their pods.
namespace sluice::sim {

/// Creates the claims of that pod that are not there. They go with the set where its
/// persistentVolumeClaimRetentionPolicy says so.
std::vector<Write> create_claims(const Turn& turn, std::int64_t ordinal);

/// Puts the claims of that pod among its volumes, in place of those of their names.
void add_claim_volumes(const json::Value& set, std::int64_t ordinal, json::Value& pod);

/// Lets the claims of a pod that the set has no place for any more go with the pod, where the
/// retention policy says so; else nothing.
std::vector<Write> release_claims(const Turn& turn, const json::Value& pod, std::int64_t ordinal);

}  // namespace sluice::sim
