// Tables of fields that describe C++ types at run time, for the codec and the CRD schemas.
#pragma once

#include "api/meta/micro_time.hpp"
#include "api/meta/quantity.hpp"
#include "base/clock.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// The form of a type's JSON, which also says how its C++ value is reached.
enum class Shape : std::uint8_t {
    Bool,
    Int32,
    Int64,
    String,
    Time,
    MicroTime,
    Quantity,
    Json,  ///< any value, stored as text
    Object,
    List,
    Map,  ///< with strings as keys
    Optional,
    Shared,  ///< an object that several values can share
};

struct TypeInfo;
/// Types are referenced through functions, so that tables can refer to each other in any order.
using TypeRef = const TypeInfo& (*)();

/// The text of a JSON value that Sluice passes on without reading it. Equal texts may share one
/// copy.
class RawJson {
  public:
    RawJson() = default;
    explicit RawJson(std::string text)
        : text_(std::make_shared<const std::string>(std::move(text))) {}
    explicit RawJson(std::shared_ptr<const std::string> text) : text_(std::move(text)) {}

    bool empty() const { return !text_ || text_->empty(); }
    std::string_view view() const { return text_ ? std::string_view(*text_) : std::string_view(); }

    /// Returns true for equal documents: the order of members does not matter.
    friend bool operator==(const RawJson& a, const RawJson& b);

  private:
    std::shared_ptr<const std::string> text_;
};

/// One row of a type's table: the JSON name, access to the member, and the CRD schema of the field.
/// The cells `v1beta2` and `v1beta1` have the schema's constraints in the notation of
/// `schema_cell.hpp`.
struct Field {
    std::string_view name;
    TypeRef type = nullptr;  ///< null if only a v1beta1 schema has the field
    /// Returns the address of the member in the object.
    const void* (*get)(const void* object) = nullptr;
    void* (*mutable_get)(void* object) = nullptr;
    std::string_view v1beta2;
    std::string_view v1beta1;
    std::string_view doc;
    std::vector<Field> children;  ///< the fields of an object that only v1beta1 has
    bool always_print = false;    ///< printed even if zero
};

/// Called for each element of a list, entry of a map (with its key), or value of an optional or
/// shared.
using Visit = void (*)(void* context, std::string_view key, const void* item);

/// Describes one C++ type at run time, so that one decoder, one printer and one schema generator
/// serve all types.
struct TypeInfo {
    Shape shape = Shape::Object;
    std::vector<Field> fields;  ///< fields of an object, in printing order
    std::string_view kind;      ///< set for an object that is a Kubernetes kind
    std::string_view api_version;
    TypeRef item = nullptr;  ///< element type of a list, map, optional or shared
    /// Adds a new element, entry or value to the container and returns its address.
    void* (*add)(void* container, std::string_view key) = nullptr;
    /// Removes all elements of the container.
    void (*clear)(void* container) = nullptr;
    /// Calls `visit` for each element, entry or value.
    void (*each)(const void* container, void* context, Visit visit) = nullptr;
    /// Only for a shared object: returns an empty object; makes `shared` refer to an object.
    std::shared_ptr<void> (*make_shared)() = nullptr;
    void (*set_shared)(void* shared, std::shared_ptr<const void> value) = nullptr;
    /// Only for an object that stores its whole text in addition to its fields: returns the place
    /// of the text.
    RawJson* (*raw)(void* object) = nullptr;
    const RawJson* (*const_raw)(const void* object) = nullptr;
    std::string_view schema_file;  ///< file that has the schema; empty if the fields define it

    /// Returns the field with that JSON name; nullptr if it is unknown.
    const Field* find(std::string_view name) const;
};

/// A struct with a table of fields: `static const TypeInfo& type();`.
template <class T>
concept Described = requires {
    { T::type() } -> std::same_as<const TypeInfo&>;
};

/// The description of a type that is not one of Sluice's structs.
template <class T>
struct Builtin;

/// Returns the description of any type that a table can refer to.
template <class T>
const TypeInfo& type_of() {
    if constexpr (Described<T>) {
        return T::type();
    } else {
        return Builtin<T>::type();
    }
}

template <>
struct Builtin<bool> {
    static const TypeInfo& type();
};
template <>
struct Builtin<std::int32_t> {
    static const TypeInfo& type();
};
template <>
struct Builtin<std::int64_t> {
    static const TypeInfo& type();
};
template <>
struct Builtin<std::string> {
    static const TypeInfo& type();
};
template <>
struct Builtin<Time> {
    static const TypeInfo& type();
};
template <>
struct Builtin<MicroTime> {
    static const TypeInfo& type();
};
template <>
struct Builtin<Quantity> {
    static const TypeInfo& type();
};
template <>
struct Builtin<RawJson> {
    static const TypeInfo& type();
};

template <class T>
struct Builtin<std::vector<T>> {
    static const TypeInfo& type() {
        using List = std::vector<T>;
        static const TypeInfo kInfo{
            .shape = Shape::List,
            .item = &type_of<T>,
            .add = [](void* list, std::string_view) -> void* {
                return &static_cast<List*>(list)->emplace_back();
            },
            .clear = [](void* list) { static_cast<List*>(list)->clear(); },
            .each =
                [](const void* list, void* context, Visit visit) {
                    for (const T& item : *static_cast<const List*>(list)) {
                        visit(context, {}, &item);
                    }
                },
        };
        return kInfo;
    }
};

template <class T>
struct Builtin<std::map<std::string, T>> {
    static const TypeInfo& type() {
        using Map = std::map<std::string, T>;
        static const TypeInfo kInfo{
            .shape = Shape::Map,
            .item = &type_of<T>,
            .add = [](void* map, std::string_view key) -> void* {
                return &(*static_cast<Map*>(map))[std::string(key)];
            },
            .clear = [](void* map) { static_cast<Map*>(map)->clear(); },
            .each =
                [](const void* map, void* context, Visit visit) {
                    for (const auto& [key, item] : *static_cast<const Map*>(map)) {
                        visit(context, key, &item);
                    }
                },
        };
        return kInfo;
    }
};

template <class T>
struct Builtin<std::optional<T>> {
    static const TypeInfo& type() {
        using Optional = std::optional<T>;
        static const TypeInfo kInfo{
            .shape = Shape::Optional,
            .item = &type_of<T>,
            .add = [](void* optional, std::string_view) -> void* {
                auto& value = *static_cast<Optional*>(optional);
                return value ? &*value : &value.emplace();
            },
            .clear = [](void* optional) { static_cast<Optional*>(optional)->reset(); },
            .each =
                [](const void* optional, void* context, Visit visit) {
                    if (const auto& value = *static_cast<const Optional*>(optional)) {
                        visit(context, {}, &*value);
                    }
                },
        };
        return kInfo;
    }
};

/// Returns true if a cell marks the field as required (R) or always printed (P).
bool is_always_printed(std::string_view cell);

/// Returns one row of a table. `v1beta1`: "=" repeats the v1beta2 cell, "-" omits the field in that
/// version.
template <auto Member>
Field field(
    std::string_view name,
    std::string_view v1beta2 = "",
    std::string_view v1beta1 = "=",
    std::string_view doc = ""
) {
    return []<class Object, class T>(
               T Object::*,
               std::string_view n,
               std::string_view v2,
               std::string_view v1,
               std::string_view d
           ) {
        return Field{
            .name = n,
            .type = &type_of<T>,
            .get = [](const void* o) -> const void* {
                return &(static_cast<const Object*>(o)->*Member);
            },
            .mutable_get = [](void* o) -> void* { return &(static_cast<Object*>(o)->*Member); },
            .v1beta2 = v2,
            .v1beta1 = v1 == "=" ? v2 : v1,
            .doc = d,
            .children = {},
            .always_print = is_always_printed(v2),
        };
    }(Member, name, v1beta2, v1beta1, doc);
}

/// Returns a row that only the v1beta1 schema has: the field is validated and converted, but never
/// decoded.
Field v1beta1_field(
    std::string_view name,
    std::string_view cell,
    std::string_view doc = "",
    std::vector<Field> children = {}
);

}  // namespace sluice::api
