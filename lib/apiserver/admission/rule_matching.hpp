#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// A write as the rules of webhooks and policies look at it.
struct RuledRequest {
    const Route& route;
    std::string_view operation;
    std::string_view name;  ///< of the object; "" where it has none yet
};

/// The type as which a webhook or policy with such `rules` is told of the request: that of the
/// request where a rule names it, else, unless `match_policy` is `Exact`, another one through which
/// the same objects are written. nullptr: no rule is about the request.
ResourceTable::TypePointer match_rules(
    const ResourceTable& types,
    const json::Value* rules,
    std::string_view match_policy,
    const RuledRequest& request
);

/// Whether a list of a rule has the text, or `*`.
bool has_any(const json::Value& rule, std::string_view list, std::string_view text);

/// Whether the kind is that of namespaces, which a namespaceSelector selects by their own labels.
bool is_namespace(const ResourceType& type);

/// Whether a label selector selects an object with these labels; one that is absent or empty
/// selects all.
bool selects_labels(const json::Value* selector, const json::Value* labels);

}  // namespace sluice::apiserver
