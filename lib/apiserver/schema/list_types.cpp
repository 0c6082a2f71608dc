#include "apiserver/schema/list_types.hpp"

#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

/// Calls `visit(schema, value, path)` for each node that the schema describes, from the root down.
template <class Visit>
void walk(
    const Schema& schema, const Value& value, std::string& path, int depth, const Visit& visit
) {
    if (depth > kObjectDepthMax) {
        return;
    }
    visit(schema, value, path);
    const auto length = path.size();
    if (value.is_array() && schema.items != nullptr) {
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            path += fmt::format("[{}]", i);
            walk(*schema.items, value.as_array()[i], path, depth + 1, visit);
            path.resize(length);
        }
    }
    if (value.is_object()) {
        for (const auto& [name, member] : value.as_object()) {
            if (const Schema* of_member = schema.member(name)) {
                path += (path.empty() ? "" : ".") + name;
                walk(*of_member, member, path, depth + 1, visit);
                path.resize(length);
            }
        }
    }
}

/// Returns the identity of each item; "" for an item without one.
std::vector<std::string> identities(const Schema& list, const json::Array& items) {
    std::vector<std::string> found;
    for (const auto& item : items) {
        found.push_back(
            list.list_type == Schema::ListType::Set ? json::print_sorted(item)
                                                    : list_map_key(list, item)
        );
    }
    return found;
}

void add_duplicates(
    const Schema& list,
    const json::Array& items,
    const std::string& path,
    std::vector<Cause>& causes
) {
    std::map<std::string, int> seen;
    const auto all = identities(list, items);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].empty() || ++seen[all[i]] != 2) {
            continue;
        }
        const auto value = json::parse(all[i]);
        causes.push_back(
            api::FieldError::duplicate(fmt::format("{}[{}]", path, i), value ? *value : Value())
        );
    }
}

std::vector<Cause> find_list_faults(const Schema& schema, const Value& object) {
    std::vector<Cause> causes;
    std::string path;
    const auto visit = [&](const Schema& at, const Value& value, auto& where) {
        if (value.is_array() && at.list_type != Schema::ListType::Atomic) {
            add_duplicates(at, value.as_array(), where, causes);
        }
    };
    walk(schema, object, path, 0, visit);
    return causes;
}

void add_identity_faults(const Value& value, const std::string& path, std::vector<Cause>& causes) {
    const Value* version = value.find("apiVersion");
    const Value* kind = value.find("kind");
    if (version == nullptr) {
        causes.push_back(api::FieldError::required(path + ".apiVersion"));
    } else if (version->is_string()) {
        const auto& text = version->as_string();
        if (text.empty()) {
            causes.push_back(api::FieldError::invalid(path + ".apiVersion", "", "must not be empty")
            );
        } else if (std::count(text.begin(), text.end(), '/') > 1) {
            causes.push_back(api::FieldError::invalid(
                path + ".apiVersion", *version, "unexpected GroupVersion string: " + text
            ));
        }
    }
    if (kind == nullptr) {
        causes.push_back(api::FieldError::required(path + ".kind"));
    } else if (kind->is_string()) {
        if (kind->as_string().empty()) {
            causes.push_back(api::FieldError::invalid(path + ".kind", "", "must not be empty"));
        } else {
            check_kind_name(causes, path + ".kind", kind->as_string());
        }
    }
}

}  // namespace

std::string list_map_key(const Schema& list, const Value& item) {
    if (!item.is_object() || list.list_map_keys.empty()) {
        return "";
    }
    Value key = json::Object{};
    for (const auto& name : list.list_map_keys) {
        const Value* part = item.find(name);
        if (part == nullptr && list.items != nullptr) {
            const SchemaProperty* property = list.items->property(name);
            part = property != nullptr && property->schema->default_value
                       ? &*property->schema->default_value
                       : nullptr;
        }
        if (part == nullptr) {
            return "";
        }
        key.set(name, *part);
    }
    return json::print_sorted(key);
}

OldItems::OldItems(const Schema& list, const Value* old) : list_(list) {
    if (old == nullptr || !old->is_array() || list.list_type != Schema::ListType::Map) {
        return;
    }
    for (const auto& item : old->as_array()) {
        by_key_.emplace(list_map_key(list, item), &item);
    }
}

const Value* OldItems::find(const Value& item) const {
    if (by_key_.empty()) {
        return nullptr;
    }
    const auto found = by_key_.find(list_map_key(list_, item));
    return found == by_key_.end() ? nullptr : found->second;
}

void add_list_faults(
    const Schema& schema, const Value& object, const Value* old_object, std::vector<Cause>& causes
) {
    auto found = find_list_faults(schema, object);
    if (found.empty() ||
        (old_object != nullptr && !find_list_faults(schema, *old_object).empty())) {
        return;
    }
    causes.insert(causes.end(), found.begin(), found.end());
}

void add_embedded_faults(const Schema& schema, const Value& object, std::vector<Cause>& causes) {
    std::string path;
    const auto visit = [&](const Schema& at, const Value& value, auto& where) {
        if (at.is_embedded_resource && value.is_object()) {
            add_identity_faults(value, where, causes);
        }
    };
    walk(schema, object, path, 0, visit);
}

}  // namespace sluice::apiserver
