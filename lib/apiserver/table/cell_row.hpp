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

/// Reads what cells show out of one object.
class Row {
  public:
    Row(const json::Value& object, Time now) : object_(object), now_(now) {}

    const json::Value& at(std::initializer_list<std::string_view> path) const {
        static const json::Value kNull;
        const json::Value* found = object_.find_path(path);
        return found == nullptr ? kNull : *found;
    }
    std::string text(
        std::initializer_list<std::string_view> path, std::string_view otherwise = "<none>"
    ) const {
        const json::Value& value = at(path);
        if (value.is_null() || (value.is_string() && value.as_string().empty())) {
            return std::string(otherwise);
        }
        return value.is_string() ? value.as_string() : json::print(value);
    }
    std::int64_t number(std::initializer_list<std::string_view> path, std::int64_t otherwise = 0)
        const {
        const json::Value& value = at(path);
        return value.is_int() ? value.as_int() : otherwise;
    }
    std::string name() const { return text({"metadata", "name"}, ""); }
    std::string created() const { return text({"metadata", "creationTimestamp"}, ""); }
    std::string age() const { return age_since(created(), now_); }
    std::string since(std::initializer_list<std::string_view> path) const {
        return age_since(text(path, ""), now_);
    }
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

/// With commas between them.
std::string join(const std::vector<std::string>& texts);
/// The member of that name of each item of a list.
std::vector<std::string> each(const json::Value& list, std::string_view name);
/// `a=b,c=d`; <none> where it is empty.
std::string map_text(const json::Value& map);
/// A label selector in the form in which it is asked for.
std::string selector_text(const json::Value& selector);

}  // namespace sluice::apiserver
