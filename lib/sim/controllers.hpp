// The simulated controllers, by kind.
#pragma once

#include "apiserver/state/store.hpp"
#include "job_kinds/builtin.hpp"
#include "sim/objects/turn.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>

namespace sluice::sim {

/// The controller of a kind, and the version in which it reads the objects.
struct Controller {
    std::string api_version;
    std::string kind;
    /// Returns the writes of one turn.
    std::function<Outcome(const Turn&)> reconcile;
};

/// Controllers by the collection of the objects that they reconcile.
using Controllers = std::map<apiserver::Collection, Controller>;

/// Returns the controllers of these job kinds, and of Kubernetes' own kinds except Jobs and Pods,
/// whose controllers keep state between turns.
Controllers make_controllers(std::span<const job_kinds::BuiltinKind> kinds);

/// Returns make_controllers() of the built-in job kinds.
const Controllers& builtin_controllers();

}  // namespace sluice::sim
