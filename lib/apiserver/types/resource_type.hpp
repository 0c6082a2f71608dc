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

/// A column of `kubectl get`: a JSONPath of the object, or a cell that is worked out.
struct PrinterColumn {
    std::string name;
    std::string type = "string";
    std::string format{};
    std::string description{};
    std::int32_t priority = 0;
    std::string json_path{};
};

/// Where the scale subresource of a kind finds its numbers.
struct ScalePaths {
    std::string spec_replicas;
    std::string status_replicas;
    std::string label_selector;
};

/// A part of an object that has a path of its own, as discovery tells it.
struct Subresource {
    std::string name;
    std::string group;  ///< of the kind that is sent and answered
    std::string version;
    std::string kind;
    std::vector<std::string> verbs;
};

/// A kind in one version, as request paths and discovery have it.
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
    bool is_review = false;  ///< it can be created only, and is answered, not stored
    bool is_storage_version = true;
    std::size_t place = 0;                        ///< of the version in its definition
    bool is_custom = false;                       ///< a CustomResourceDefinition defines it
    std::shared_ptr<const json::Value> schema{};  ///< openAPIV3Schema; none: anything goes
    std::shared_ptr<const Schema> structure{};    ///< the same, compiled
    std::shared_ptr<const cel::RuleSet> rules{};  ///< none: nullptr; see custom_rules.hpp
    std::vector<PrinterColumn> columns{};         ///< of tables, the name the first where it is one
    /// Objects that were stored until this resourceVersion may lack defaults of the schema.
    std::int64_t shaped_at = 0;
    std::vector<std::string> selectable_fields{};  ///< as in `.spec.queueName`
    /// Of a custom kind: who turns objects into another version, its `spec.conversion.webhook`;
    /// nullptr: nothing but the version changes.
    std::shared_ptr<const json::Value> conversion{};

    /// What each answer about the kind in this version warns of; "": of nothing.
    std::string deprecation{};

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    /// "jobs.batch", or "pods" in the core group.
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
    /// "Job.batch", or "Pod" in the core group.
    std::string qualified_kind() const { return group.empty() ? kind : kind + "." + group; }
    std::string list_kind() const { return kind + "List"; }
};

/// All kinds that the server has.
class ResourceTable {
  public:
    using TypePointer = std::shared_ptr<const ResourceType>;

    /// With the built-in kinds of Kubernetes.
    ResourceTable();

    void add(ResourceType type);
    /// Removes a group's resource in all versions.
    void remove(std::string_view group, std::string_view plural);
    /// nullptr: there is none.
    TypePointer find(std::string_view group, std::string_view version, std::string_view plural)
        const;
    TypePointer find_kind(std::string_view group, std::string_view version, std::string_view kind)
        const;
    /// The version in which the resource is stored.
    TypePointer find_stored(std::string_view group, std::string_view plural) const;
    /// The types by which the same objects are read and written, the type among them, in the order
    /// in which the API server looks at them.
    std::vector<TypePointer> equivalents(const ResourceType& type) const;
    /// By group, then version, then plural.
    std::vector<TypePointer> all() const;
    /// The versions of a group in the order of preference; empty: there is no such group.
    std::vector<std::string> versions(std::string_view group) const;

  private:
    using Key = std::pair<std::string, std::string>;  ///< group, plural
    std::map<Key, std::vector<TypePointer>> types_;   ///< versions in the order of preference
};

/// Whether version `a` is preferred to `b`: v2, v1, v1beta2, v1beta1, v1alpha1, others.
bool is_preferred(std::string_view a, std::string_view b);

}  // namespace sluice::apiserver
