// The input of one turn of a simulated controller.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// The input of one turn of a simulated controller. *Lifetime*: refers to all its objects.
struct Turn {
    /// Returns another object, from the namespace of the reconciled one unless the kind is
    /// cluster-scoped. Returns null if the object does not exist.
    using Find = std::function<
        json::Value(std::string_view api_version, std::string_view kind, std::string_view name)>;

    const json::Value& object;
    const std::vector<const json::Value*>& owned;  ///< objects of all kinds that it controls
    const Find& find;
    Pace pace;
    Time now;

    /// Returns the controlled objects of one kind.
    std::vector<const json::Value*> owned_of(std::string_view kind) const;
};

}  // namespace sluice::sim
