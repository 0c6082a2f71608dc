#pragma once

#include "apiserver/schema.hpp"
#include "apiserver/status.hpp"
#include "apiserver/store.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {
class SchemaRules;
}

namespace sluice::apiserver {

/// A column of a table of objects.
struct Column {
    std::string name;
    std::string type;
    std::string format;
    std::string description;
    int priority = 0;
    std::string json_path;  ///< of custom resources; empty: the server computes the cell
};

struct Subresource {
    std::string name;  ///< status, scale, binding, …
    std::vector<std::string> verbs;
    std::string group;    ///< of its kind
    std::string version;  ///< empty: that of the resource
    std::string kind;
};

/// Where a custom resource keeps what its scale subresource shows.
struct ScalePaths {
    std::string spec_replicas;
    std::string status_replicas;
    std::string label_selector;
};

/// A resource in one version of its API.
struct ResourceVersion {
    std::string name;  ///< v1
    bool served = true;
    std::string deprecation_warning;  ///< empty: none
    /// The schema; nullptr before it is asked for, and where there is none.
    std::shared_ptr<const Schema> schema;
    json::Value open_api_schema;  ///< of a custom resource, as the CRD has it
    std::vector<Column> columns;
    std::vector<Subresource> subresources;
    std::optional<ScalePaths> scale;
    std::vector<std::string> selectable_fields;  ///< JSON paths such as .spec.color
    std::shared_ptr<const cel::SchemaRules> rules;

    const Subresource* subresource(std::string_view subresource_name) const;
};

/// A kind that is served: a built-in one, or that of a CRD.
struct Resource {
    std::string group;
    std::string plural;
    std::string singular;
    std::string kind;
    std::string list_kind;
    std::vector<std::string> short_names;
    std::vector<std::string> categories;
    std::vector<std::string> verbs;
    bool namespaced = true;
    bool is_custom = false;
    bool is_terminating = false;  ///< its CRD is being deleted: nothing can be created
    std::vector<ResourceVersion> versions;
    std::string storage_version;
    json::Value conversion_webhook;  ///< null: conversion changes apiVersion alone

    GroupName group_resource() const { return {group, plural}; }
    GroupName group_kind() const { return {group, kind}; }
    /// PLURAL.GROUP, by which the store knows its collection.
    std::string store_name() const { return to_string(group_resource()); }
    /// nullptr: there is no such version.
    const ResourceVersion* version(std::string_view name) const;
    bool has_verb(std::string_view verb) const {
        return std::ranges::find(verbs, verb) != verbs.end();
    }
    std::string api_version(std::string_view version_name) const {
        return group.empty() ? std::string(version_name) : group + "/" + std::string(version_name);
    }
};
using ResourcePtr = std::shared_ptr<const Resource>;

/// The resources that are served now.
class Registry {
  public:
    /// All built-in resources.
    static Registry with_builtins();

    void add(ResourcePtr resource);
    void remove(std::string_view group, std::string_view plural);
    /// nullptr: there is none, or not in that version.
    ResourcePtr find(
        std::string_view group, std::string_view version, std::string_view plural
    ) const;
    ResourcePtr find(std::string_view group, std::string_view plural) const;
    /// By PLURAL.GROUP.
    ResourcePtr find_by_store_name(std::string_view name) const;
    /// By its kind, for references between objects.
    ResourcePtr find_kind(std::string_view group, std::string_view kind) const;

    /// The versions of a group that are served, the preferred one first; empty: no such group.
    std::vector<std::string> versions_of(std::string_view group) const;
    /// Groups in the order of discovery.
    std::vector<std::string> groups() const;
    /// All resources sorted by group and plural.
    const std::map<std::pair<std::string, std::string>, ResourcePtr>& all() const {
        return resources_;
    }
    /// Counts changes, for what is derived from it.
    std::uint64_t revision() const { return revision_; }

  private:
    std::map<std::pair<std::string, std::string>, ResourcePtr> resources_;
    std::map<std::string, ResourcePtr, std::less<>> by_store_name_;
    std::uint64_t revision_ = 0;
};

/// The order of versions: v2 before v1 before v1beta2 before v1beta1 before v1alpha1.
bool version_precedes(std::string_view a, std::string_view b);

/// The compiled schema of a resource's version, whether built in or custom.
std::shared_ptr<const Schema> schema_of(const Resource& resource, const ResourceVersion& version);

}  // namespace sluice::apiserver
