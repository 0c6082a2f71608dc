#include "apiserver/field_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::apiserver {

namespace {

using Type = ListShape::Type;

/// `k:{"name":"a"}`, or "" where a key is missing.
std::string key_of(const json::Value& element, const ListShape& shape) {
    json::Value keys = json::Object();
    for (const std::string& key : shape.keys) {
        const json::Value* part = element.find(key);
        if (part == nullptr && key == "protocol") {
            keys.set(key, "TCP");  // its default
        } else if (part == nullptr) {
            return "";
        } else {
            keys.set(key, *part);
        }
    }
    return "k:" + json::print_sorted(keys);
}

std::string segment_of(const json::Value& element, const ListShape& shape) {
    if (shape.type == Type::Set) {
        return "v:" + json::print_sorted(element);
    }
    return element.is_object() ? key_of(element, shape) : "";
}

bool is_merged(const json::Value& value, const Shape& shape) {
    if (value.is_object()) {
        return !shape.is_atomic_object();
    }
    if (!value.is_array()) {
        return false;
    }
    const ListShape list = shape.list();
    return list.type != Type::Atomic &&
           std::ranges::all_of(value.as_array(), [&list](const json::Value& element) {
               return !segment_of(element, list).empty();
           });
}

json::Value* find_element(json::Value& list, const std::string& segment, const ListShape& shape) {
    for (json::Value& element : list.as_array()) {
        if (segment_of(element, shape) == segment) {
            return &element;
        }
    }
    return nullptr;
}

void collect(const json::Value& value, const Shape& shape, FieldSet& into) {
    if (!is_merged(value, shape) || (value.is_object() && value.as_object().empty()) ||
        (value.is_array() && value.as_array().empty())) {
        into.insert_self();
        return;
    }
    if (value.is_object()) {
        for (const auto& [name, member] : value.as_object()) {
            collect(member, shape.member(name), into.child("f:" + name));
        }
        return;
    }
    const ListShape list = shape.list();
    for (const json::Value& element : value.as_array()) {
        FieldSet& child = into.child(segment_of(element, list));
        child.insert_self();
        if (list.type == Type::Map) {
            collect(element, shape.element(), child);
        }
    }
}

/// All of a value that is new: containers count as fields too.
void collect_new(const json::Value& value, const Shape& shape, FieldSet& into) {
    collect(value, shape, into);
    if (value.is_object() && is_merged(value, shape)) {
        into.insert_self();
        for (const auto& [name, member] : value.as_object()) {
            collect_new(member, shape.member(name), into.child("f:" + name));
        }
    } else if (value.is_array() && is_merged(value, shape)) {
        into.insert_self();
        const ListShape list = shape.list();
        for (const json::Value& element : value.as_array()) {
            if (list.type == Type::Map) {
                collect_new(element, shape.element(), into.child(segment_of(element, list)));
            }
        }
    }
}

void compare(
    const json::Value* before, const json::Value* after, const Shape& shape, FieldChanges& changes
);

void compare_members(
    const json::Value& before, const json::Value& after, const Shape& shape, FieldChanges& changes
) {
    const auto visit = [&](const std::string& name) {
        FieldChanges below;
        compare(before.find(name), after.find(name), shape.member(name), below);
        if (!below.set.empty()) {
            changes.set.child("f:" + name).insert(below.set);
        }
        if (!below.removed.empty()) {
            changes.removed.child("f:" + name).insert(below.removed);
        }
    };
    for (const auto& [name, member] : after.as_object()) {
        visit(name);
    }
    for (const auto& [name, member] : before.as_object()) {
        if (after.find(name) == nullptr) {
            visit(name);
        }
    }
}

void compare_elements(
    const json::Value& before, const json::Value& after, const Shape& shape, FieldChanges& changes
) {
    const ListShape list = shape.list();
    std::map<std::string, const json::Value*> old;
    for (const json::Value& element : before.as_array()) {
        old.emplace(segment_of(element, list), &element);
    }
    for (const json::Value& element : after.as_array()) {
        const std::string segment = segment_of(element, list);
        const auto found = old.find(segment);
        FieldChanges below;
        if (found == old.end()) {
            below.set.insert_self();
            if (list.type == Type::Map) {
                collect_new(element, shape.element(), below.set);
            }
        } else if (list.type == Type::Map) {
            compare(found->second, &element, shape.element(), below);
        }
        if (found != old.end()) {
            old.erase(found);
        }
        if (!below.set.empty()) {
            changes.set.child(segment).insert(below.set);
        }
        if (!below.removed.empty()) {
            changes.removed.child(segment).insert(below.removed);
        }
    }
    for (const auto& [segment, element] : old) {
        changes.removed.child(segment).insert_self();
    }
}

void compare(
    const json::Value* before, const json::Value* after, const Shape& shape, FieldChanges& changes
) {
    if (after == nullptr) {
        changes.removed.insert_self();
        return;
    }
    if (before == nullptr) {
        collect_new(*after, shape, changes.set);
        return;
    }
    if (before->is_object() && after->is_object() && is_merged(*after, shape)) {
        compare_members(*before, *after, shape, changes);
    } else if (before->is_array() && after->is_array() && is_merged(*before, shape) &&
               is_merged(*after, shape)) {
        compare_elements(*before, *after, shape, changes);
    } else if (*before != *after) {
        changes.set.insert_self();
    }
}

}  // namespace

FieldSet FieldSet::from_value(const json::Value& fields_v1) {
    FieldSet set;
    if (!fields_v1.is_object()) {
        return set;
    }
    if (fields_v1.as_object().empty()) {
        set.is_self_ = true;
        return set;
    }
    for (const auto& [key, below] : fields_v1.as_object()) {
        if (key == ".") {
            set.is_self_ = true;
        } else {
            set.children_.emplace(key, from_value(below));
        }
    }
    return set;
}

json::Value FieldSet::to_value() const {
    json::Value value = json::Object();
    if (is_self_ && !children_.empty()) {
        value.set(".", json::Object());
    }
    for (const auto& [key, below] : children_) {
        value.set(key, below.to_value());
    }
    return value;
}

void FieldSet::insert(const FieldSet& other) {
    is_self_ = is_self_ || other.is_self_;
    for (const auto& [key, below] : other.children_) {
        children_[key].insert(below);
    }
}

void FieldSet::tidy() {
    for (auto& [key, below] : children_) {
        below.tidy();
    }
    std::erase_if(children_, [](const auto& entry) { return entry.second.empty(); });
}

void FieldSet::remove(const FieldSet& other) {
    for (const auto& [key, below] : other.children_) {
        const auto found = children_.find(key);
        if (found == children_.end()) {
            continue;
        }
        if (below.is_self_ && below.children_.empty()) {
            children_.erase(found);
        } else {
            if (below.is_self_) {
                found->second.is_self_ = false;
            }
            found->second.remove(below);
        }
    }
    tidy();
}

FieldSet FieldSet::common(const FieldSet& other) const {
    FieldSet set;
    set.is_self_ = is_self_ && other.is_self_;
    for (const auto& [key, below] : children_) {
        const auto found = other.children_.find(key);
        if (found != other.children_.end()) {
            FieldSet both = below.common(found->second);
            if (!both.empty()) {
                set.children_.emplace(key, std::move(both));
            }
        }
    }
    return set;
}

void FieldSet::erase(const std::vector<std::string>& path) {
    FieldSet* at = this;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        const auto found = at->children_.find(path[i]);
        if (found == at->children_.end()) {
            return;
        }
        at = &found->second;
    }
    at->children_.erase(path.back());
    tidy();
}

void FieldSet::keep(const std::string& key) {
    std::erase_if(children_, [&key](const auto& entry) { return entry.first != key; });
    is_self_ = false;
}

std::vector<std::string> FieldSet::paths() const {
    std::vector<std::string> out;
    add_paths("", out);
    return out;
}

void FieldSet::add_paths(const std::string& prefix, std::vector<std::string>& out) const {
    if (is_self_) {
        out.push_back(prefix);
    }
    for (const auto& [key, below] : children_) {
        std::string part;
        if (key.starts_with("f:")) {
            part = "." + key.substr(2);
        } else if (key.starts_with("v:")) {
            part = fmt::format("[={}]", key.substr(2));
        } else {
            const auto keys = json::parse(std::string_view(key).substr(2));
            std::string list;
            for (const auto& [name, value] :
                 keys && keys->is_object() ? keys->as_object() : json::Object()) {
                list += fmt::format("{}{}={}", list.empty() ? "" : ",", name, json::print(value));
            }
            part = fmt::format("[{}]", list);
        }
        below.add_paths(prefix + part, out);
    }
}

FieldSet collect_fields(const json::Value& config, const Shape& shape) {
    FieldSet set;
    collect(config, shape, set);
    return set;
}

FieldChanges compare_fields(
    const json::Value& before, const json::Value& after, const Shape& shape
) {
    FieldChanges changes;
    compare(&before, &after, shape, changes);
    return changes;
}

void merge_config(json::Value& object, const json::Value& config, const Shape& shape) {
    if (config.is_object() && object.is_object() && is_merged(config, shape)) {
        for (const auto& [name, member] : config.as_object()) {
            json::Value* present = object.find(name);
            if (present == nullptr) {
                object.set(name, member);
            } else {
                merge_config(*present, member, shape.member(name));
            }
        }
        return;
    }
    if (config.is_array() && object.is_array() && is_merged(config, shape) &&
        is_merged(object, shape)) {
        const ListShape list = shape.list();
        for (const json::Value& element : config.as_array()) {
            json::Value* present = find_element(object, segment_of(element, list), list);
            if (present == nullptr) {
                object.as_array().push_back(element);
            } else if (list.type == Type::Map) {
                merge_config(*present, element, shape.element());
            }
        }
        return;
    }
    object = config;
}

namespace {

bool is_empty_container(const json::Value& value) {
    return (value.is_object() && value.as_object().empty()) ||
           (value.is_array() && value.as_array().empty());
}

}  // namespace

void remove_fields(json::Value& object, const FieldSet& fields, const Shape& shape) {
    const ListShape list = object.is_array() ? shape.list() : ListShape();
    for (const auto& [key, below] : fields.children()) {
        const bool is_whole = below.is_self() && below.children().empty();
        if (key.starts_with("f:") && object.is_object()) {
            const std::string name = key.substr(2);
            json::Value* member = object.find(name);
            if (member == nullptr) {
                continue;
            }
            const bool was_empty = is_empty_container(*member);
            if (!is_whole) {
                remove_fields(*member, below, shape.member(name));
            }
            // What has lost its last member goes with it.
            if (is_whole || (is_empty_container(*member) && (below.is_self() || !was_empty))) {
                object.erase(name);
            }
        } else if (object.is_array()) {
            json::Value* element = find_element(object, key, list);
            if (element == nullptr) {
                continue;
            }
            if (below.is_self()) {
                const auto at = element - object.as_array().data();
                object.as_array().erase(object.as_array().begin() + at);
            } else {
                remove_fields(*element, below, shape.element());
            }
        }
    }
}

}  // namespace sluice::apiserver
