// The simulated controllers, by kind.
#pragma once

#include "apiserver/state/store.hpp"
#include "sim/objects/turn.hpp"

#include <map>
#include <string>

namespace sluice::sim {

/// The controller of a kind, and the version in which it reads the objects.
struct Controller {
    std::string api_version;
    std::string kind;
    /// Returns the writes of one turn.
    std::function<Outcome(const Turn&)> reconcile;
};

/// Returns the controllers of all kinds but Jobs and Pods, whose controllers keep state between
/// turns.
const std::map<apiserver::Collection, Controller>& controllers();

}  // namespace sluice::sim
