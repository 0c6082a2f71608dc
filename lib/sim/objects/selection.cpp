#include "sim/objects/selection.hpp"

#include "api/meta/codec.hpp"
#include "api/meta/label_selector.hpp"

#include <string>

namespace sluice::sim {

namespace {

api::StringMap labels_of(const json::Value& object) {
    api::StringMap labels;
    const json::Value* all = object.find_path({"metadata", "labels"});
    if (all != nullptr && all->is_object()) {
        for (const auto& [key, value] : all->as_object()) {
            labels.emplace(key, value.is_string() ? value.as_string() : std::string());
        }
    }
    return labels;
}

bool is_empty(const json::Value* value) {
    return value == nullptr || !value->is_object() || value->as_object().empty();
}

}  // namespace

bool has_labels(const json::Value& object, const json::Value* wanted) {
    if (is_empty(wanted)) {
        return false;
    }
    const api::StringMap labels = labels_of(object);
    for (const auto& [key, value] : wanted->as_object()) {
        const auto found = labels.find(key);
        if (found == labels.end() || !value.is_string() || found->second != value.as_string()) {
            return false;
        }
    }
    return true;
}

bool is_selected(const json::Value& object, const json::Value* selector) {
    if (is_empty(selector)) {
        return false;
    }
    const auto read = api::from_value<api::LabelSelector>(*selector);
    return read && api::matches(*read, labels_of(object));
}

bool is_selected_by(const json::Value& owner, const json::Value& pod) {
    const json::Value* selector = owner.find_path({"spec", "selector"});
    return owner.string_at("kind") == "ReplicationController" ? has_labels(pod, selector)
                                                              : is_selected(pod, selector);
}

}  // namespace sluice::sim
