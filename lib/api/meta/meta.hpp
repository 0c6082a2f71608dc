// Metadata types of metav1: ObjectMeta, ListMeta, Condition and LabelSelector.
#pragma once

#include "api/meta/type_info.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

using StringMap = std::map<std::string, std::string>;

/// metav1.OwnerReference.
struct OwnerReference {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string uid;
    std::optional<bool> controller;
    std::optional<bool> block_owner_deletion;

    static const TypeInfo& type();
    friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// metav1.ObjectMeta without managedFields, which decoding drops.
struct ObjectMeta {
    std::string name;
    std::string generate_name;
    std::string namespace_;
    std::string uid;
    std::string resource_version;
    std::int64_t generation = 0;
    std::optional<Time> creation_timestamp;
    std::optional<Time> deletion_timestamp;
    std::optional<std::int64_t> deletion_grace_period_seconds;
    StringMap labels;
    StringMap annotations;
    std::vector<OwnerReference> owner_references;
    std::vector<std::string> finalizers;

    /// Returns the value of the label or annotation; nullptr if the object does not have it.
    const std::string* find_label(std::string_view key) const;
    const std::string* find_annotation(std::string_view key) const;
    bool has_finalizer(std::string_view finalizer) const;
    /// Returns the owner that is marked as controller; nullptr if no owner is.
    const OwnerReference* controller_owner() const;

    static const TypeInfo& type();
    friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// metav1.ListMeta.
struct ListMeta {
    std::string resource_version;
    std::string continue_;
    std::optional<std::int64_t> remaining_item_count;

    static const TypeInfo& type();
    friend bool operator==(const ListMeta&, const ListMeta&) = default;
};

/// metav1.Condition.
struct Condition {
    std::string type_;
    std::string status;
    std::int64_t observed_generation = 0;
    std::optional<Time> last_transition_time;
    std::string reason;
    std::string message;

    static const TypeInfo& type();
    friend bool operator==(const Condition&, const Condition&) = default;
};

/// One entry of a label selector's matchExpressions.
struct LabelSelectorRequirement {
    std::string key;
    std::string operator_;
    std::vector<std::string> values;

    static const TypeInfo& type();
    friend bool operator==(const LabelSelectorRequirement&, const LabelSelectorRequirement&) =
        default;
};

/// metav1.LabelSelector; evaluated by `Selector` in label_selector.hpp.
struct LabelSelector {
    StringMap match_labels;
    std::vector<LabelSelectorRequirement> match_expressions;

    static const TypeInfo& type();
    friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

}  // namespace sluice::api
