// Reads the values of one object that the cells of its row show.
#pragma once

#include "apiserver/table/builtin_cells.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Reads the values that cells show from one object. Lifetime: refers to the object.
class Row {
  public:
    Row(const json::Value& object, Time now) : object_(object), now_(now) {}

    /// Returns the value at a path; null if it is missing.
    const json::Value& at(std::initializer_list<std::string_view> path) const {
        static const json::Value kNull;
        const json::Value* found = object_.find_path(path);
        return found == nullptr ? kNull : *found;
    }
    /// Returns the value at a path as text; `otherwise` if it is missing, null or "".
    std::string text(
        std::initializer_list<std::string_view> path, std::string_view otherwise = "<none>"
    ) const {
        const json::Value& value = at(path);
        if (value.is_null() || (value.is_string() && value.as_string().empty())) {
            return std::string(otherwise);
        }
        return value.is_string() ? value.as_string() : json::print(value);
    }
    /// Returns the integer at a path; `otherwise` if it is missing or not an integer.
    std::int64_t number(std::initializer_list<std::string_view> path, std::int64_t otherwise = 0)
        const {
        const json::Value& value = at(path);
        return value.is_int() ? value.as_int() : otherwise;
    }
    std::string name() const { return text({"metadata", "name"}, ""); }
    std::string created() const { return text({"metadata", "creationTimestamp"}, ""); }
    std::string age() const { return age_since(created(), now_); }
    /// Returns the time since the timestamp at a path, as tables show it.
    std::string since(std::initializer_list<std::string_view> path) const {
        return age_since(text(path, ""), now_);
    }
    /// Returns the number of items or members at a path.
    std::int64_t count(std::initializer_list<std::string_view> path) const {
        const json::Value& value = at(path);
        return value.is_array()    ? static_cast<std::int64_t>(value.as_array().size())
               : value.is_object() ? static_cast<std::int64_t>(value.as_object().size())
                                   : 0;
    }
    Time now() const { return now_; }

  private:
    const json::Value& object_;
    Time now_;
};

/// Joins the texts with commas.
std::string join(const std::vector<std::string>& texts);
/// Returns the member of that name of each item of a list.
std::vector<std::string> each(const json::Value& list, std::string_view name);
/// Prints a map as `a=b,c=d`; <none> if it is empty.
std::string map_text(const json::Value& map);
/// Prints a label selector in the form of a query parameter.
std::string selector_text(const json::Value& selector);

}  // namespace sluice::apiserver
