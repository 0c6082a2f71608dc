#include "apiserver/managed_fields.hpp"

#include "api/micro_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

struct Entry {
    std::string manager;
    std::string operation;
    std::string api_version;
    std::string subresource;
    std::string time;
    FieldSet fields;

    auto identity() const { return std::tie(manager, operation, subresource, api_version); }
};

using Entries = std::vector<Entry>;

Entries read_entries(const json::Value& object) {
    Entries entries;
    const json::Value* list = object.find_path({"metadata", "managedFields"});
    if (list == nullptr || !list->is_array()) {
        return entries;
    }
    for (const json::Value& each : list->as_array()) {
        const json::Value* fields = each.find("fieldsV1");
        entries.push_back(
            {.manager = std::string(each.string_at("manager")),
             .operation = std::string(each.string_at("operation")),
             .api_version = std::string(each.string_at("apiVersion")),
             .subresource = std::string(each.string_at("subresource")),
             .time = std::string(each.string_at("time")),
             .fields = fields == nullptr ? FieldSet() : FieldSet::from_value(*fields)}
        );
    }
    return entries;
}

void write_entries(Entries entries, json::Value& object) {
    std::erase_if(entries, [](const Entry& entry) { return entry.fields.empty(); });
    std::ranges::stable_sort(entries, {}, [](const Entry& entry) {
        return std::tuple(
            entry.operation, entry.time, entry.manager, entry.api_version, entry.subresource
        );
    });
    json::Array list;
    for (const Entry& entry : entries) {
        json::Value made = json::Object{
            {"manager", entry.manager},
            {"operation", entry.operation},
            {"apiVersion", entry.api_version},
            {"time", entry.time},
            {"fieldsType", "FieldsV1"},
            {"fieldsV1", entry.fields.to_value()}
        };
        if (!entry.subresource.empty()) {
            made.set("subresource", entry.subresource);
        }
        list.push_back(std::move(made));
    }
    json::Value& metadata = *object.find("metadata");
    if (list.empty()) {
        metadata.erase("managedFields");
    } else {
        metadata.set("managedFields", std::move(list));
    }
}

/// Fields that identify the object or are the server's own, and the part that this way of writing
/// does not reach.
void drop_unowned(FieldSet& fields, const FieldManager& manager) {
    for (const char* name : {"f:apiVersion", "f:kind"}) {
        fields.erase({name});
    }
    for (const char* name :
         {"f:name",
          "f:namespace",
          "f:uid",
          "f:resourceVersion",
          "f:generation",
          "f:selfLink",
          "f:creationTimestamp",
          "f:deletionTimestamp",
          "f:deletionGracePeriodSeconds",
          "f:managedFields"}) {
        fields.erase({"f:metadata", name});
    }
    const auto metadata = fields.children().find("f:metadata");
    if (metadata != fields.children().end() && metadata->second.children().empty()) {
        fields.erase({"f:metadata"});
    }
    if (!manager.has_status) {
        return;
    }
    if (manager.subresource == "status") {
        fields.erase({"f:spec"});
    } else if (manager.subresource.empty()) {
        fields.erase({"f:status"});
    }
}

/// What a new object is compared with. Sections of Kubernetes' own kinds are no fields by
/// themselves, since no object lacks them; of custom resources this holds for metadata alone.
json::Value nothing(const FieldManager& manager) {
    json::Value object = json::Object{{"metadata", json::Object()}};
    if (!manager.is_custom) {
        object.set("spec", json::Object());
        object.set("status", json::Object());
    }
    return object;
}

json::Value without_managed_fields(json::Value object) {
    if (json::Value* metadata = object.find("metadata")) {
        metadata->erase("managedFields");
    }
    return object;
}

Entry& entry_of(
    Entries& entries, const FieldManager& manager, std::string_view operation, Time now
) {
    for (Entry& entry : entries) {
        if (entry.manager == manager.name && entry.operation == operation &&
            entry.subresource == manager.subresource &&
            (operation == "Apply" || entry.api_version == manager.api_version)) {
            return entry;
        }
    }
    entries.push_back(
        {.manager = manager.name,
         .operation = std::string(operation),
         .api_version = manager.api_version,
         .subresource = manager.subresource,
         .time = api::to_string(now),
         .fields = {}}
    );
    return entries.back();
}

}  // namespace

void own_changes(
    const json::Value& before,
    json::Value& after,
    const Shape& shape,
    const FieldManager& manager,
    Time now
) {
    Entries entries = read_entries(before);
    const json::Value old = before.is_null() ? nothing(manager) : without_managed_fields(before);
    FieldChanges changes = compare_fields(old, without_managed_fields(after), shape);
    drop_unowned(changes.set, manager);
    Entry& own = entry_of(entries, manager, "Update", now);
    const auto identity = std::tuple(own.manager, own.operation, own.subresource, own.api_version);
    for (Entry& entry : entries) {
        const FieldSet fields = entry.fields;
        if (entry.identity() == identity) {
            entry.fields.insert(changes.set);
        } else {
            entry.fields.remove(changes.set);
        }
        entry.fields.remove(changes.removed);
        if (entry.fields != fields && entry.identity() == identity) {
            entry.time = api::to_string(now);
        }
    }
    write_entries(std::move(entries), after);
}

Result<json::Value> apply_config(
    const json::Value& live,
    const json::Value& config,
    const Shape& shape,
    const FieldManager& manager,
    bool force,
    Time now
) {
    Entries entries = read_entries(live);
    const json::Value old =
        live.is_null() ? json::Value(json::Object()) : without_managed_fields(live);
    FieldSet wanted = collect_fields(config, shape);
    drop_unowned(wanted, manager);
    json::Value merged = old;
    merge_config(merged, config, shape);

    Entry& own = entry_of(entries, manager, "Apply", now);
    FieldSet given_up = own.fields;
    given_up.remove(wanted);
    const std::string own_name = own.manager;
    const std::string own_subresource = own.subresource;
    const auto is_own = [&](const Entry& entry) {
        return entry.operation == "Apply" && entry.manager == own_name &&
               entry.subresource == own_subresource;
    };
    for (const Entry& entry : entries) {
        if (!is_own(entry)) {
            given_up.remove(entry.fields);
        }
    }
    remove_fields(merged, given_up, shape);

    const FieldChanges changes = compare_fields(old, merged, shape);
    std::vector<Cause> conflicts;
    for (Entry& entry : entries) {
        if (is_own(entry)) {
            continue;
        }
        const FieldSet taken = entry.fields.common(changes.set).common(wanted);
        if (taken.empty()) {
            continue;
        }
        for (const std::string& path : taken.paths()) {
            conflicts.push_back(
                {"FieldManagerConflict",
                 fmt::format(
                     "conflict with \"{}\"{}{} using {}",
                     entry.manager,
                     entry.subresource.empty() ? "" : " with subresource ",
                     entry.subresource.empty() ? "" : "\"" + entry.subresource + "\"",
                     entry.api_version
                 ),
                 path}
            );
        }
        entry.fields.remove(taken);
    }
    if (!conflicts.empty() && !force) {
        return apply_conflict(conflicts);
    }
    for (Entry& entry : entries) {
        if (is_own(entry)) {
            if (entry.fields != wanted || entry.api_version != manager.api_version) {
                entry.time = api::to_string(now);
            }
            entry.fields = wanted;
            entry.api_version = manager.api_version;
        } else {
            entry.fields.remove(given_up);
        }
    }
    if (merged.find("metadata") == nullptr) {
        merged.set("metadata", json::Object());
    }
    write_entries(std::move(entries), merged);
    return merged;
}

}  // namespace sluice::apiserver
