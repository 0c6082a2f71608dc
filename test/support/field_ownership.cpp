#include "support/field_ownership.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice::test {
namespace {

using json::Array;
using json::Member;
using json::Object;
using json::Value;
using Keys = std::vector<std::string_view>;

/// The keys of a list's items by the name of its field, as the schemas of the kinds that Sluice
/// writes have them; nothing for atomic lists.
std::optional<Keys> list_keys(std::string_view field) {
    static constexpr std::array<std::string_view, 15> kByName{
        "podSets",
        "podSetAssignments",
        "admissionChecks",
        "flavorsUsage",
        "flavorsReservation",
        "flavorUsage",
        "preemptionGates",
        "reclaimablePods",
        "unhealthyNodes",
        "resourceRequests",
        "flavors",
        "resources",
        "containers",
        "initContainers",
        "volumes",
    };
    if (field == "conditions") {
        return Keys{"type"};
    }
    if (field == "ownerReferences") {
        return Keys{"uid"};
    }
    if (field == "evictions") {
        return Keys{"reason", "underlyingCause"};
    }
    if (std::find(kByName.begin(), kByName.end(), field) != kByName.end()) {
        return Keys{"name"};
    }
    return std::nullopt;
}

bool is_set_list(std::string_view field) {
    return field == "finalizers";
}

bool is_keyed(const Value& value, std::string_view field) {
    return value.is_array() && list_keys(field) &&
           std::all_of(value.as_array().begin(), value.as_array().end(), [](const Value& item) {
               return item.is_object();
           });
}

std::string item_segment(const Value& item, const Keys& keys) {
    std::string out = "k:";
    for (const auto& key : keys) {
        out += std::string(key) + "=" + std::string(item.string_at(key)) + ";";
    }
    return out;
}

Value* find_item(Value& list, const std::string& segment, const Keys& keys) {
    for (auto& item : list.as_array()) {
        if (item_segment(item, keys) == segment) {
            return &item;
        }
    }
    return nullptr;
}

/// Whether a field at the top identifies the object or is the server's own.
bool is_bookkeeping(const FieldPath& path) {
    static const std::set<std::string> kTop{"f:apiVersion", "f:kind"};
    static const std::set<std::string> kMetadata{
        "f:name",
        "f:namespace",
        "f:uid",
        "f:resourceVersion",
        "f:generation",
        "f:creationTimestamp",
        "f:managedFields",
        "f:deletionTimestamp",
        "f:generateName"
    };
    if (path.size() == 1) {
        return kTop.contains(path[0]);
    }
    return path.size() == 2 && path[0] == "f:metadata" && kMetadata.contains(path[1]);
}

void collect(const Value& value, std::string_view field, FieldPath& path, FieldSet& out) {
    if (is_bookkeeping(path)) {
        return;
    }
    if (value.is_object() && !value.as_object().empty()) {
        for (const auto& [key, member] : value.as_object()) {
            path.push_back("f:" + key);
            collect(member, key, path, out);
            path.pop_back();
        }
        return;
    }
    if (is_keyed(value, field) && !value.as_array().empty()) {
        const auto keys = *list_keys(field);
        for (const auto& item : value.as_array()) {
            path.push_back(item_segment(item, keys));
            out.insert(path);
            collect(item, {}, path, out);
            path.pop_back();
        }
        return;
    }
    if (is_set_list(field) && value.is_array()) {
        for (const auto& item : value.as_array()) {
            path.push_back("v:" + json::print(item));
            out.insert(path);
            path.pop_back();
        }
        return;
    }
    if (!path.empty() && !(path.size() == 1 && value.is_object())) {
        out.insert(path);
    }
}

/// The value at a path, or nullptr; set items give the list that holds them.
const Value* find_field(const Value& root, const FieldPath& path) {
    const auto* at = &root;
    std::string field;
    for (const auto& segment : path) {
        if (segment.starts_with("f:")) {
            field = segment.substr(2);
            at = at->find(field);
        } else if (segment.starts_with("k:")) {
            if (!is_keyed(*at, field)) {
                return nullptr;
            }
            const auto keys = *list_keys(field);
            const auto& items = at->as_array();
            const auto found = std::find_if(items.begin(), items.end(), [&](const Value& item) {
                return item_segment(item, keys) == segment;
            });
            at = found == items.end() ? nullptr : &*found;
        } else {
            const auto& items = at->as_array();
            const bool has = std::any_of(items.begin(), items.end(), [&](const Value& item) {
                return "v:" + json::print(item) == segment;
            });
            return has ? at : nullptr;
        }
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at;
}

bool is_leaf(const FieldPath& path) {
    return path.back().starts_with("f:");
}

void merge(Value& live, const Value& config, std::string_view field) {
    if (live.is_object() && config.is_object()) {
        for (const auto& [key, member] : config.as_object()) {
            auto* existing = live.find(key);
            if (existing == nullptr) {
                live.set(key, member);
            } else {
                merge(*existing, member, key);
            }
        }
        return;
    }
    if (is_keyed(config, field) && is_keyed(live, field)) {
        const auto keys = *list_keys(field);
        for (const auto& item : config.as_array()) {
            auto* existing = find_item(live, item_segment(item, keys), keys);
            if (existing == nullptr) {
                live.as_array().push_back(item);
            } else {
                merge(*existing, item, {});
            }
        }
        return;
    }
    if (is_set_list(field) && live.is_array() && config.is_array()) {
        for (const auto& item : config.as_array()) {
            auto& items = live.as_array();
            if (std::find(items.begin(), items.end(), item) == items.end()) {
                items.push_back(item);
            }
        }
        return;
    }
    live = config;
}

bool is_empty(const Value& value) {
    return (value.is_object() && value.as_object().empty()) ||
           (value.is_array() && value.as_array().empty());
}

/// Removes the field and every container that it leaves empty; whether `at` itself is empty then.
bool remove_field(Value& at, const FieldPath& path, std::size_t depth, const std::string& field) {
    const auto& segment = path[depth];
    const bool last = depth + 1 == path.size();
    if (segment.starts_with("f:")) {
        const auto name = segment.substr(2);
        auto* member = at.find(name);
        if (member != nullptr && (last || remove_field(*member, path, depth + 1, name))) {
            at.erase(name);
        }
        return is_empty(at);
    }
    if (!at.is_array()) {
        return false;
    }
    auto& items = at.as_array();
    for (auto item = items.begin(); item != items.end(); ++item) {
        const bool matches =
            segment.starts_with("v:")
                ? "v:" + json::print(*item) == segment
                : is_keyed(at, field) && item_segment(*item, *list_keys(field)) == segment;
        if (!matches) {
            continue;
        }
        if (segment.starts_with("v:") ||
            (last ? is_empty(*item) : remove_field(*item, path, depth + 1, {}))) {
            items.erase(item);
        }
        break;
    }
    return is_empty(at);
}

bool is_owned_by_another(const Ownership& owners, const std::string& self, const FieldPath& path) {
    return std::any_of(owners.begin(), owners.end(), [&](const auto& entry) {
        return entry.first != self && entry.second.contains(path);
    });
}

std::string print_path(const FieldPath& path) {
    std::string out;
    for (const auto& segment : path) {
        out += "." + segment.substr(2);
    }
    return out;
}

}  // namespace

FieldSet collect_fields(const Value& config) {
    FieldSet out;
    FieldPath path;
    collect(config, {}, path, out);
    return out;
}

std::vector<FieldConflict> find_conflicts(
    const Value& live, const Value& config, const Ownership& owners, const std::string& self
) {
    std::vector<FieldConflict> conflicts;
    for (const auto& path : collect_fields(config)) {
        const auto* before = is_leaf(path) ? find_field(live, path) : nullptr;
        if (before == nullptr || *before == *find_field(config, path)) {
            continue;
        }
        for (const auto& [owner, fields] : owners) {
            if (owner != self && fields.contains(path)) {
                conflicts.push_back(
                    FieldConflict{owner.substr(0, owner.find('|')), print_path(path)}
                );
            }
        }
    }
    return conflicts;
}

void apply_config(Value& live, const Value& config, Ownership& owners, const std::string& self) {
    auto fields = collect_fields(config);
    // What another owned with another value is now this manager's alone.
    for (const auto& path : fields) {
        const auto* before = is_leaf(path) ? find_field(live, path) : nullptr;
        if (before != nullptr && !(*before == *find_field(config, path))) {
            for (auto& [owner, owned] : owners) {
                owned.erase(path);
            }
        }
    }
    auto content = config;
    for (const auto* field : {"apiVersion", "kind"}) {
        content.erase(field);
    }
    if (auto* metadata = content.find("metadata")) {
        for (const auto* field : {"name", "namespace", "uid", "resourceVersion", "managedFields"}) {
            metadata->erase(field);
        }
    }
    merge(live, content, {});
    std::vector<FieldPath> dropped;
    for (const auto& path : owners[self]) {
        if (!fields.contains(path) && !is_owned_by_another(owners, self, path)) {
            dropped.push_back(path);
        }
    }
    // The deepest first, so that an item is removed after all of its fields.
    std::stable_sort(dropped.begin(), dropped.end(), [](const auto& a, const auto& b) {
        return a.size() > b.size();
    });
    // Keys go last: without them the item would not be found.
    std::stable_partition(dropped.begin(), dropped.end(), [](const FieldPath& path) {
        const auto& name = path.back();
        return name != "f:type" && name != "f:name" && name != "f:uid";
    });
    for (const auto& path : dropped) {
        remove_field(live, path, 0, {});
    }
    owners[self] = std::move(fields);
}

void take_ownership(
    const Value& before, const Value& after, Ownership& owners, const std::string& self
) {
    const auto old_fields = collect_fields(before);
    const auto new_fields = collect_fields(after);
    const auto release = [&](const FieldPath& path) {
        for (auto& [owner, owned] : owners) {
            if (owner != self) {
                owned.erase(path);
            }
        }
    };
    for (const auto& path : old_fields) {
        if (!new_fields.contains(path)) {
            release(path);
            owners[self].erase(path);
        }
    }
    for (const auto& path : new_fields) {
        const auto* old_value = find_field(before, path);
        const bool changed =
            !old_fields.contains(path) ||
            (is_leaf(path) && (old_value == nullptr || !(*old_value == *find_field(after, path))));
        if (changed) {
            release(path);
            owners[self].insert(path);
        }
    }
}

}  // namespace sluice::test
