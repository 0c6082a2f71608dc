// Adoption and release of pods by the controllers whose selector matches them.
#pragma once

#include "apiserver/state/state.hpp"
#include "json/value.hpp"
#include "sim/objects/write.hpp"

#include <string_view>
#include <vector>

namespace sluice::sim {

/// Returns true if controllers of the kind adopt pods without a controller, and release pods that
/// their selector no longer matches.
bool adopts_pods(const apiserver::Collection& collection);
/// Returns the kind that they adopt: Pod or ReplicaSet; empty if they adopt nothing.
std::string_view adopted_kind(const apiserver::Collection& collection);

/// Returns the writes by which the object adopts those of the orphans that its selector matches.
std::vector<Write> adopt(const json::Value& owner, const std::vector<apiserver::Snapshot>& orphans);
/// Returns the writes by which the object releases controlled pods that its selector does not
/// match.
std::vector<Write> release(const json::Value& owner, const std::vector<const json::Value*>& owned);

/// Returns true if a change of a pod may lead to its adoption: the pod is new, or its labels or
/// owners changed.
bool changes_selection(const apiserver::LogEntry& entry);
/// Returns true if an owner of the pod is its controller.
bool is_controlled(const json::Value& pod);

}  // namespace sluice::sim
