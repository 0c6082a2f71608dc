#include "controller/kinds/builtin_kinds.hpp"

#include <utility>

// Kinds of which only the metadata of objects is kept.

namespace sluice::controller {

namespace {

KindEntry make_metadata_entry(std::shared_ptr<const kube::RunTimeKind> names) {
    KindEntry entry = make_dynamic_entry(std::move(names));
    entry.make_store = [kind = entry.kind]() -> std::unique_ptr<kube::AnyStore> {
        const auto keep_metadata = [](api::DynamicObject& object, std::string_view) {
            object.value = json::Value();
        };
        return std::make_unique<kube::KindStore<api::DynamicObject>>(kind, keep_metadata);
    };
    return entry;
}

}  // namespace

KindEntry external_job_kind(std::shared_ptr<const kube::RunTimeKind> names) {
    KindEntry entry = make_metadata_entry(std::move(names));
    entry.is_external = true;
    return entry;
}

KindEntry passed_kind(std::shared_ptr<const kube::RunTimeKind> names) {
    KindEntry entry = make_metadata_entry(std::move(names));
    entry.ancestor_role = AncestorRole::Passed;
    entry.is_only_passed = true;
    return entry;
}

}  // namespace sluice::controller
