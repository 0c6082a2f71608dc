#include "api/meta/meta.hpp"

#include <algorithm>

namespace sluice::api {

const std::string* ObjectMeta::find_label(std::string_view key) const {
    const auto found = labels.find(std::string(key));
    return found == labels.end() ? nullptr : &found->second;
}

const std::string* ObjectMeta::find_annotation(std::string_view key) const {
    const auto found = annotations.find(std::string(key));
    return found == annotations.end() ? nullptr : &found->second;
}

bool ObjectMeta::has_finalizer(std::string_view finalizer) const {
    return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

const OwnerReference* ObjectMeta::controller_owner() const {
    const auto found =
        std::find_if(owner_references.begin(), owner_references.end(), [](const auto& owner) {
            return owner.controller.value_or(false);
        });
    return found == owner_references.end() ? nullptr : &*found;
}

const TypeInfo& OwnerReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&OwnerReference::api_version>("apiVersion", "R"),
                field<&OwnerReference::kind>("kind", "R"),
                field<&OwnerReference::name>("name", "R"),
                field<&OwnerReference::uid>("uid", "R"),
                field<&OwnerReference::controller>("controller"),
                field<&OwnerReference::block_owner_deletion>("blockOwnerDeletion"),
            }
    };
    return kInfo;
}

const TypeInfo& ObjectMeta::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ObjectMeta::name>("name"),
                field<&ObjectMeta::generate_name>("generateName"),
                field<&ObjectMeta::namespace_>("namespace"),
                field<&ObjectMeta::uid>("uid"),
                field<&ObjectMeta::resource_version>("resourceVersion"),
                field<&ObjectMeta::generation>("generation"),
                field<&ObjectMeta::creation_timestamp>("creationTimestamp"),
                field<&ObjectMeta::deletion_timestamp>("deletionTimestamp"),
                field<&ObjectMeta::deletion_grace_period_seconds>("deletionGracePeriodSeconds"),
                field<&ObjectMeta::labels>("labels"),
                field<&ObjectMeta::annotations>("annotations"),
                field<&ObjectMeta::owner_references>("ownerReferences"),
                field<&ObjectMeta::finalizers>("finalizers"),
            }
    };
    return kInfo;
}

const TypeInfo& ListMeta::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ListMeta::resource_version>("resourceVersion"),
                field<&ListMeta::continue_>("continue"),
                field<&ListMeta::remaining_item_count>("remainingItemCount"),
            }
    };
    return kInfo;
}

const TypeInfo& Condition::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Condition::type_>("type", "..316 KEY R", "=", "Name of the condition."),
                field<&Condition::status>(
                    "status",
                    "E(True, False, Unknown) R",
                    "=",
                    "True if the condition holds, False if not, Unknown if it is not known."
                ),
                field<&Condition::observed_generation>(
                    "observedGeneration",
                    "0..",
                    "=",
                    "metadata.generation that the condition was set for."
                ),
                field<&Condition::last_transition_time>(
                    "lastTransitionTime", "R", "=", "When the status last changed."
                ),
                field<&Condition::reason>(
                    "reason",
                    "1..1024 RSN R",
                    "=",
                    "Machine-readable reason for the status, in one word."
                ),
                field<&Condition::message>(
                    "message", "..32768 R", "=", "Human-readable reason for the status."
                ),
            }
    };
    return kInfo;
}

const TypeInfo& LabelSelectorRequirement::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LabelSelectorRequirement::key>("key", "R", "=", "Label key."),
                field<&LabelSelectorRequirement::operator_>(
                    "operator", "R", "=", "In, NotIn, Exists or DoesNotExist."
                ),
                field<&LabelSelectorRequirement::values>(
                    "values", "atomic", "=", "Values for In and NotIn."
                ),
            }
    };
    return kInfo;
}

const TypeInfo& LabelSelector::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LabelSelector::match_labels>(
                    "matchLabels", "", "=", "Labels that must be present with these values."
                ),
                field<&LabelSelector::match_expressions>(
                    "matchExpressions", "atomic", "=", "Rules that must all hold."
                ),
            }
    };
    return kInfo;
}

}  // namespace sluice::api
