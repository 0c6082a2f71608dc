#pragma once

#include "apiserver/state/state.hpp"
#include "json/value.hpp"
#include "sim/objects/write.hpp"

#include <string_view>
#include <vector>

namespace sluice::sim {

/// Whether controllers of the kind take pods in that nobody controls, and let go those that their
/// selector is not about.
bool adopts_pods(const apiserver::Collection& collection);
/// What they take in: Pods, or ReplicaSets; "": nothing.
std::string_view adopted_kind(const apiserver::Collection& collection);

/// The writes by which the object takes in those of the pods that its selector is about.
std::vector<Write> adopt(const json::Value& owner, const std::vector<apiserver::Snapshot>& orphans);
/// The writes by which it lets go pods that it controls.
std::vector<Write> release(const json::Value& owner, const std::vector<const json::Value*>& owned);

/// Whether a change of a pod may make somebody take it in: it is new, or has other labels or
/// owners.
bool changes_selection(const apiserver::LogEntry& entry);
/// Whether somebody controls the pod.
bool is_controlled(const json::Value& pod);

}  // namespace sluice::sim
