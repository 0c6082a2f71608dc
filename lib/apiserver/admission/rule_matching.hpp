// Matches requests against the rules of webhooks and policies.
#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The parts of a write that rules of webhooks and policies match.
struct RuledRequest {
    const Route& route;
    std::string_view operation;
    std::string_view name;  ///< name of the object; "" if it does not have one yet
};

/// Returns the type in whose version a webhook or policy with these `rules` sees the request: the
/// type of the request if a rule names it, else, unless `match_policy` is `Exact`, another type
/// through which the same objects are written. Returns nullptr if no rule matches.
ResourceTable::TypePointer match_rules(
    const ResourceTable& types,
    const json::Value* rules,
    std::string_view match_policy,
    const RuledRequest& request
);

/// Returns true if the list of a rule contains the text or `*`.
bool has_any(const json::Value& rule, std::string_view list, std::string_view text);

/// Returns true for the kind Namespace, whose objects a namespaceSelector selects by their own
/// labels.
bool is_namespace(const ResourceType& type);

/// Returns true if a label selector selects an object with these labels. A missing or empty
/// selector selects everything.
bool selects_labels(const json::Value* selector, const json::Value* labels);

}  // namespace sluice::apiserver
