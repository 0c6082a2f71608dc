#include "controller/kinds/builtin_kinds.hpp"

#include <utility>

namespace sluice::controller {

KindEntry external_job_kind(std::shared_ptr<const kube::RunTimeKind> names) {
    KindEntry entry = make_dynamic_entry(std::move(names));
    entry.is_external = true;
    entry.make_store = [kind = entry.kind]() -> std::unique_ptr<kube::AnyStore> {
        const auto keep_metadata = [](api::DynamicObject& object, std::string_view) {
            object.value = json::Value();
        };
        return std::make_unique<kube::KindStore<api::DynamicObject>>(kind, keep_metadata);
    };
    return entry;
}

}  // namespace sluice::controller
