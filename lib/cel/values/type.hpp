// The type of a CEL expression.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The kinds of types that a checked expression may have.
enum class Kind : std::uint8_t {
    Error,  ///< of a part with a fault; matches every type, so that one fault causes one error
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    List,
    Map,
    Object,
    Type,
    Optional,
    Opaque,  ///< known only by its name: URLs
    Parameter,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// A type: its kind, its parameters, and the name and fields of an object type.
struct Type {
    Kind kind = Kind::Error;
    std::string name;                       ///< for an object, opaque type or parameter
    std::vector<TypePtr> parameters;        ///< for a list, map, optional or type
    std::map<std::string, TypePtr> fields;  ///< for an object, by their escaped names
    int variable = -1;                      ///< for a parameter: its number during checking
    /// The largest number of items, entries or bytes of a schema's value, for cost estimates. 0 for
    /// types that do not come from a schema.
    std::int64_t max_elements = 0;
    /// The length of a value's shortest JSON, in bytes.
    std::int64_t min_size = 0;
};

/// Returns the type of a kind without parameters; always the same object.
const TypePtr& simple_type(Kind kind);

TypePtr make_list_type(TypePtr item);
TypePtr make_map_type(TypePtr key, TypePtr value);
TypePtr make_optional_type(TypePtr value);
/// Makes the type of a type, which `type(x)` has.
TypePtr make_type_type(TypePtr of);
TypePtr make_opaque_type(std::string name);

/// Returns true if kind, name and parameters are equal.
bool is_same_type(const Type& a, const Type& b);

/// Returns the name of a type for error messages. An object type is named by its path in the
/// schema; the leading `scope` of the path becomes `selfType`.
std::string print_type(const Type& type, std::string_view scope);

/// Parses a type in the form of the function tables: `list(A)`, `map(string, dyn)`, `int`.
/// Requires: valid text, because it comes from the program itself.
TypePtr parse_type(std::string_view text);

}  // namespace sluice::cel
