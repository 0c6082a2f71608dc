#include "controller/reconcilers/reconcile.hpp"

namespace sluice::controller {

std::string to_string(const ObjectKey& key) {
    return key.ns.empty() ? key.name : key.ns + "/" + key.name;
}

}  // namespace sluice::controller
