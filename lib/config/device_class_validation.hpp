// Checks the setting resources.deviceClassMappings.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/problem.hpp"

#include <vector>

namespace sluice::config {

/// Checks resources.deviceClassMappings as a part of `validate`; adds its problems to `out`.
void check_device_class_mappings(
    Problems& out, const std::vector<DeviceClassMapping>& mappings, const FeatureGates& gates
);

}  // namespace sluice::config
