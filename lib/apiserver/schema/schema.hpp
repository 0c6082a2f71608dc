// OpenAPI v3 schemas of kinds, compiled.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {
class Regex;
}

namespace sluice::apiserver {

class Schema;

/// Schemas that are nested more deeply are refused.
inline constexpr int kSchemaDepthMax = 128;

/// A declared member of an object.
struct SchemaProperty {
    std::string name;
    const Schema* schema = nullptr;
    bool required = false;
};

/// One node of a compiled OpenAPI v3 schema. Nodes are immutable and live as long as the shared
/// pointer that compile_schema() returned. The schema of a built-in kind may contain itself.
class Schema {
  public:
    enum class Type : std::uint8_t { Any, Object, Array, String, Integer, Number, Boolean };
    enum class ListType : std::uint8_t { Atomic, Set, Map };
    enum class MapType : std::uint8_t { Granular, Atomic };

    Type type = Type::Any;
    bool nullable = false;
    bool is_quantity = false;    ///< resource.Quantity of the built-in kinds
    bool int_or_string = false;  ///< x-kubernetes-int-or-string, or the format int-or-string
    bool preserves_unknown_fields = false;
    bool is_embedded_resource = false;
    /// True for the schema of a built-in kind: Go's zero values apply, and not the pruning rules of
    /// CRDs.
    bool is_builtin = false;

    /// The Go type of a part of a built-in kind, as messages name it: v1.Container.
    std::string go_type;

    std::vector<SchemaProperty> properties;  ///< sorted by name
    /// Indices into `properties`, ordered by the length of the name, then by the name.
    std::vector<std::uint32_t> by_length;
    std::vector<std::string> required;  ///< in the order of the schema
    /// The schema of members that are not in `properties`; nullptr if the schema has none, see
    /// allows_any_member.
    const Schema* additional_properties = nullptr;
    bool allows_any_member = false;      ///< additionalProperties: true, of a built-in kind
    bool forbids_other_members = false;  ///< additionalProperties: false, of a CRD
    const Schema* items = nullptr;

    ListType list_type = ListType::Atomic;
    bool has_list_type = false;  ///< x-kubernetes-list-type is set
    std::vector<std::string> list_map_keys;
    MapType map_type = MapType::Granular;
    bool merges_on_patch = false;         ///< x-kubernetes-patch-strategy contains merge
    bool replaces_keys_on_patch = false;  ///< x-kubernetes-patch-strategy contains retainKeys
    std::string patch_merge_key;

    std::optional<json::Value> default_value;
    std::vector<json::Value> enumeration;
    std::string format;
    std::string pattern;
    std::shared_ptr<const cel::Regex> compiled_pattern;
    std::optional<double> minimum;
    std::optional<double> maximum;
    bool exclusive_minimum = false;
    bool exclusive_maximum = false;
    std::optional<double> multiple_of;
    std::optional<std::int64_t> min_length;
    std::optional<std::int64_t> max_length;
    std::optional<std::int64_t> min_items;
    std::optional<std::int64_t> max_items;
    std::optional<std::int64_t> min_properties;
    std::optional<std::int64_t> max_properties;
    bool unique_items = false;
    std::vector<const Schema*> all_of;
    std::vector<const Schema*> any_of;
    std::vector<const Schema*> one_of;
    const Schema* negated = nullptr;  ///< not

    /// x-kubernetes-validations as written (a list), or null.
    json::Value validations;

    /// Returns the property of that name; nullptr if the schema does not declare it. Cost:
    /// logarithmic; only names of the same length are compared.
    const SchemaProperty* property(std::string_view name) const;
    /// Returns the schema of the member of that name: a property, else additional_properties, else
    /// nullptr.
    const Schema* member(std::string_view name) const;
};

/// Compiles the structural schema of a CRD's version (spec.versions[].schema.openAPIV3Schema).
/// Errors: Invalid for a value that is not a schema, or for a schema that is too deep or too large;
/// check_structural() lists all faults of a schema.
Result<std::shared_ptr<const Schema>> compile_schema(const json::Value& open_api_v3_schema);

/// Compiles the component `name` of an OpenAPI v3 document's `components.schemas` and all
/// components that it refers to. Errors: Invalid for an unknown reference.
Result<std::shared_ptr<const Schema>> compile_component(
    const json::Value& components, std::string_view name
);

/// Returns the schema of metav1.ObjectMeta, for kinds whose own schema does not describe
/// `metadata`.
const Schema& object_meta_schema();

/// Returns Go's zero value of a built-in kind as the API server prints it, which contains only the
/// members that are always printed. Returns an empty object for the schema of a CRD.
json::Value zero_object(const Schema& schema);

}  // namespace sluice::apiserver
