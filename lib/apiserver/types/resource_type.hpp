// Kinds as discovery lists them, and the table of all kinds that the server serves.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cel {
class RuleSet;
}

namespace sluice::apiserver {

/// A column of `kubectl get`: a JSONPath into the object, or a cell that the server computes.
struct PrinterColumn {
    std::string name;
    std::string type = "string";
    std::string format{};
    std::string description{};
    std::int32_t priority = 0;
    std::string json_path{};
};

/// The JSONPaths of a kind's scale subresource.
struct ScalePaths {
    std::string spec_replicas;
    std::string status_replicas;
    std::string label_selector;
};

/// A subresource of a kind, as discovery lists it.
struct Subresource {
    std::string name;
    std::string group;  ///< group of the kind that is sent and answered
    std::string version;
    std::string kind;
    std::vector<std::string> verbs;
};

/// A kind in one version, as paths of requests and discovery name it.
struct ResourceType {
    std::string group;  ///< "" is the core group
    std::string version;
    std::string kind;
    std::string plural;
    std::string singular;
    std::vector<std::string> short_names{};
    std::vector<std::string> categories{};
    std::vector<std::string> verbs{};
    std::vector<Subresource> subresources{};
    bool is_namespaced = true;
    bool has_status = false;
    std::optional<ScalePaths> scale{};
    /// The kind can only be created: the server answers its objects and does not store them.
    bool is_review = false;
    bool is_storage_version = true;
    std::size_t place = 0;   ///< index of the version in its CustomResourceDefinition
    bool is_custom = false;  ///< a CustomResourceDefinition defines it
    std::shared_ptr<const json::Value> schema{};  ///< openAPIV3Schema; nullptr allows anything
    std::shared_ptr<const Schema> structure{};    ///< the schema, compiled
    std::shared_ptr<const cel::RuleSet> rules{};  ///< nullptr if the schema has no CEL rules
    /// Columns of tables; the name, if it is one of them, comes first.
    std::vector<PrinterColumn> columns{};
    /// The resourceVersion up to which stored objects may lack defaults of the schema.
    std::int64_t shaped_at = 0;
    std::vector<std::string> selectable_fields{};  ///< as in `.spec.queueName`
    /// `spec.conversion.webhook` of a custom kind: the webhook that converts objects into another
    /// version. nullptr if conversion changes only apiVersion.
    std::shared_ptr<const json::Value> conversion{};

    /// The warning with each answer about the kind in this version; empty if it is not deprecated.
    std::string deprecation{};

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    /// Returns "jobs.batch", or "pods" for the core group.
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
    /// Returns "Job.batch", or "Pod" for the core group.
    std::string qualified_kind() const { return group.empty() ? kind : kind + "." + group; }
    std::string list_kind() const { return kind + "List"; }
};

/// All kinds that the server serves.
class ResourceTable {
  public:
    using TypePointer = std::shared_ptr<const ResourceType>;

    /// Constructs a table that contains the built-in kinds of Kubernetes.
    ResourceTable();

    /// Adds a kind in one version; replaces the same resource of the same version.
    void add(ResourceType type);
    /// Removes a resource of a group in all versions.
    void remove(std::string_view group, std::string_view plural);
    /// Returns nullptr if the group does not have that resource in that version.
    TypePointer find(std::string_view group, std::string_view version, std::string_view plural)
        const;
    /// Returns nullptr if the group does not have that kind in that version.
    TypePointer find_kind(std::string_view group, std::string_view version, std::string_view kind)
        const;
    /// Returns the storage version of the resource; nullptr if the resource is unknown.
    TypePointer find_stored(std::string_view group, std::string_view plural) const;
    /// Returns the types by which the same objects are read and written, including `type`, in the
    /// order in which the API server considers them.
    std::vector<TypePointer> equivalents(const ResourceType& type) const;
    /// Returns all types, ordered by group, then by version, then by plural.
    std::vector<TypePointer> all() const;
    /// Returns the versions of a group in order of preference; empty if the group is unknown.
    std::vector<std::string> versions(std::string_view group) const;

  private:
    using Key = std::pair<std::string, std::string>;  ///< group, plural
    std::map<Key, std::vector<TypePointer>> types_;   ///< versions in the order of preference
};

/// Returns true if version `a` is preferred to `b`: v2, v1, v1beta2, v1beta1, v1alpha1, others.
bool is_preferred(std::string_view a, std::string_view b);

}  // namespace sluice::apiserver
