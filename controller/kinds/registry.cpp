#include "controller/kinds/registry.hpp"

#include "api/core/pod.hpp"
#include "base/assert.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/pod_rows.hpp"

#include <iterator>
#include <utility>

namespace sluice::controller {

Edge to_itself() {
    return {
        .reconciled = Urgency::AtOnce,
        .translated = false,
        .find = [](const ChangeContext&, const kube::AnyChange& change, const Visit& visit
                ) { visit(change.key); }
    };
}

KindEntry make_dynamic_entry(std::shared_ptr<const kube::RunTimeKind> names) {
    KindEntry entry;
    entry.kind = names->kind();
    entry.presence = Presence::Optional;
    entry.make_store = [kind = entry.kind]() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<api::DynamicObject>>(kind);
        add_job_indexes(store->objects());
        return store;
    };
    entry.names = std::move(names);
    return entry;
}

const KindEntry& Registry::add(KindEntry entry) {
    const KindEntry& added = entries_.emplace_back(std::move(entry));
    const bool is_new = by_kind_.emplace(added.kind, std::prev(entries_.end())).second;
    SLUICE_ASSERT(is_new);
    note_job(added);
    return added;
}

void Registry::note_job(const KindEntry& entry) {
    if (entry.job) {
        job_kinds_.add(entry.job, entry.is_withdrawn);
    }
    if (entry.ancestor_role) {
        job_kinds_.add_above({entry.kind, *entry.ancestor_role, entry.counts_pods_of_pods});
    }
    if (entry.is_external) {
        job_kinds_.add_external(entry.kind);
    }
}

void Registry::replace(KindEntry entry) {
    const auto found = by_kind_.find(entry.kind);
    SLUICE_ASSERT(found != by_kind_.end());
    job_kinds_.remove(entry.kind);
    *found->second = std::move(entry);
    note_job(*found->second);
}

void Registry::remove(Kind kind) {
    const auto found = by_kind_.find(kind);
    SLUICE_ASSERT(found != by_kind_.end());
    job_kinds_.remove(kind);
    entries_.erase(found->second);
    by_kind_.erase(found);
}

bool Registry::set_passed(const KindEntry& entry, bool is_passed) {
    if (!is_passed) {
        return job_kinds_.remove_above(entry.kind);
    }
    return job_kinds_.add_above({entry.kind, AncestorRole::Passed, entry.counts_pods_of_pods});
}

const KindEntry* Registry::find(Kind kind) const {
    const auto found = by_kind_.find(kind);
    return found == by_kind_.end() ? nullptr : &*found->second;
}

const KindEntry* Registry::find(std::string_view group, std::string_view kind) const {
    for (const KindEntry& entry : entries_) {
        if (entry.kind.group() == group && entry.kind.name() == kind) {
            return &entry;
        }
    }
    return nullptr;
}

void Registry::add_stores(Stores& stores) const {
    for (const KindEntry& entry : entries_) {
        stores.add(entry.make_store());
    }
}

std::optional<ObjectKey> find_owner(const Registry& registry, const api::ObjectMeta& metadata) {
    if (is_of_pod_group(metadata)) {
        const KindEntry* pods = registry.find(kind_of<api::Pod>());
        return pods != nullptr && pods->job
                   ? std::optional(pod_group_key(metadata.namespace_, metadata.name))
                   : std::nullopt;
    }
    const api::OwnerReference* owner = metadata.controller_owner();
    if (owner == nullptr) {
        return std::nullopt;
    }
    const KindEntry* entry = registry.find(kube::group_of(owner->api_version), owner->kind);
    if (entry == nullptr) {
        return std::nullopt;
    }
    return ObjectKey{entry->kind, metadata.namespace_, owner->name};
}

void enqueue_affected(
    const ChangeContext& context, const kube::AnyChange& change, const Enqueue& enqueue
) {
    const KindEntry* entry = context.registry.find(change.key.kind);
    if (entry == nullptr) {
        return;
    }
    for (const Edge& edge : entry->edges) {
        if (edge.reconciled) {
            edge.find(context, change, [&enqueue, &edge](const ObjectKey& key) {
                enqueue(key, *edge.reconciled);
            });
        }
    }
}

void enqueue_all(const ChangeContext& context, const Enqueue& enqueue) {
    for (const KindEntry& entry : context.registry.all()) {
        const kube::AnyStore* store = context.stores.find(entry.kind);
        if (!entry.reconcile || store == nullptr) {
            continue;
        }
        for (const kube::NamespacedName& name : store->names()) {
            enqueue({entry.kind, name.namespace_, name.name}, Urgency::AtOnce);
        }
    }
    for (const auto& [name, workload] : context.stores.of<api::Workload>().all()) {
        if (const auto owner = find_owner(context.registry, workload->metadata)) {
            enqueue(*owner, Urgency::AtOnce);
        }
        if (has_gated_pods(*workload, true)) {
            visit_pod_row(context.stores, *workload, [&enqueue](const ObjectKey& row) {
                enqueue(row, Urgency::AtOnce);
            });
        }
    }
}

void enqueue_owners(const ChangeContext& context, Kind kind, const Enqueue& enqueue) {
    for (const auto& [name, workload] : context.stores.of<api::Workload>().all()) {
        const auto owner = find_owner(context.registry, workload->metadata);
        if (owner && owner->kind == kind) {
            enqueue(*owner, Urgency::AtOnce);
        }
    }
}

void translate_after(
    const ChangeContext& context, const kube::AnyChange& change, const Visit& translate
) {
    const KindEntry* entry = context.registry.find(change.key.kind);
    if (entry == nullptr) {
        return;
    }
    const auto translate_it = [&context, &translate](const ObjectKey& key) {
        translate(key);
        const kube::AnyStore* store = context.stores.find(key.kind);
        const auto object = store == nullptr ? nullptr : store->find_object({key.ns, key.name});
        translate_after(context, {key, object, object}, translate);
    };
    for (const Edge& edge : entry->edges) {
        if (edge.translated) {
            edge.find(context, change, translate_it);
        }
    }
}

}  // namespace sluice::controller
