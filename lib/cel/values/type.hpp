#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The kinds of types that an expression may have when it is checked.
enum class Kind : std::uint8_t {
    Error,  ///< of a part that has a fault already; fits everywhere, so that one fault is one error
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
    Opaque,  ///< known by its name alone: URLs
    Parameter,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// A type: its kind, the types it is made of, and of an object its name and fields.
struct Type {
    Kind kind = Kind::Error;
    std::string name;                       ///< of an object, an opaque type or a parameter
    std::vector<TypePtr> parameters;        ///< of a list, map, optional or type
    std::map<std::string, TypePtr> fields;  ///< of an object, by their escaped names
    int variable = -1;                      ///< of a parameter: its number while checking
    /// How many items, entries or bytes a value of the schema may have; what stands for it in the
    /// estimate of costs. Types that come from no schema have none.
    std::int64_t max_elements = 0;
    /// How many bytes the shortest JSON of it has.
    std::int64_t min_size = 0;
};

/// The type of that kind, without parameters: one object for all its uses.
const TypePtr& simple_type(Kind kind);

TypePtr make_list_type(TypePtr item);
TypePtr make_map_type(TypePtr key, TypePtr value);
TypePtr make_optional_type(TypePtr value);
/// The type of a type, which `type(x)` has.
TypePtr make_type_type(TypePtr of);
TypePtr make_opaque_type(std::string name);

/// The same kind, name and parameters.
bool is_same_type(const Type& a, const Type& b);

/// The name that error messages give a type. Objects are named by their path in the schema; the
/// leading `scope` of such a name becomes `selfType`.
std::string print_type(const Type& type, std::string_view scope);

/// Reads a type as the table of functions writes it: `list(A)`, `map(string, dyn)`, `int`.
/// Requires: correct text; it comes from the program itself.
TypePtr parse_type(std::string_view text);

}  // namespace sluice::cel
