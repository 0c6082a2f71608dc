// A job kind that a Configuration may list.
#pragma once

#include "config/feature_gates.hpp"

#include <optional>
#include <string>

namespace sluice::config {

/// A job kind that `integrations.frameworks` may list.
struct Framework {
    std::string name;
    std::string kind;  ///< Kind.version.group, or Kind.version for the core group
    /// The alpha gate without which the framework may not be listed; nullopt if it needs none.
    std::optional<Feature> gate{};
};

}  // namespace sluice::config
