#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/problem.hpp"

#include <vector>

namespace sluice::config {

/// Checks resources.deviceClassMappings, a part of `validate`.
void check_device_class_mappings(
    Problems& out, const std::vector<DeviceClassMapping>& mappings, const FeatureGates& gates
);

}  // namespace sluice::config
