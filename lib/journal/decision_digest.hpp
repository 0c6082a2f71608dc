// The canonical form of a cycle's decisions, by names, and its hash.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstdint>
#include <string>

namespace sluice::journal {

/// Returns the decisions as text in which equal decisions are equal, whatever the indices of the
/// state: one line for each. Requires: the decisions' indices are still valid in the state.
std::string print_decisions(const engine::State& state, const engine::CycleResult& result);

/// Returns the 64-bit FNV-1a hash of that text.
std::uint64_t digest_of(const engine::State& state, const engine::CycleResult& result);

}  // namespace sluice::journal
