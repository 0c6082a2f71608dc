#include "api/core/core.hpp"
#include "controller/kinds/builtin_kinds.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

bool refers_to(const api::Workload& workload, const std::string& runtime_class) {
    return std::ranges::any_of(workload.spec.pod_sets, [&](const api::PodSet& pod_set) {
        return pod_set.template_->spec.runtime_class_name == runtime_class;
    });
}

}  // namespace

/// RuntimeClasses concern only the engine: the requests of a workload depend on their overhead.
KindEntry runtime_class_kind() {
    KindEntry entry = make_entry<api::RuntimeClass>(Presence::Optional);
    entry.edges = {
        {.reconciled = std::nullopt,
         .translated = true,
         .find =
             [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit) {
                 for (const auto& [name, workload] : context.stores.of<api::Workload>().all()) {
                     if (refers_to(*workload, change.key.name)) {
                         visit({kind_of<api::Workload>(), name.namespace_, name.name});
                     }
                 }
             }},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto runtime_class = input.stores.of<api::RuntimeClass>().find(name)) {
            input.translator.set(*runtime_class);
        } else {
            input.translator.remove_runtime_class(name.name);
        }
    };
    return entry;
}

}  // namespace sluice::controller
