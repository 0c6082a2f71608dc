// Decodes JSON into typed objects and prints them, by the tables of fields.
#pragma once

#include "api/meta/type_info.hpp"
#include "base/error.hpp"
#include "json/reader.hpp"
#include "json/value.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::api {

/// Shares one copy of equal texts, and one object of equal objects. Thousands of Workloads repeat a
/// few pod templates.
class Interner {
  public:
    /// Returns the shared copy of the text. Texts that nothing else refers to are dropped from time
    /// to time.
    std::shared_ptr<const std::string> intern(std::string text);
    std::size_t size() const { return texts_.size(); }

    /// Returns the object that was added for the type and text; nullptr if it was not added.
    std::shared_ptr<const void> find(const TypeInfo& type, std::string_view text) const;
    /// Adds an object under its type and text. Requires: find() returns nullptr for them.
    void add(
        const TypeInfo& type,
        std::shared_ptr<const std::string> text,
        std::shared_ptr<const void> object
    );

    /// Returns the object of one of the last remembered values if that value is identical; nullptr
    /// otherwise. It saves printing the value for find().
    std::shared_ptr<const void> recall(const TypeInfo& type, const json::Value& value) const;
    /// Remembers the object of a value for recall(). Only the last few values are kept.
    void remember(
        const TypeInfo& type, const json::Value& value, std::shared_ptr<const void> object
    );

  private:
    struct Recent {
        const TypeInfo* type = nullptr;
        json::Value value;
        std::shared_ptr<const void> object;
    };
    struct Object {
        std::shared_ptr<const std::string> text;
        std::shared_ptr<const void> object;
    };
    struct Less {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            return view(a) < view(b);
        }
        static std::string_view view(const std::shared_ptr<const std::string>& p) { return *p; }
        static std::string_view view(std::string_view s) { return s; }
    };
    void drop_unused();

    std::set<std::shared_ptr<const std::string>, Less> texts_;
    std::map<const TypeInfo*, std::unordered_map<std::string_view, Object>> objects_;
    std::size_t next_sweep_ = 1024;
    std::array<Recent, 4> recent_;
    std::size_t oldest_recent_ = 0;
};

struct DecodeOptions {
    json::Limits limits;
    Interner* interner = nullptr;
};

/// Reads JSON events directly into the object that `type` describes. Unknown fields are ignored and
/// null counts as absent, as in Kubernetes. Errors: Invalid with the path of the field.
Result<void> decode_into(
    const TypeInfo& type, void* object, std::string_view json, const DecodeOptions& options = {}
);
Result<void> decode_into(
    const TypeInfo& type, void* object, const json::Value& value, const DecodeOptions& options = {}
);
/// Appends the object as JSON: apiVersion and kind first. Zero fields are omitted unless they are
/// required.
void encode_to(const TypeInfo& type, const void* object, std::string& out);

/// Returns an object from its JSON. Example: `auto queue = api::decode<api::ClusterQueue>(text);`
template <class T>
Result<T> decode(std::string_view json, const DecodeOptions& options = {}) {
    T object{};
    if (auto done = decode_into(type_of<T>(), &object, json, options); !done) {
        return done.error();
    }
    return object;
}

/// Returns an object from its JSON value. Errors: as decode().
template <class T>
Result<T> from_value(const json::Value& value, const DecodeOptions& options = {}) {
    T object{};
    if (auto done = decode_into(type_of<T>(), &object, value, options); !done) {
        return done.error();
    }
    return object;
}

/// Returns the object as JSON text, as encode_to() prints it.
template <class T>
std::string encode(const T& object) {
    std::string out;
    encode_to(type_of<T>(), &object, out);
    return out;
}

/// Returns the object as a JSON value, for patches and other output formats.
json::Value to_value(const TypeInfo& type, const void* object);
template <class T>
json::Value to_value(const T& object) {
    return to_value(type_of<T>(), &object);
}

}  // namespace sluice::api
