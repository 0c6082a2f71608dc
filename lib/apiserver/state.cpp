#include "apiserver/state.hpp"

#include "api/kueue_names.hpp"
#include "apiserver/builtin_schemas.hpp"
#include "apiserver/event_versions.hpp"
#include "webhook/conversion.hpp"

#include <fmt/format.h>

namespace sluice::apiserver {

namespace {

template <class F>
void for_each_owner(const Snapshot& object, F visit) {
    const json::Value* owners =
        object ? object->find_path({"metadata", "ownerReferences"}) : nullptr;
    if (owners != nullptr && owners->is_array()) {
        for (const json::Value& owner : owners->as_array()) {
            visit(owner.string_at("uid"));
        }
    }
}

}  // namespace

State::State(std::uint64_t seed, std::size_t log_max) : store(log_max), prng_(seed) {
    store.add_observer([this](const Collection& collection, const LogEntry& entry) {
        index(collection, entry);
    });
}

std::string State::new_uid() {
    const std::uint64_t high = prng_.next();
    const std::uint64_t low = prng_.next();
    return fmt::format(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32U,
        (high >> 16U) & 0xffffU,
        high & 0xfffU,
        0x8000U | ((low >> 48U) & 0x3fffU),
        low & 0xffffffffffffU
    );
}

std::string State::new_suffix() {
    constexpr std::string_view kCharacters = "bcdfghjklmnpqrstvwxz2456789";
    std::string suffix;
    for (int i = 0; i < 5; ++i) {
        suffix += kCharacters[prng_.below(kCharacters.size())];
    }
    return suffix;
}

Collection State::collection_of(const ResourceType& type) {
    return {type.group == "events.k8s.io" ? "" : type.group, type.plural};
}

json::Value State::to_version(const json::Value& stored, const ResourceType& type) {
    json::Value object = stored;
    if (type.kind == "Event" && !type.is_custom) {
        return type.group.empty() ? to_core_event(std::move(object)) : to_new_event(object);
    }
    const std::string wanted = type.api_version();
    if (object.string_at("apiVersion") != wanted) {
        if (type.group == api::kKueueGroup && webhook::has_conversion(type.kind)) {
            // An object that was stored can be shown.
            if (!webhook::convert(object, wanted)) {
                object = stored;
            }
        }
        object.set("apiVersion", wanted);
    }
    return object;
}

Result<json::Value> State::to_stored(json::Value object, const ResourceType& type) const {
    if (type.kind == "Event" && !type.is_custom) {
        return type.group.empty() ? object : to_core_event(std::move(object));
    }
    const auto stored = types.find_stored(type.group, type.plural);
    if (stored == nullptr || stored->version == type.version) {
        return object;
    }
    if (type.group == api::kKueueGroup && webhook::has_conversion(type.kind)) {
        if (const auto done = webhook::convert(object, stored->api_version()); !done) {
            return internal(fmt::format(
                "conversion webhook for {}, Kind={} failed: {}",
                type.api_version(),
                type.kind,
                done.error().detail
            ));
        }
    }
    object.set("apiVersion", stored->api_version());
    return object;
}

const std::set<State::Key>& State::dependents(std::string_view uid) const {
    static const std::set<Key> kNone;
    const auto found = dependents_.find(uid);
    return found == dependents_.end() ? kNone : found->second;
}

const State::Key* State::find_by_uid(std::string_view uid) const {
    const auto found = by_uid_.find(uid);
    return found == by_uid_.end() ? nullptr : &found->second;
}

void State::index(const Collection& collection, const LogEntry& entry) {
    if (!entry.before || !entry.after) {
        const Snapshot& object = entry.after ? entry.after : entry.before;
        const std::string uid(object->find("metadata")->string_at("uid"));
        if (entry.after) {
            by_uid_.insert_or_assign(uid, Key(collection, entry.name));
        } else {
            by_uid_.erase(uid);
        }
    }
    for_each_owner(entry.before, [&](std::string_view uid) {
        const auto found = dependents_.find(uid);
        if (found != dependents_.end()) {
            found->second.erase({collection, entry.name});
            if (found->second.empty()) {
                dependents_.erase(found);
            }
        }
    });
    for_each_owner(entry.after, [&](std::string_view uid) {
        dependents_[std::string(uid)].insert({collection, entry.name});
    });
}

std::shared_ptr<const Schema> schema_of(const ResourceType& type) {
    return type.is_custom ? type.structure : builtin_schema(type.group, type.version, type.kind);
}

}  // namespace sluice::apiserver
