#include "apiserver/state/deletion_mark.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/objects/values.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace sluice::apiserver {

const Collection namespaces_collection{"", "namespaces"};
const Collection definitions_collection{"apiextensions.k8s.io", "customresourcedefinitions"};

namespace {

void add_finalizer(json::Value& object, std::string_view finalizer) {
    json::Value& metadata = *object.find("metadata");
    json::Value* list = metadata.find("finalizers");
    if (list == nullptr || !list->is_array()) {
        list = &metadata.set("finalizers", json::Array());
    }
    if (!has_finalizer(object, finalizer)) {
        list->as_array().emplace_back(finalizer);
    }
}

/// Returns the grace period of a pod in seconds; 0 for objects that are deleted at once.
std::int64_t grace_of(
    const json::Value& object,
    const Collection& collection,
    const std::optional<std::int64_t>& asked
) {
    if (!collection.group.empty() || collection.plural != "pods") {
        return 0;
    }
    const json::Value* node = object.find_path({"spec", "nodeName"});
    if (node == nullptr || node->as_string().empty() || has_ended(object)) {
        return 0;
    }
    const json::Value* own = object.find_path({"spec", "terminationGracePeriodSeconds"});
    const auto grace = asked.value_or(own != nullptr && own->is_int() ? own->as_int() : 30);
    return grace < 0 ? 1 : grace;
}

/// Sets the condition of a definition whose objects are being deleted.
void note_termination(json::Value& definition, Time now) {
    json::Value& status = object_at(definition, "status");
    json::Value* conditions = status.find("conditions");
    if (conditions == nullptr || !conditions->is_array()) {
        conditions = &status.set("conditions", json::Array());
    }
    conditions->as_array().emplace_back(json::Object{
        {"type", "Terminating"},
        {"status", "True"},
        {"lastTransitionTime", api::to_string(now)},
        {"reason", "InstanceDeletionPending"},
        {"message",
         "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"}
    });
    add_finalizer(definition, kCleanup);
}

}  // namespace

bool has_finalizers(const json::Value& object) {
    const json::Value* list = object.find_path({"metadata", "finalizers"});
    return list != nullptr && list->is_array() && !list->as_array().empty();
}

bool has_finalizer(const json::Value& object, std::string_view finalizer) {
    const json::Value* list = object.find_path({"metadata", "finalizers"});
    return list != nullptr && list->is_array() &&
           std::ranges::find(list->as_array(), json::Value(finalizer)) != list->as_array().end();
}

void drop_finalizer(json::Value& object, std::string_view finalizer) {
    json::Value& metadata = *object.find("metadata");
    json::Value* list = metadata.find("finalizers");
    if (list != nullptr && list->is_array()) {
        std::erase(list->as_array(), json::Value(finalizer));
        if (list->as_array().empty()) {
            metadata.erase("finalizers");
        }
    }
}

bool is_being_deleted(const json::Value& object) {
    return object.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

bool has_ended(const json::Value& pod) {
    const json::Value* phase = pod.find_path({"status", "phase"});
    return phase != nullptr &&
           (*phase == json::Value("Succeeded") || *phase == json::Value("Failed"));
}

void mark_deleted(json::Value& object, std::int64_t grace, Time now) {
    json::Value& metadata = *object.find("metadata");
    if (metadata.find("deletionTimestamp") == nullptr) {
        if (json::Value* generation = metadata.find("generation")) {
            *generation = generation->as_int() + 1;
        }
    }
    constexpr std::int64_t kLongest = 100LL * 366 * 24 * 3600;  // limit of the clock
    const auto until = now + std::chrono::seconds(std::min(grace, kLongest));
    metadata.set("deletionTimestamp", api::to_string(until));
    metadata.set("deletionGracePeriodSeconds", grace);
}

bool is_container(const Collection& collection) {
    return collection == namespaces_collection || collection == definitions_collection;
}

std::optional<json::Value> mark(
    json::Value object, const Collection& collection, const DeletionOptions& options, Time now
) {
    if (!options.propagation.empty()) {
        drop_finalizer(object, kOrphan);
        drop_finalizer(object, kForeground);
    }
    if (options.propagation == "Orphan") {
        add_finalizer(object, kOrphan);
    } else if (options.propagation == "Foreground") {
        add_finalizer(object, kForeground);
    }
    const std::int64_t grace = grace_of(object, collection, options.grace_seconds);
    if (!has_finalizers(object) && grace == 0 && !is_container(collection)) {
        return std::nullopt;
    }
    const json::Value* left = object.find_path({"metadata", "deletionGracePeriodSeconds"});
    const bool is_shortened = grace == 0 && left != nullptr && left->is_int() && left->as_int() > 0;
    if (!is_being_deleted(object) || is_shortened) {
        if (!is_being_deleted(object) && collection == definitions_collection) {
            note_termination(object, now);
        }
        if (is_container(collection)) {
            object_at(object, "metadata").set("deletionTimestamp", api::to_string(now));
        } else {
            mark_deleted(object, grace, now);
        }
        if (collection == namespaces_collection) {
            object_at(object, "status").set("phase", "Terminating");
        }
    }
    return object;
}

}  // namespace sluice::apiserver
