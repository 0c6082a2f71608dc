// Reads JSON objects strictly; reports unknown members and wrong types with their paths.
#pragma once

#include "api/meta/meta.hpp"
#include "api/meta/quantity.hpp"
#include "base/clock.hpp"
#include "config/problem.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

/// Reads the members of one object strictly: a member that was not read is a problem. A null counts
/// as absent. A value that cannot be read is a problem and leaves its target unchanged.
class StrictReader {
  public:
    StrictReader(const json::Value& value, std::string path, Problems& problems);
    StrictReader(const StrictReader&) = delete;
    StrictReader& operator=(const StrictReader&) = delete;
    /// Reports the members that were not read.
    ~StrictReader();

    /// Returns the member of that name and marks it as known; nullptr if absent or null.
    const json::Value* take(std::string_view name);
    /// Returns the path of the member in the document.
    std::string path_of(std::string_view name) const;
    Problems& problems() { return *problems_; }

    /// Reads the member of that name into `out`. Returns true if the member is present.
    template <class T>
    bool read(std::string_view name, T& out) {
        const auto* value = take(name);
        if (value != nullptr) {
            read_value(*value, path_of(name), *problems_, out);
        }
        return value != nullptr;
    }

    /// Reads the member of that name with `read_members(StrictReader&)`. Returns true if the member
    /// is present.
    template <class ReadMembers>
    bool object(std::string_view name, ReadMembers read_members) {
        const auto* value = take(name);
        if (value != nullptr) {
            StrictReader inner(*value, path_of(name), *problems_);
            read_members(inner);
        }
        return value != nullptr;
    }

    /// Reads a list of objects with `read_members(StrictReader&, T&)` for each. Returns true if the
    /// member is present.
    template <class T, class ReadMembers>
    bool objects(std::string_view name, std::vector<T>& out, ReadMembers read_members) {
        const auto* value = take(name);
        if (value == nullptr) {
            return false;
        }
        if (!value->is_array()) {
            problems_->add(path_of(name), "must be a list");
            return true;
        }
        out.clear();
        for (std::size_t i = 0; i < value->as_array().size(); ++i) {
            StrictReader inner(value->as_array()[i], item_path(path_of(name), i), *problems_);
            read_members(inner, out.emplace_back());
        }
        return true;
    }

  private:
    using Value = json::Value;

    static std::string item_path(std::string_view path, std::size_t index);
    static std::string item_path(std::string_view path, std::string_view key);
    static void read_value(const Value&, const std::string& path, Problems&, bool&);
    static void read_value(const Value&, const std::string& path, Problems&, std::int32_t&);
    static void read_value(const Value&, const std::string& path, Problems&, double&);
    static void read_value(const Value&, const std::string& path, Problems&, std::string&);
    static void read_value(const Value&, const std::string& path, Problems&, Duration&);
    static void read_value(const Value&, const std::string& path, Problems&, api::Quantity&);
    static void read_value(const Value&, const std::string& path, Problems&, Value&);
    static void read_value(const Value&, const std::string& path, Problems&, api::LabelSelector&);

    template <class T>
    static void read_value(
        const Value& value, const std::string& path, Problems& problems, std::optional<T>& out
    ) {
        read_value(value, path, problems, out.emplace());
    }

    template <class T>
    static void read_value(
        const Value& value, const std::string& path, Problems& problems, std::vector<T>& out
    ) {
        if (!value.is_array()) {
            problems.add(path, "must be a list");
            return;
        }
        out.clear();
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            read_value(value.as_array()[i], item_path(path, i), problems, out.emplace_back());
        }
    }

    template <class T>
    static void read_value(
        const Value& value,
        const std::string& path,
        Problems& problems,
        std::map<std::string, T>& out
    ) {
        if (!value.is_object()) {
            problems.add(path, "must be an object");
            return;
        }
        for (const auto& [key, member] : value.as_object()) {
            read_value(member, item_path(path, key), problems, out[key]);
        }
    }

    const Value* value_;
    std::string path_;
    Problems* problems_;
    std::vector<std::string> known_;
};

}  // namespace sluice::config
