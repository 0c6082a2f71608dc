#include "sim/pods/owned.hpp"

#include "sim/objects/fields.hpp"
#include "sim/objects/turn.hpp"
#include "sim/pods/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace sluice::sim {

std::vector<const json::Value*> Turn::owned_of(std::string_view kind) const {
    std::vector<const json::Value*> found;
    std::ranges::copy_if(owned, std::back_inserter(found), [kind](const json::Value* each) {
        return each->string_at("kind") == kind;
    });
    return found;
}

json::Array owner_references(const json::Value& owner) {
    return {json::Object{
        {"apiVersion", owner.string_at("apiVersion")},
        {"kind", owner.string_at("kind")},
        {"name", name_of(owner)},
        {"uid", text_at(owner, {"metadata", "uid"})},
        {"controller", true},
        {"blockOwnerDeletion", true}
    }};
}

json::Value make_owned_pod(
    const json::Value& owner, const json::Value& pod_template, std::string_view name
) {
    const bool is_prefix = name.ends_with('-');
    json::Value metadata = json::Object{
        {is_prefix ? "generateName" : "name", name}, {"ownerReferences", owner_references(owner)}
    };
    for (const std::string_view part : {"labels", "annotations", "finalizers"}) {
        if (const json::Value* found = pod_template.find_path({"metadata", part})) {
            metadata.set(part, *found);
        }
    }
    const json::Value* spec = pod_template.find("spec");
    return json::Object{
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", std::move(metadata)},
        {"spec", spec == nullptr ? json::Value(json::Object()) : *spec}
    };
}

void set_metadata(
    json::Value& object, std::string_view part, std::string_view name, std::string_view value
) {
    make_object_at(object, {"metadata", part}).set(name, value);
}

std::string template_hash(const json::Value& pod_template) {
    constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::uint64_t kPrime = 1'099'511'628'211U;
    constexpr int kLength = 10;
    std::uint64_t hash = 14'695'981'039'346'656'037U;  // FNV-1a
    for (const char letter : json::print(pod_template)) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
    }
    std::string name;
    for (int i = 0; i < kLength; ++i) {
        name += kLetters[hash % kLetters.size()];
        hash /= kLetters.size();
    }
    return name;
}

std::string_view name_of(const json::Value& object) {
    return text_at(object, {"metadata", "name"});
}

bool is_deleted(const json::Value& object) {
    return object.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

bool is_active_pod(const json::Value& pod) {
    return !has_ended(pod) && !is_deleted(pod);
}

bool is_ready_pod(const json::Value& pod) {
    return is_active_pod(pod) && has_condition(pod, "Ready");
}

Availability find_availability(
    const json::Value& owner, const std::vector<const json::Value*>& pods, const Turn& turn
) {
    const Duration wait =
        turn.pace.scale_seconds(find_int(owner, {"spec", "minReadySeconds"}).value_or(0));
    Availability found;
    for (const json::Value* pod : pods) {
        if (!is_ready_pod(*pod)) {
            continue;
        }
        const json::Value* ready =
            find_element(list_at(*pod, {"status", "conditions"}), "type", "Ready");
        const Time since = find_time(*ready, {"lastTransitionTime"}).value_or(turn.now);
        const Time at = later(since, wait);
        if (at <= turn.now) {
            ++found.count;
        } else {
            found.next = std::min(found.next.value_or(at), at);
        }
    }
    return found;
}

const json::Value* find_named(
    const std::vector<const json::Value*>& objects, std::string_view name
) {
    const auto found = std::ranges::find_if(objects, [name](const json::Value* each) {
        return name_of(*each) == name;
    });
    return found == objects.end() ? nullptr : *found;
}

Write creation(json::Value pod) {
    return {.body = std::move(pod), .note = Note{false, "SuccessfulCreate", "Created pod: "}};
}

Write deletion(const json::Value& pod) {
    return {
        .verb = Write::Verb::Delete,
        .name = std::string(name_of(pod)),
        .note = Note{false, "SuccessfulDelete", fmt::format("Deleted pod: {}", name_of(pod))}
    };
}

Write background_deletion(const json::Value& object) {
    return {
        .verb = Write::Verb::Delete,
        .name = std::string(name_of(object)),
        .body = json::Object{{"propagationPolicy", "Background"}},
        .api_version = std::string(object.string_at("apiVersion")),
        .kind = std::string(object.string_at("kind"))
    };
}

void replace_status(const json::Value& object, json::Value status, Outcome& outcome) {
    const json::Value* known = object.find("status");
    if (known == nullptr || *known != status) {
        outcome.writes.push_back({.verb = Write::Verb::ReplaceStatus, .body = std::move(status)});
    }
}

}  // namespace sluice::sim
