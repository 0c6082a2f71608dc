// Changes the annotation in which `kubectl apply` stores the applied manifest.
#pragma once

#include "json/value.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The annotation in which `kubectl apply` stores the applied manifest.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the annotation's value after `change`, which returns true if it changed the manifest;
/// nullopt if there is nothing to change. Without this change, the next `kubectl apply` would add
/// the manifest's address to the published one.
std::optional<std::string> change_last_applied(
    const json::Value& object, const std::function<bool(json::Value&)>& change
);

}  // namespace sluice::controller
