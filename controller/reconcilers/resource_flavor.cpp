#include "controller/reconcilers/resource_flavor.hpp"

#include "controller/reconcilers/finalizer.hpp"

namespace sluice::controller {

Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto flavor = stores.resource_flavors.find(name);
    if (!flavor) {
        return outcome;
    }
    const bool is_used = !stores.cluster_queues_of_flavor(std::string(name)).empty();
    if (auto write = keep_finalizer(
            {Kind::ResourceFlavor, "", std::string(name)}, flavor->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

Outcome reconcile_admission_check(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto check = stores.admission_checks.find(name);
    if (!check) {
        return outcome;
    }
    const bool is_used = !stores.cluster_queues_of_check(std::string(name)).empty();
    if (auto write = keep_finalizer(
            {Kind::AdmissionCheck, "", std::string(name)}, check->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
