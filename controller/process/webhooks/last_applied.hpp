#pragma once

#include "json/value.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The annotation in which `kubectl apply` remembers what it applied.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// What the annotation must say after `change`, which returns whether it changed anything; none
/// where there is no annotation to change. Without it the next `kubectl apply` would bring back the
/// address of its manifest beside the one that is published.
std::optional<std::string> change_last_applied(
    const json::Value& object, const std::function<bool(json::Value&)>& change
);

}  // namespace sluice::controller
