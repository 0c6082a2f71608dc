#pragma once

#include "json/value.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::test {

/// The path of a field: "f:name" for members, "k:type=Admitted" for items of keyed lists, "v:x" for
/// items of sets.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

/// Which manager owns which fields of an object, by "manager|operation|subresource".
using Ownership = std::map<std::string, FieldSet>;

/// The fields that an applied configuration names: its leaves and the items of its keyed lists.
/// Identity and bookkeeping (apiVersion, metadata.name, …) do not count.
FieldSet collect_fields(const json::Value& config);

/// The fields of a configuration that others own with another value than it gives.
struct FieldConflict {
    std::string owner;
    std::string field;
};
std::vector<FieldConflict> find_conflicts(
    const json::Value& live,
    const json::Value& config,
    const Ownership& owners,
    const std::string& self
);

/// Server-side apply: merges the configuration into the live object, removes what the same manager
/// applied before and now leaves out (unless another owns it too), and hands over ownership.
void apply_config(
    json::Value& live, const json::Value& config, Ownership& owners, const std::string& self
);

/// After an update or patch: what changed belongs to the updater alone.
void take_ownership(
    const json::Value& before, const json::Value& after, Ownership& owners, const std::string& self
);

}  // namespace sluice::test
