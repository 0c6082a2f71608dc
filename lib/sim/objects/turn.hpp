#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// What a simulated controller is told when it looks at an object. Lifetime: it refers to all.
struct Turn {
    /// Another object, of the namespace of this one unless its kind has none; null: there is none.
    using Find = std::function<
        json::Value(std::string_view api_version, std::string_view kind, std::string_view name)>;

    const json::Value& object;
    const std::vector<const json::Value*>& owned;  ///< that it controls, of all kinds
    const Find& find;
    Pace pace;
    Time now;

    /// Those of what it controls that are of the kind.
    std::vector<const json::Value*> owned_of(std::string_view kind) const;
};

}  // namespace sluice::sim
