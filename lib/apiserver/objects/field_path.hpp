#pragma once

#include "json/value.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A step of a path into an object: a member, an item of a keyed list by its keys, an item of a set
/// by its value, or an item by its place.
struct PathElement {
    /// In the order in which elements of different classes sort.
    enum class Class : std::uint8_t { Field, Key, Value, Index };

    Class element_class = Class::Field;
    /// The member's name, or the keys, value or place as canonical JSON.
    std::string text;

    /// As FieldsV1 writes it: f:NAME, k:{…}, v:…, i:N.
    std::string encoded() const;
    /// As messages write it: .NAME, [key="value"], [="value"], [N].
    std::string printed() const;

    friend bool operator==(const PathElement&, const PathElement&) = default;
    /// Numbers in keys order by value.
    friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b);
};

using FieldPath = std::vector<PathElement>;

PathElement field_element(std::string_view name);
/// Reads what encoded() wrote; none for what is no element.
std::optional<PathElement> parse_element(std::string_view encoded);

/// The path as messages write it.
std::string printed(const FieldPath& path);

}  // namespace sluice::apiserver
