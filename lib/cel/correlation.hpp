#pragma once

#include "cel/schema.hpp"
#include "json/value.hpp"

namespace sluice::cel {

/// A part of an object and what it was before an update. Without `old` there is no such part: it
/// is new, or of a list whose items cannot be told apart.
struct Correlation {
    const json::Value* value = nullptr;
    const json::Value* old = nullptr;
    const Schema* schema = nullptr;

    bool is_known() const { return old != nullptr; }
    Correlation member(std::string_view name) const;
    Correlation item(std::size_t index) const;
    /// Whether the part is what it was. Members that the schema does not know make a difference.
    bool is_unchanged() const;
};

/// The item of the old list with the same keys; nullptr when there is none, or the list is none of
/// list type map.
const json::Value* find_old_item(
    const Schema& list, const json::Value& item, const json::Value* old_list
);

}  // namespace sluice::cel
