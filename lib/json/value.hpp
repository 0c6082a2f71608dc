// A JSON document as a tree, for objects whose shape is not known at build time.
#pragma once

#include "base/error.hpp"
#include "json/reader.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::json {

class Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
/// Members in the order they were written. Keys are unique: if a document repeats a key, the last
/// value wins.
using Object = std::vector<Member>;

/// A JSON document as a tree, for objects whose shape is not known at build time. An integer that
/// fits into 64 bits is kept exactly; every other number is a double.
class Value {
  public:
    Value() = default;
    Value(std::nullptr_t) {}
    Value(bool v) : data_(v) {}
    Value(int v) : data_(static_cast<std::int64_t>(v)) {}
    Value(std::int64_t v) : data_(v) {}
    Value(double v) : data_(v) {}
    Value(const char* v) : data_(std::string(v)) {}
    Value(std::string_view v) : data_(std::string(v)) {}
    Value(std::string v) : data_(std::move(v)) {}
    Value(Array v) : data_(std::move(v)) {}
    Value(Object v) : data_(std::move(v)) {}

    /// Replaces the content. Requires: `content` is not a part of this value.
    template <class T>
    void assign(T content) {
        if constexpr (std::is_same_v<T, std::nullptr_t>) {
            data_ = std::monostate();
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            data_.template emplace<std::string>(content);
        } else {
            data_.template emplace<T>(std::move(content));
        }
    }

    bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
    bool is_bool() const { return std::holds_alternative<bool>(data_); }
    bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
    bool is_double() const { return std::holds_alternative<double>(data_); }
    bool is_number() const { return is_int() || is_double(); }
    bool is_string() const { return std::holds_alternative<std::string>(data_); }
    bool is_array() const { return std::holds_alternative<Array>(data_); }
    bool is_object() const { return std::holds_alternative<Object>(data_); }

    /// Returns the content. Requires: the value has that type, as is_…() says.
    bool as_bool() const;
    std::int64_t as_int() const;
    double as_double() const;  ///< also accepts an integer
    const std::string& as_string() const;
    const Array& as_array() const;
    Array& as_array();
    const Object& as_object() const;
    Object& as_object();

    /// Returns the member with that name; nullptr if this is not an object or has no such member.
    const Value* find(std::string_view key) const;
    Value* find(std::string_view key);
    /// Returns the value at a path of member names; nullptr if it does not exist.
    const Value* find_path(std::initializer_list<std::string_view> path) const;
    /// Returns the member with that name if it is a string, else "".
    std::string_view string_at(std::string_view key) const;
    /// Sets a member, and replaces a member with the same name. A null value becomes an object
    /// first. Returns the member.
    Value& set(std::string_view key, Value value);
    /// Removes a member. Returns false if it does not exist.
    bool erase(std::string_view key);

    /// Compares content: the order of members does not matter, and integer 1 equals double 1.0.
    friend bool operator==(const Value& a, const Value& b);
    /// Returns true if both print the same text: the order of members and the types of numbers must
    /// also be equal.
    friend bool is_identical(const Value& a, const Value& b);

  private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

/// Parses one JSON document. Errors: Invalid with the byte offset if the text is malformed or
/// exceeds a limit.
Result<Value> parse(std::string_view text, const Limits& limits = {});

/// Prints compact JSON, members in their order.
std::string print(const Value& value);
/// Prints JSON with an indent of two spaces a level.
std::string print_pretty(const Value& value);
/// Prints JSON with the members of every object sorted by name. This form is canonical: equal
/// values give equal bytes.
std::string print_sorted(const Value& value, bool pretty = false);

}  // namespace sluice::json
