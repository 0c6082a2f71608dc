#include "api/core/core.hpp"
#include "controller/kinds/builtin_kinds.hpp"

namespace sluice::controller {

/// Nodes concern only the engine: topologies are made of them.
KindEntry node_kind() {
    KindEntry entry = make_entry<api::Node>(Presence::Optional);
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        const auto node = input.stores.of<api::Node>().find(name);
        input.apply_all(
            node ? input.translator.set(*node) : input.translator.remove_node(name.name)
        );
    };
    return entry;
}

}  // namespace sluice::controller
