#include "apiserver/state/namespace_counts.hpp"

#include "apiserver/objects/values.hpp"

namespace sluice::apiserver {

namespace {

const json::Array& finalizers_of(const Snapshot& object) {
    return items_of(object ? object->find_path({"metadata", "finalizers"}) : nullptr);
}

/// Returns the name of a finalizer; "" for any other value, which a snapshot may contain although
/// requests cannot set it.
std::string finalizer_text(const json::Value& finalizer) {
    return finalizer.is_string() ? finalizer.as_string() : std::string();
}

/// Decrements a count. Requires: the count is above zero.
template <class Map, class Key>
void take_away(Map& counts, const Key& key) {
    const auto found = counts.find(key);
    if (--found->second == 0) {
        counts.erase(found);
    }
}

}  // namespace

std::size_t NamespaceCounts::Counts::of(const Collection& collection) const {
    const auto found = objects.find(collection);
    return found == objects.end() ? 0 : found->second;
}

void NamespaceCounts::follow(const Collection& collection, const LogEntry& entry) {
    const json::Array& old_finalizers = finalizers_of(entry.before);
    const json::Array& finalizers = finalizers_of(entry.after);
    const bool stays = entry.before && entry.after;
    if (entry.name.ns.empty() || (stays && old_finalizers == finalizers)) {
        return;
    }
    const auto place = counts_.try_emplace(entry.name.ns).first;
    Counts& counts = place->second;
    for (const json::Value& finalizer : finalizers) {
        ++counts.finalizers[finalizer_text(finalizer)];
    }
    for (const json::Value& finalizer : old_finalizers) {
        take_away(counts.finalizers, finalizer_text(finalizer));
    }
    if (!entry.before) {
        ++counts.objects[collection];
    } else if (!entry.after) {
        take_away(counts.objects, collection);
    }
    if (counts.objects.empty()) {
        counts_.erase(place);
    }
}

const NamespaceCounts::Counts& NamespaceCounts::in(std::string_view ns) const {
    static const Counts kNothing;
    const auto found = counts_.find(ns);
    return found == counts_.end() ? kNothing : found->second;
}

}  // namespace sluice::apiserver
