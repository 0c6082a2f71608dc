#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What is wrong with a HorizontalPodAutoscaler: its bounds, what it scales, its metrics and its
/// behavior.
void check_scaler(Causes& causes, const json::Value& scaler);

}  // namespace sluice::apiserver
