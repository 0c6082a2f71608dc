#include "controller/process/writes/landed_write.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>

namespace sluice::controller {

namespace {

constexpr auto kClockDifferenceMax = std::chrono::seconds(10);

std::string_view landed_text(
    const json::Value& object, std::initializer_list<std::string_view> path
) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? found->as_string() : std::string_view();
}

std::string_view admitting_queue(const json::Value& object) {
    return landed_text(object, {"status", "admission", "clusterQueue"});
}

/// Returns the reason of condition Evicted=True, or "".
std::string_view eviction_reason(const json::Value& object) {
    const json::Value* list = object.find_path({"status", "conditions"});
    if (list == nullptr || !list->is_array()) {
        return {};
    }
    const auto found = std::ranges::find_if(list->as_array(), [](const json::Value& condition) {
        return condition.string_at("type") == api::condition::kEvicted &&
               condition.string_at("status") == api::condition_status::kTrue;
    });
    return found == list->as_array().end() ? std::string_view() : found->string_at("reason");
}

/// Returns true if `whole` contains all of `part`. It may have more members and items: defaults of
/// the server and fields of other writers.
bool contains(const json::Value& whole, const json::Value& part) {
    if (part.is_object() && whole.is_object()) {
        return std::ranges::all_of(part.as_object(), [&whole](const json::Member& member) {
            const json::Value* found = whole.find(member.first);
            return found == nullptr ? member.second.is_null() : contains(*found, member.second);
        });
    }
    if (part.is_array() && whole.is_array()) {
        return std::ranges::all_of(part.as_array(), [&whole](const json::Value& item) {
            return std::ranges::any_of(whole.as_array(), [&item](const json::Value& candidate) {
                return contains(candidate, item);
            });
        });
    }
    return whole == part;
}

bool is_created(const json::Value& object, const json::Value& body, Time first_attempt) {
    const auto created = api::parse_time(landed_text(object, {"metadata", "creationTimestamp"}));
    return created && *created >= first_attempt - kClockDifferenceMax && contains(object, body);
}

/// Returns true if applying the merge patch (RFC 7386) would change nothing. Empty and absent are
/// equal: the API server omits empty objects and lists.
bool changes_nothing(const json::Value& patch, const json::Value* target) {
    if (patch.is_object()) {
        return std::ranges::all_of(patch.as_object(), [target](const json::Member& member) {
            return changes_nothing(
                member.second, target != nullptr ? target->find(member.first) : nullptr
            );
        });
    }
    const bool is_empty = patch.is_null() || (patch.is_array() && patch.as_array().empty());
    return target == nullptr ? is_empty : *target == patch;
}

enum class Endpoint : std::uint8_t { Object, Status };

bool is_patched(const json::Value& object, json::Value patch, Endpoint endpoint) {
    if (json::Value* metadata = patch.find("metadata")) {
        metadata->erase("resourceVersion");
    }
    patch.erase(endpoint == Endpoint::Status ? "spec" : "status");
    return changes_nothing(patch, &object);
}

/// Returns the fields of the object's status that the manager owns by server-side apply (KEP-555),
/// in the notation fieldsV1; null if the object does not list them.
json::Value applied_fields(const json::Value& object, std::string_view manager) {
    const json::Value* entries = object.find_path({"metadata", "managedFields"});
    if (entries != nullptr && entries->is_array()) {
        for (const json::Value& entry : entries->as_array()) {
            if (entry.string_at("manager") == manager && entry.string_at("operation") == "Apply" &&
                entry.string_at("subresource") == "status") {
                const json::Value* fields = entry.find("fieldsV1");
                return fields != nullptr ? *fields : json::Value();
            }
        }
    }
    return {};
}

/// Returns true if `body` has each field in `fields`: "f:x" is member x, "k:{…}" the list item with
/// those keys; "v:" (an item of a set) and "." (the field itself) need no further check.
bool has_each(const json::Value& body, const json::Value& fields) {
    if (!fields.is_object()) {
        return true;
    }
    return std::ranges::all_of(fields.as_object(), [&body](const json::Member& field) {
        const std::string_view name = field.first;
        if (name.starts_with("f:")) {
            const json::Value* member = body.find(name.substr(2));
            return member != nullptr && has_each(*member, field.second);
        }
        const auto keys = name.starts_with("k:") ? json::parse(name.substr(2)) : json::Value();
        if (!keys || !keys->is_object()) {
            return true;
        }
        return body.is_array() &&
               std::ranges::any_of(body.as_array(), [&](const json::Value& item) {
                   return contains(item, *keys) && has_each(item, field.second);
               });
    });
}

bool is_applied(const json::Value& object, json::Value body, std::string_view manager) {
    if (json::Value* metadata = body.find("metadata")) {
        metadata->erase("resourceVersion");
    }
    return contains(object, body) && has_each(body, applied_fields(object, manager));
}

}  // namespace

bool has_landed(const Write& write, const json::Value& object, Time first_attempt) {
    switch (write.verb) {
        case Verb::Create:
            return is_created(object, write.body, first_attempt);
        case Verb::MergePatch:
            return is_patched(object, write.body, Endpoint::Object);
        case Verb::MergePatchStatus:
            return is_patched(object, write.body, Endpoint::Status);
        case Verb::ApplyStatus:
            return is_applied(object, write.body, write.field_manager);
        case Verb::Delete:
            return landed_text(object, {"metadata", "uid"}) != write.uid ||
                   object.find_path({"metadata", "deletionTimestamp"}) != nullptr;
    }
    return false;
}

bool shows_decision(const Write& write, const json::Value& object) {
    if (!eviction_reason(write.body).empty()) {
        return eviction_reason(object) == eviction_reason(write.body);
    }
    return !admitting_queue(write.body).empty() &&
           admitting_queue(object) == admitting_queue(write.body);
}

}  // namespace sluice::controller
