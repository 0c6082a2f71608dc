#include "controller/reconcilers/workload_priority_class.hpp"

#include "controller/reconcile/strict_patch.hpp"

namespace sluice::controller {

Outcome reconcile_workload_priority_class(const Stores& stores, std::string_view name) {
    Outcome outcome;
    outcome.are_independent = true;
    const auto priority_class = stores.of<api::WorkloadPriorityClass>().find(name);
    if (!priority_class) {
        return outcome;
    }
    for (const auto& [key, workload] : workloads_of_priority_class(stores, std::string(name))) {
        if (workload->spec.priority == priority_class->value) {
            continue;
        }
        outcome.writes.push_back(strict_patch(
            {kind_of<api::Workload>(), key.namespace_, key.name},
            workload->metadata,
            json::Object{{"spec", json::Object{{"priority", priority_class->value}}}}
        ));
    }
    return outcome;
}

}  // namespace sluice::controller
