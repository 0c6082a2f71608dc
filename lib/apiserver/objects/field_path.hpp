// Paths into an object, in the forms of FieldsV1 and of messages.
#pragma once

#include "json/value.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// One step of a path into an object: a member, an item of a keyed list by its keys, an item of a
/// set by its value, or an item by its index.
struct PathElement {
    /// The kinds of elements, in the order in which they sort.
    enum class Class : std::uint8_t { Field, Key, Value, Index };

    Class element_class = Class::Field;
    /// The name of the member; the keys, the value or the index as canonical JSON.
    std::string text;

    /// Returns the element as FieldsV1 writes it: f:NAME, k:{…}, v:…, i:N.
    std::string encoded() const;
    /// Returns the element as messages write it: .NAME, [key="value"], [="value"], [N].
    std::string printed() const;

    friend bool operator==(const PathElement&, const PathElement&) = default;
    /// Orders by class, then by text; numbers in keys are ordered by value.
    friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b);
};

using FieldPath = std::vector<PathElement>;

/// Returns the element of a member.
PathElement field_element(std::string_view name);
/// Parses what encoded() returns; returns nullopt if the text is not an element.
std::optional<PathElement> parse_element(std::string_view encoded);

/// Returns the path as messages write it.
std::string printed(const FieldPath& path);

}  // namespace sluice::apiserver
