#pragma once

#include "json/value.hpp"

namespace sluice::apiserver {

/// A HorizontalPodAutoscaler of autoscaling/v1 as v2, in which it is stored. What v1 has no fields
/// for stands in annotations there.
json::Value to_new_scaler(json::Value scaler);
/// The other way.
json::Value to_old_scaler(json::Value scaler);

}  // namespace sluice::apiserver
