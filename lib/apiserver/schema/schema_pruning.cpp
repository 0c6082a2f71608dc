#include "apiserver/objects/values.hpp"
#include "apiserver/schema/schema_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

bool is_identity(std::string_view name) {
    return name == "apiVersion" || name == "kind" || name == "metadata";
}

/// Walks an object beside its schema and notes, and where asked to removes, what is not declared.
class Pruner {
  public:
    explicit Pruner(bool removes) : removes_(removes) {}

    void walk(const Schema& schema, Value& value, bool is_resource, int depth) {
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
    /// A type that the document of the built-in kinds does not describe any further.
    static bool accepts_anything(const Schema& schema) {
        return schema.is_builtin && schema.properties.empty() &&
               schema.additional_properties == nullptr && schema.items == nullptr;
    }

    void walk_items(const Schema& schema, json::Array& items, int depth) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::size_t length = path_.size();
            path_ += fmt::format("[{}]", i);
            walk(schema, items[i], false, depth + 1);
            path_.resize(length);
        }
    }

    void walk_members(const Schema& schema, json::Object& members, bool is_resource, int depth) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::size_t length = path_.size();
            path_ += (path_.empty() ? "" : ".") + members[i].first;
            const bool is_known = walk_member(schema, members[i], is_resource, depth);
            if (!is_known) {
                unknown_.push_back(path_);
            }
            path_.resize(length);
            if (is_known || !removes_) {
                if (kept != i) {
                    members[kept] = std::move(members[i]);
                }
                ++kept;
            }
        }
        members.resize(kept);
    }

    /// Whether the member is known.
    bool walk_member(const Schema& schema, json::Member& member, bool is_resource, int depth) {
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
        // What is forbidden is refused, not dropped.
        return schema.preserves_unknown_fields || schema.allows_any_member ||
               schema.forbids_other_members;
    }

    bool removes_;
    std::string path_;
    std::vector<std::string> unknown_;
};

std::vector<std::string> pruned(const Schema& schema, Value& object, bool is_resource) {
    Pruner pruner(true);
    pruner.walk(schema, object, is_resource, 0);
    auto unknown = pruner.take();
    if (!schema.is_builtin) {
        std::sort(unknown.begin(), unknown.end());
    }
    return unknown;
}

}  // namespace

std::vector<std::string> prune(const Schema& schema, Value& object) {
    return pruned(schema, object, true);
}

std::vector<std::string> prune_part(const Schema& schema, Value& part) {
    return pruned(schema, part, false);
}

std::vector<std::string> find_unknown_fields(const Schema& schema, const Value& object) {
    auto copy = object;
    return prune(schema, copy);
}

}  // namespace sluice::apiserver
