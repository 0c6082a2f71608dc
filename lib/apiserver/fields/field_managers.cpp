#include "apiserver/fields/field_managers.hpp"

#include "apiserver/objects/values.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kUpdatersMax = 10;
constexpr std::string_view kFieldsType = "FieldsV1";

Value encode_manager(const FieldManager& manager, bool is_builtin) {
    json::Object entry;
    const auto add = [&](std::string_view key, Value value) {
        entry.emplace_back(std::string(key), std::move(value));
    };
    add("manager", manager.name);
    add("operation", manager.applies ? "Apply" : "Update");
    add("apiVersion", manager.api_version);
    if (!manager.time.empty()) {
        add("time", manager.time);
    }
    add("fieldsType", std::string(kFieldsType));
    add("fieldsV1", manager.fields.to_fields_v1());
    if (!manager.subresource.empty()) {
        add("subresource", manager.subresource);
    }
    if (!is_builtin) {
        std::sort(entry.begin(), entry.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
    }
    return entry;
}

Result<FieldManager> decode_manager(const Value& entry) {
    const auto operation = entry.string_at("operation");
    if (operation != "Apply" && operation != "Update") {
        return make_invalid("operation must be `Apply` or `Update`");
    }
    if (entry.string_at("apiVersion").empty()) {
        return make_invalid("apiVersion must not be empty");
    }
    if (entry.string_at("fieldsType") != kFieldsType) {
        return make_invalid("fieldsType must be FieldsV1");
    }
    FieldManager manager{
        .name = std::string(entry.string_at("manager")),
        .applies = operation == "Apply",
        .api_version = std::string(entry.string_at("apiVersion")),
        .subresource = std::string(entry.string_at("subresource")),
        .time = std::string(entry.string_at("time")),
        .fields = {},
    };
    if (const Value* fields = entry.find("fieldsV1"); fields != nullptr && !fields->is_null()) {
        auto set = FieldSet::from_fields_v1(*fields);
        if (!set) {
            return set.error();
        }
        manager.fields = std::move(set).value();
    }
    return manager;
}

auto age_key(const FieldManager& manager) {
    return std::tie(manager.time, manager.name, manager.api_version, manager.subresource);
}

}  // namespace

bool FieldManager::is_same(const FieldManager& other) const {
    return name == other.name && applies == other.applies && subresource == other.subresource &&
           (applies || api_version == other.api_version);
}

std::string FieldManager::printed() const {
    std::string text;
    json::append_quoted(text, name);
    if (!subresource.empty()) {
        text += " with subresource ";
        json::append_quoted(text, subresource);
    }
    return applies ? text : text + " using " + api_version;
}

Result<FieldManagers> decode_managers(const Value& object) {
    FieldManagers managers;
    for (const auto& entry : items_of(object.find_path({"metadata", "managedFields"}))) {
        auto manager = decode_manager(entry);
        if (!manager) {
            return manager.error();
        }
        if (FieldManager* same = find_manager(managers, manager.value())) {
            *same = std::move(manager).value();
        } else {
            managers.push_back(std::move(manager).value());
        }
    }
    return managers;
}

void encode_managers(FieldManagers managers, Value& object, bool is_builtin) {
    Value* metadata = object.find("metadata");
    if (managers.empty()) {
        if (metadata != nullptr) {
            metadata->erase("managedFields");
        }
        return;
    }
    std::sort(managers.begin(), managers.end(), [](const auto& a, const auto& b) {
        if (a.applies != b.applies) {
            return a.applies;
        }
        return std::tie(a.time, a.name, a.api_version, a.subresource) <
               std::tie(b.time, b.name, b.api_version, b.subresource);
    });
    json::Array entries;
    for (const auto& manager : managers) {
        entries.push_back(encode_manager(manager, is_builtin));
    }
    object_at(object, "metadata").set("managedFields", std::move(entries));
}

void cap_updaters(FieldManagers& managers) {
    std::vector<FieldManager> updaters;
    for (const auto& manager : managers) {
        if (!manager.applies) {
            updaters.push_back(manager);
        }
    }
    if (updaters.size() <= kUpdatersMax) {
        return;
    }
    std::sort(updaters.begin(), updaters.end(), [](const auto& a, const auto& b) {
        return age_key(a) < age_key(b);
    });
    std::erase_if(managers, [](const FieldManager& manager) { return !manager.applies; });
    std::map<std::string, FieldManager> buckets;
    std::map<std::string, FieldManager> firsts;
    std::size_t count = updaters.size();
    for (auto& updater : updaters) {
        const auto version = updater.api_version;
        if (count <= kUpdatersMax) {
            managers.push_back(std::move(updater));
            continue;
        }
        const auto first = firsts.find(version);
        if (first == firsts.end()) {
            firsts.emplace(version, std::move(updater));
            continue;
        }
        auto [bucket, is_new] = buckets.try_emplace(version);
        if (is_new) {
            bucket->second = first->second;
            bucket->second.name = "ancient-changes";
            bucket->second.subresource.clear();
        }
        bucket->second.fields = set_union(bucket->second.fields, updater.fields);
        bucket->second.time = updater.time;
        --count;
    }
    for (auto& [version, first] : firsts) {
        const auto bucket = buckets.find(version);
        managers.push_back(bucket == buckets.end() ? std::move(first) : std::move(bucket->second));
    }
}

FieldManager* find_manager(FieldManagers& managers, const FieldManager& manager) {
    const auto found = std::find_if(managers.begin(), managers.end(), [&](const auto& other) {
        return other.is_same(manager);
    });
    return found == managers.end() ? nullptr : &*found;
}

}  // namespace sluice::apiserver
