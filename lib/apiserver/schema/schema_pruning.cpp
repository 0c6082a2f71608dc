#include "apiserver/objects/values.hpp"
#include "apiserver/schema/schema_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

bool is_identity(std::string_view name) {
    return name == "apiVersion" || name == "kind" || name == "metadata";
}

/// Walks an object together with its schema and records undeclared fields. Removes them too, unless
/// the object is const.
template <class AnyValue>
class Pruner {
  public:
    void walk(const Schema& schema, AnyValue& value, bool is_resource, int depth) {
        if (depth > kObjectDepthMax || accepts_anything(schema)) {
            return;
        }
        if (value.is_array() && (schema.items != nullptr || !schema.is_builtin)) {
            walk_items(schema.items == nullptr ? schema : *schema.items, value.as_array(), depth);
        }
        if (!value.is_object()) {
            return;
        }
        is_resource |= schema.is_embedded_resource;
        walk_members(schema, value.as_object(), is_resource, depth);
    }

    std::vector<std::string> take() { return std::move(unknown_); }

  private:
    /// Returns true for a type that the OpenAPI document of the built-in kinds does not describe
    /// further.
    static bool accepts_anything(const Schema& schema) {
        return schema.is_builtin && schema.properties.empty() &&
               schema.additional_properties == nullptr && schema.items == nullptr;
    }

    void walk_items(const Schema& schema, auto& items, int depth) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::size_t length = path_.size();
            path_ += fmt::format("[{}]", i);
            walk(schema, items[i], false, depth + 1);
            path_.resize(length);
        }
    }

    void walk_members(const Schema& schema, auto& members, bool is_resource, int depth) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::size_t length = path_.size();
            path_ += path_.empty() ? "" : ".";
            path_ += members[i].first;
            const bool is_known = walk_member(schema, members[i], is_resource, depth);
            if (!is_known) {
                unknown_.push_back(path_);
            }
            path_.resize(length);
            if constexpr (kRemoves) {
                if (is_known && kept != i) {
                    members[kept] = std::move(members[i]);
                }
                kept += is_known ? 1 : 0;
            }
        }
        if constexpr (kRemoves) {
            members.resize(kept);
        }
    }

    /// Returns true if the member is known.
    bool walk_member(const Schema& schema, auto& member, bool is_resource, int depth) {
        auto& [name, value] = member;
        if (is_resource && !schema.is_builtin && is_identity(name)) {
            if (name == "metadata") {
                walk(object_meta_schema(), value, false, depth + 1);
            }
            return true;
        }
        if (const Schema* of_member = schema.member(name)) {
            walk(*of_member, value, false, depth + 1);
            return true;
        }
        // Forbidden members are refused by the validation, not dropped.
        return schema.preserves_unknown_fields || schema.allows_any_member ||
               schema.forbids_other_members;
    }

    static constexpr bool kRemoves = !std::is_const_v<AnyValue>;

    std::string path_;
    std::vector<std::string> unknown_;
};

template <class AnyValue>
std::vector<std::string> walked(const Schema& schema, AnyValue& object, bool is_resource) {
    Pruner<AnyValue> pruner;
    pruner.walk(schema, object, is_resource, 0);
    auto unknown = pruner.take();
    if (!schema.is_builtin) {
        std::sort(unknown.begin(), unknown.end());
    }
    return unknown;
}

}  // namespace

std::vector<std::string> prune(const Schema& schema, Value& object) {
    return walked(schema, object, true);
}

std::vector<std::string> prune_part(const Schema& schema, Value& part) {
    return walked(schema, part, false);
}

std::vector<std::string> find_unknown_fields(const Schema& schema, const Value& object) {
    return walked(schema, object, true);
}

}  // namespace sluice::apiserver
