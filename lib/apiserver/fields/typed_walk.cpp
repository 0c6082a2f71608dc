#include "apiserver/fields/typed_walk.hpp"

#include "apiserver/objects/values.hpp"
#include "json/member_index.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

bool is_nested(const Value* value) {
    return value != nullptr && (value->is_array() || value->is_object());
}

/// Returns the type of a member whose value was checked before; an undescribed type if the schema
/// does not know the member.
FieldType known_member(const FieldType& type, std::string_view name) {
    return type.member(name).value_or(FieldType());
}

void collect(const FieldType& type, const Value& value, FieldSet& node, int depth) {
    const bool is_list = value.is_array();
    const bool is_leaf = !is_nested(&value) || is_empty_container(&value) ||
                         (is_list ? type.is_atomic_list() : type.is_atomic_map());
    if (is_leaf || depth > kObjectDepthMax) {
        // An empty list with identified items owns nothing, unlike an empty map.
        node.is_member = !is_list || type.is_atomic_list();
        return;
    }
    if (is_list) {
        const FieldType of_item = type.item();
        std::map<PathElement, const Value*> items;
        for (const auto& item : value.as_array()) {
            if (auto element = item_element(type, item)) {
                items.emplace(std::move(*element), &item);
            }
        }
        for (const auto& [element, item] : items) {
            FieldSet& child = node.at(element);
            child.is_member = true;
            if (is_nested(item)) {
                collect(of_item, *item, child, depth + 1);
            }
        }
        return;
    }
    for (const auto* entry : sorted_members(&value)) {
        const auto& [name, member] = *entry;
        FieldSet child;
        collect(known_member(type, name), member, child, depth + 1);
        child.is_member |= !type.names(name);
        if (!child.empty()) {
            node.at(field_element(name)) = std::move(child);
        }
    }
}

/// The items of a list, by their identity.
class ItemIndex {
  public:
    using Items = std::map<PathElement, std::vector<const Value*>>;

    ItemIndex(const FieldType& type, const Value* list) {
        for (const auto& item : items_of(list)) {
            if (auto element = item_element(type, item)) {
                items_[std::move(*element)].push_back(&item);
            }
        }
    }
    const Items& items() const { return items_; }
    /// Returns the items with that identity; nullptr if the list has no such items.
    const std::vector<const Value*>* find(const PathElement& element) const {
        const auto found = items_.find(element);
        return found == items_.end() ? nullptr : &found->second;
    }

  private:
    Items items_;
};

/// Compares each part separately and attaches the differences, if any, to its parent: most parts do
/// not differ, and those that do come in order.
class Comparer {
  public:
    static Comparison compare(
        const FieldType& type, const Value* before, const Value* after, int depth
    ) {
        const bool is_list =
            (after != nullptr && after->is_array()) || (before != nullptr && before->is_array());
        const bool is_map =
            (after != nullptr && after->is_object()) || (before != nullptr && before->is_object());
        const bool is_mixed = is_list && is_map;
        const bool is_leaf = depth > kObjectDepthMax || is_mixed || (!is_list && !is_map) ||
                             (is_list && type.is_atomic_list()) ||
                             (is_map && type.is_atomic_map()) ||
                             (is_empty_container(before) && is_empty_container(after));
        Comparison result;
        // Comparing whole values at greater depths would compare the same parts many times.
        const bool is_asked = is_leaf || depth < kEqualityDepth;
        if (is_asked && before != nullptr && after != nullptr && *before == *after) {
            return result;
        }
        if (is_leaf) {
            result.added.is_member = before == nullptr;
            result.removed.is_member = before != nullptr && after == nullptr;
            result.modified.is_member = before != nullptr && after != nullptr;
            return result;
        }
        if (is_list) {
            compare_lists(result, type, before, after, depth);
        } else {
            compare_maps(result, type, before, after, depth);
        }
        result.added.is_member = before == nullptr;
        result.removed.is_member = before != nullptr && after == nullptr;
        result.modified.is_member =
            before != nullptr && after != nullptr && !is_nested(before) && !before->is_null();
        return result;
    }

  private:
    /// Down to this depth, parts are compared as a whole first and skipped if they are equal.
    static constexpr int kEqualityDepth = 6;

    static void add(Comparison& to, const PathElement& element, Comparison part) {
        const auto hang = [&element](FieldSet& parent, FieldSet& child) {
            if (!child.empty()) {
                parent.at(element) = std::move(child);
            }
        };
        hang(to.added, part.added);
        hang(to.removed, part.removed);
        hang(to.modified, part.modified);
    }

    static void compare_maps(
        Comparison& result,
        const FieldType& type,
        const Value* before,
        const Value* after,
        int depth
    ) {
        const auto step = [&](const std::string& name, const Value* was, const Value* is) {
            add(result, field_element(name), compare(known_member(type, name), was, is, depth + 1));
        };
        json::MemberIndex old_members(before);
        for (const auto* member : sorted_members(after)) {
            step(member->first, old_members.find(member->first), &member->second);
        }
        json::MemberIndex new_members(after);
        for (const auto* member : sorted_members(before)) {
            if (new_members.find(member->first) == nullptr) {
                step(member->first, &member->second, nullptr);
            }
        }
    }

    static void compare_lists(
        Comparison& result,
        const FieldType& type,
        const Value* before,
        const Value* after,
        int depth
    ) {
        const ItemIndex old_items(type, before);
        const ItemIndex new_items(type, after);
        const FieldType of_item = type.item();
        for (const auto& [element, items] : new_items.items()) {
            const auto* const was = old_items.find(element);
            add(result, element, compare_items(of_item, was, &items, depth + 1));
        }
        for (const auto& [element, items] : old_items.items()) {
            if (new_items.find(element) == nullptr) {
                add(result, element, compare_items(of_item, &items, nullptr, depth + 1));
            }
        }
    }

    /// Compares the items of one identity. Several items of the same identity count as one whole.
    static Comparison compare_items(
        const FieldType& type,
        const std::vector<const Value*>* before,
        const std::vector<const Value*>* after,
        int depth
    ) {
        const std::size_t old_count = before == nullptr ? 0 : before->size();
        const std::size_t new_count = after == nullptr ? 0 : after->size();
        if (old_count <= 1 && new_count <= 1) {
            const Value* was = old_count == 0 ? nullptr : before->front();
            return compare(type, was, new_count == 0 ? nullptr : after->front(), depth);
        }
        Comparison result;
        if (old_count >= 2 && new_count >= 2) {
            result.modified.is_member = !std::equal(
                before->begin(),
                before->end(),
                after->begin(),
                after->end(),
                [](auto* a, auto* b) { return *a == *b; }
            );
        } else if (old_count >= 2) {
            if (new_count == 1) {
                result = compare(type, nullptr, after->front(), depth);
            }
            result.removed.is_member = true;
        } else {
            if (old_count == 1) {
                result = compare(type, before->front(), nullptr, depth);
            }
            result.added.is_member = true;
        }
        return result;
    }
};

}  // namespace

FieldType root_type(const Schema& schema) {
    return {&schema, !schema.is_builtin};
}

std::optional<FieldType> FieldType::member(std::string_view name) const {
    if (schema == nullptr) {
        return FieldType();
    }
    if ((is_resource || schema->is_embedded_resource) && !schema->is_builtin) {
        if (name == "metadata") {
            return FieldType{&object_meta_schema()};
        }
        if (name == "apiVersion" || name == "kind") {
            return FieldType();
        }
    }
    if (const Schema* found = schema->member(name)) {
        return FieldType{found};
    }
    const bool is_free =
        schema->properties.empty() || schema->allows_any_member || schema->preserves_unknown_fields;
    return is_free ? std::optional(FieldType()) : std::nullopt;
}

FieldType FieldType::item() const {
    return {schema == nullptr ? nullptr : schema->items};
}

bool FieldType::names(std::string_view member) const {
    if (schema == nullptr) {
        return false;
    }
    const bool is_identity = member == "metadata" || member == "apiVersion" || member == "kind";
    return schema->property(member) != nullptr ||
           (is_identity && (is_resource || schema->is_embedded_resource));
}

std::optional<PathElement> item_element(const FieldType& list, const Value& item) {
    if (list.schema == nullptr || list.schema->list_type != Schema::ListType::Map) {
        if (is_nested(&item) || item.is_null()) {
            return std::nullopt;
        }
        return PathElement{PathElement::Class::Value, json::print_sorted(item)};
    }
    if (!item.is_object()) {
        return std::nullopt;
    }
    json::Object key;
    for (const auto& name : list.schema->list_map_keys) {
        const Value* part = item.find(name);
        if (part == nullptr && list.schema->items != nullptr) {
            const SchemaProperty* property = list.schema->items->property(name);
            const bool has_default = property != nullptr && property->schema->default_value;
            part = has_default ? &*property->schema->default_value : nullptr;
        }
        if (part != nullptr) {
            key.emplace_back(name, *part);
        }
    }
    if (key.empty()) {
        return std::nullopt;
    }
    return PathElement{PathElement::Class::Key, json::print_sorted(key)};
}

FieldSet field_set_of(const FieldType& type, const Value& value) {
    FieldSet set;
    collect(type, value, set, 0);
    set.is_member = false;
    return set;
}

Comparison compare(const FieldType& type, const Value& before, const Value& after) {
    Comparison result = Comparer::compare(type, &before, &after, 0);
    result.added.is_member = false;
    result.removed.is_member = false;
    result.modified.is_member = false;
    return result;
}

FieldSet with_named_fields(const FieldType& type, const FieldSet& set) {
    FieldSet out;
    out.is_member = set.is_member;
    for (const auto& child : set.children) {
        const bool is_field = child.element.element_class == PathElement::Class::Field;
        const auto below = is_field ? known_member(type, child.element.text) : type.item();
        FieldSet made = with_named_fields(below, child.set);
        made.is_member |= is_field && type.names(child.element.text);
        out.children.push_back({child.element, std::move(made)});
    }
    return out;
}

FieldSet with_atomic_wholes(const FieldType& type, const FieldSet& set) {
    FieldSet out;
    out.is_member = set.is_member;
    if (set.children.empty()) {
        return out;
    }
    const bool has_fields = set.children.front().element.element_class == PathElement::Class::Field;
    const bool is_whole =
        type.schema != nullptr && (has_fields ? type.is_atomic_map() : type.is_atomic_list());
    if (is_whole) {
        out.is_member = true;
        return out;
    }
    for (const auto& child : set.children) {
        const bool is_field = child.element.element_class == PathElement::Class::Field;
        const auto below = is_field ? known_member(type, child.element.text) : type.item();
        out.children.push_back({child.element, with_atomic_wholes(below, child.set)});
    }
    return out;
}

Value remove_items(const FieldType& type, const Value& value, const FieldSet& fields) {
    if (!is_nested(&value)) {
        return value;
    }
    const bool is_list = value.is_array();
    if (is_empty_container(&value) || (is_list ? type.is_atomic_list() : type.is_atomic_map())) {
        return {};
    }
    if (is_list) {
        json::Array kept;
        for (const auto& item : value.as_array()) {
            const auto element = item_element(type, item);
            const FieldSet* below = element ? fields.find(*element) : nullptr;
            if (below == nullptr) {
                kept.push_back(item);
            } else if (!below->is_member) {
                kept.push_back(remove_items(type.item(), item, *below));
            }
        }
        return kept.empty() ? Value() : Value(std::move(kept));
    }
    json::Object kept;
    for (const auto& [name, member] : value.as_object()) {
        const FieldSet* below = fields.find(field_element(name));
        if (below == nullptr) {
            kept.emplace_back(name, member);
        } else if (!below->is_member) {
            kept.emplace_back(name, remove_items(known_member(type, name), member, *below));
        }
    }
    return kept.empty() ? Value() : Value(std::move(kept));
}

}  // namespace sluice::apiserver
