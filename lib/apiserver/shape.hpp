#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// How a list is merged (x-kubernetes-list-type).
struct ListShape {
    enum class Type : std::uint8_t { Atomic, Set, Map };
    Type type = Type::Atomic;
    std::vector<std::string> keys{};  ///< of a Map
};

/// Where a value of an object stands in the schema of its kind, as far as it has one. Lists of
/// metadata and of Kubernetes' own kinds are known by the names of their fields.
class Shape {
  public:
    /// Of a whole object. `schema`: null where there is none. Lifetime: that of the schema.
    explicit Shape(const json::Value* schema) : schema_(schema) {}

    /// Of the member of an object, and of the elements of a list.
    Shape member(std::string_view name) const;
    Shape element() const;

    ListShape list() const;
    /// The object is replaced as a whole (x-kubernetes-map-type: atomic).
    bool is_atomic_object() const;

  private:
    Shape(const json::Value* schema, std::string_view field, bool is_builtin)
        : schema_(schema), field_(field), is_builtin_(is_builtin) {}

    const json::Value* schema_ = nullptr;
    std::string_view field_{};
    bool is_builtin_ = true;  ///< no schema says anything here
};

}  // namespace sluice::apiserver
