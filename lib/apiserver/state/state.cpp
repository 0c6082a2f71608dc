#include "apiserver/state/state.hpp"

#include "api/kueue/kueue_names.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "apiserver/state/admission_programs.hpp"
#include "apiserver/state/event_versions.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "base/assert.hpp"
#include "webhook/conversion.hpp"

#include <fmt/format.h>

#include <charconv>

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

std::int64_t version_of(const json::Value& object) {
    const json::Value* version = object.find_path({"metadata", "resourceVersion"});
    std::int64_t number = 0;
    if (version != nullptr && version->is_string()) {
        const std::string& text = version->as_string();
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    return number;
}

}  // namespace

State::State(std::uint64_t seed, std::size_t log_max)
    : store(log_max), prng_(seed), programs_(std::make_unique<AdmissionPrograms>()) {
    store.add_observer([this](const Collection& collection, const LogEntry& entry) {
        index(collection, entry);
        namespace_counts_.follow(collection, entry);
        quota_usage_.follow(store, collection, entry);
        if (collection.group == "admissionregistration.k8s.io") {
            programs_->forget();
        }
    });
}

State::~State() = default;

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

// Kueue's kinds are converted without a call, by the functions behind the conversion webhook of the
// controller, if their definition names that webhook:
// - Always if the controller runs in this process. It writes its own address into the definition.
// - Else if the definition names the Service of Kueue's manifests and that Service has no address.
// A controller replaces the Service by the URL of its webhook before it lists; until then nothing
// else could convert the kinds.
// Any other webhook is called.
bool State::is_converted_outside(const ResourceType& type) const {
    if (type.conversion == nullptr) {
        return false;
    }
    if (type.group != api::kKueueGroup || !webhook::has_conversion(type.kind)) {
        return true;
    }
    if (has_controller) {
        return false;
    }
    const json::Value* config = type.conversion->find("clientConfig");
    return config == nullptr || config->find("service") == nullptr ||
           find_webhook(store, *config).fault.empty();
}

std::optional<json::Value> State::convert_outside(const json::Value& object, const ResourceType& to)
    const {
    SLUICE_ASSERT(conversions_ != nullptr);
    return conversions_->find(object, to);
}

bool State::is_shown_as_stored(const json::Value& stored, const ResourceType& type) const {
    const bool is_translated = !type.is_custom && type.kind == "Event";
    const bool is_shaped =
        type.shaped_at > 0 && type.structure != nullptr && version_of(stored) <= type.shaped_at;
    return !is_translated && !is_shaped && stored.string_at("apiVersion") == type.api_version();
}

json::Value State::to_version(const json::Value& stored, const ResourceType& type) const {
    json::Value object = stored;
    if (is_shown_as_stored(stored, type)) {
        return object;
    }
    if (type.kind == "Event" && !type.is_custom) {
        return type.group.empty() ? to_core_event(std::move(object)) : to_new_event(object);
    }
    const std::string wanted = type.api_version();
    if (object.string_at("apiVersion") != wanted) {
        if (is_converted_outside(type)) {
            if (auto converted = convert_outside(object, type)) {
                object = std::move(*converted);
            }
        } else if (type.conversion != nullptr) {
            // A stored object must be readable even if its conversion fails.
            if (!webhook::convert(object, wanted)) {
                object = stored;
            }
        }
        object.set("apiVersion", wanted);
    }
    if (type.shaped_at > 0 && type.structure != nullptr && version_of(object) <= type.shaped_at) {
        apply_defaults(*type.structure, object);
    }
    return object;
}

Result<json::Value> State::to_stored(json::Value object, const ResourceType& type) const {
    if (type.kind == "Event" && !type.is_custom) {
        return type.group.empty() ? object : to_core_event(std::move(object));
    }
    const auto stored = types.find_stored(type.group, type.plural);
    return stored == nullptr ? object : change_version(std::move(object), type, *stored);
}

Result<json::Value> State::convert(
    json::Value object, const ResourceType& from, const ResourceType& to
) const {
    if (to.is_custom) {
        return change_version(std::move(object), from, to);
    }
    if (from.api_version() == to.api_version()) {
        return object;
    }
    auto stored = to_stored(std::move(object), from);
    return stored ? Result<json::Value>(to_version(*stored, to)) : stored;
}

Result<json::Value> State::change_version(
    json::Value object, const ResourceType& from, const ResourceType& to
) const {
    if (from.version == to.version) {
        return object;
    }
    if (is_converted_outside(to)) {
        if (auto converted = convert_outside(object, to)) {
            object = std::move(*converted);
        }
    } else if (to.conversion != nullptr) {
        if (const auto done = webhook::convert(object, to.api_version()); !done) {
            return make_failure(
                500,
                "",
                fmt::format(
                    "conversion webhook for {}, Kind={} failed: {}",
                    from.api_version(),
                    from.kind,
                    done.error().detail
                ),
                {}
            );
        }
    }
    object.set("apiVersion", to.api_version());
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
