#include "controller/reconcilers/resource_flavor.hpp"

#include "controller/reconcilers/finalizer.hpp"

namespace sluice::controller {

Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto flavor = stores.of<api::ResourceFlavor>().find(name);
    if (!flavor) {
        return outcome;
    }
    const bool is_used = !cluster_queues_of_flavor(stores, std::string(name)).empty();
    if (auto write = keep_finalizer(
            {kind_of<api::ResourceFlavor>(), "", std::string(name)}, flavor->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

Outcome reconcile_admission_check(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto check = stores.of<api::AdmissionCheck>().find(name);
    if (!check) {
        return outcome;
    }
    const bool is_used = !cluster_queues_of_check(stores, std::string(name)).empty();
    if (auto write = keep_finalizer(
            {kind_of<api::AdmissionCheck>(), "", std::string(name)}, check->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
