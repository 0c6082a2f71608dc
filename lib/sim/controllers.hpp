#pragma once

#include "apiserver/state/store.hpp"
#include "sim/objects/turn.hpp"

#include <map>
#include <string>

namespace sluice::sim {

/// Who looks after the objects of a kind, which it reads in that version.
struct Controller {
    std::string api_version;
    std::string kind;
    std::function<Outcome(const Turn&)> reconcile;
};

/// Those of all kinds but Jobs and Pods, of which their controllers have to remember something.
const std::map<apiserver::Collection, Controller>& controllers();

}  // namespace sluice::sim
