#include "apiserver/crd_validation.hpp"

#include "apiserver/objects.hpp"
#include "apiserver/schema_structure.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

const Value& member(const Value& value, std::string_view name) {
    static const Value kNull;
    const Value* found = value.find(name);
    return found == nullptr ? kNull : *found;
}

void check_names(const Value& spec, std::vector<Cause>& causes) {
    const Value& names = member(spec, "names");
    for (const auto* name : {"plural", "singular", "kind", "listKind"}) {
        if (names.string_at(name).empty()) {
            causes.push_back(required_value(fmt::format("spec.names.{}", name)));
        }
    }
}

void check_scope(const Value& spec, std::vector<Cause>& causes) {
    const auto scope = spec.string_at("scope");
    if (scope.empty()) {
        causes.push_back(required_value("spec.scope"));
    } else if (scope != "Cluster" && scope != "Namespaced") {
        causes.push_back(
            unsupported_value("spec.scope", Value(scope), {"Cluster", "Namespaced"})
        );
    }
}

void check_versions(const Value& spec, std::vector<Cause>& causes) {
    const auto& versions = items_of(spec.find("versions"));
    if (versions.empty()) {
        causes.push_back(required_value("spec.versions", "must have exactly one version marked as storage version"));
        return;
    }
    std::set<std::string> seen;
    std::size_t storage = 0;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const auto path = fmt::format("spec.versions[{}]", i);
        storage += is_true(versions[i], "storage") ? 1 : 0;
        if (!seen.emplace(versions[i].string_at("name")).second) {
            causes.push_back(duplicate_value(path + ".name", member(versions[i], "name")));
        }
        const Value* schema = versions[i].find_path({"schema", "openAPIV3Schema"});
        const auto schema_path = path + ".schema.openAPIV3Schema";
        if (schema == nullptr) {
            causes.push_back(required_value(schema_path, "schemas are required"));
            continue;
        }
        auto faults = check_structural(*schema, schema_path);
        causes.insert(
            causes.end(),
            std::make_move_iterator(faults.begin()),
            std::make_move_iterator(faults.end())
        );
    }
    if (storage != 1) {
        causes.push_back(invalid_value(
            "spec.versions",
            member(spec, "versions"),
            "must have exactly one version marked as storage version"
        ));
    }
}

void check_stored_versions(const Value& crd, std::vector<Cause>& causes) {
    const auto& versions = items_of(crd.find_path({"spec", "versions"}));
    const auto& stored = items_of(crd.find_path({"status", "storedVersions"}));
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const bool is_there = std::ranges::any_of(versions, [&](const Value& version) {
            return version.string_at("name") == stored[i].as_string();
        });
        if (!is_there) {
            const auto& name = stored[i].as_string();
            causes.push_back(invalid_value(
                fmt::format("status.storedVersions[{}]", i),
                stored[i],
                fmt::format(
                    "missing from spec.versions; {} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {} and removes {} from status.storedVersions",
                    name,
                    name,
                    name
                )
            ));
        }
    }
}

void check_unchanged(const Value& spec, const Value& old_spec, std::vector<Cause>& causes) {
    for (const auto* name : {"group", "scope"}) {
        if (!(member(spec, name) == member(old_spec, name))) {
            causes.push_back(
                invalid_value(fmt::format("spec.{}", name), member(spec, name), "field is immutable")
            );
        }
    }
    for (const auto* name : {"plural", "kind"}) {
        const Value& value = member(member(spec, "names"), name);
        if (!(value == member(member(old_spec, "names"), name))) {
            causes.push_back(
                invalid_value(fmt::format("spec.names.{}", name), value, "field is immutable")
            );
        }
    }
}

}  // namespace

std::vector<Cause> find_crd_faults(const Value& crd, const Value* old_crd) {
    std::vector<Cause> causes;
    const Value& spec = member(crd, "spec");
    const auto group = spec.string_at("group");
    const auto plural = member(spec, "names").string_at("plural");
    const auto name = meta_string(crd, "name");
    if (name != fmt::format("{}.{}", plural, group)) {
        causes.push_back(invalid_value(
            "metadata.name", Value(name), "must be spec.names.plural+\".\"+spec.group"
        ));
    }
    if (group.empty()) {
        causes.push_back(required_value("spec.group"));
    }
    check_scope(spec, causes);
    check_names(spec, causes);
    check_versions(spec, causes);
    if (old_crd != nullptr) {
        check_unchanged(spec, member(*old_crd, "spec"), causes);
        check_stored_versions(crd, causes);
    }
    return causes;
}

std::vector<Cause> check_rules(
    const ResourceVersion& /*version*/, const Value& /*object*/, const Value* /*old_object*/
) {
    return {};
}

}  // namespace sluice::apiserver
