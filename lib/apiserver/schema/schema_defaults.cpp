#include "apiserver/objects/values.hpp"
#include "apiserver/schema/schema_functions.hpp"

#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

bool is_missing(const Value* value, const Schema& schema) {
    return value == nullptr || (value->is_null() && !schema.nullable);
}

void fill_tree(const Schema& schema, Value& value, int depth);

void fill_member_defaults(const Schema& schema, Value& value, int depth) {
    for (const auto& [name, property, required] : schema.properties) {
        if (property->default_value && is_missing(value.find(name), *property)) {
            value.set(name, *property->default_value);
        }
    }
    for (auto& [name, member] : value.as_object()) {
        const Schema* of_member = schema.member(name);
        if (of_member == nullptr) {
            continue;
        }
        if (of_member->default_value && is_missing(&member, *of_member)) {
            member = *of_member->default_value;
        }
        fill_tree(*of_member, member, depth);
    }
}

void fill_tree(const Schema& schema, Value& value, int depth) {
    if (depth > kObjectDepthMax) {
        return;
    }
    if (value.is_object()) {
        fill_member_defaults(schema, value, depth + 1);
    } else if (value.is_array() && schema.items != nullptr) {
        for (auto& item : value.as_array()) {
            if (schema.items->default_value && is_missing(&item, *schema.items)) {
                item = *schema.items->default_value;
            }
            fill_tree(*schema.items, item, depth + 1);
        }
    }
}

/// Drops the nulls of declared fields that are not nullable. Fields with a default have it by now.
void drop_nulls(const Schema& schema, Value& value, int depth) {
    if (depth > kObjectDepthMax) {
        return;
    }
    if (value.is_array() && schema.items != nullptr) {
        for (auto& item : value.as_array()) {
            drop_nulls(*schema.items, item, depth + 1);
        }
    }
    if (!value.is_object()) {
        return;
    }
    std::erase_if(value.as_object(), [&](const json::Member& member) {
        const Schema* of_member = schema.member(member.first);
        return of_member != nullptr && member.second.is_null() && !of_member->nullable;
    });
    for (auto& [name, member] : value.as_object()) {
        if (const Schema* of_member = schema.member(name)) {
            drop_nulls(*of_member, member, depth + 1);
        }
    }
}

}  // namespace

void fill_defaults(const Schema& schema, Value& object) {
    fill_tree(schema, object, 0);
}

void apply_defaults(const Schema& schema, Value& object) {
    fill_tree(schema, object, 0);
    drop_nulls(schema, object, 0);
}

}  // namespace sluice::apiserver
