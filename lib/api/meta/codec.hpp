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

/// Gives equal texts one copy, and equal objects one shared object. Pod templates repeat a lot:
/// thousands of Workloads, a few templates.
class Interner {
  public:
    /// The shared copy of the text. Texts that nothing else holds any more are dropped now and
    /// then.
    std::shared_ptr<const std::string> intern(std::string text);
    std::size_t size() const { return texts_.size(); }

    /// The object that was added for the type and text; nullptr: none.
    std::shared_ptr<const void> find(const TypeInfo& type, std::string_view text) const;
    /// Requires: find() has none for the type and text.
    void add(
        const TypeInfo& type,
        std::shared_ptr<const std::string> text,
        std::shared_ptr<const void> object
    );

    /// The object that one of the last values to be remembered stood for, if this one is identical;
    /// nullptr: none. Saves printing it for find().
    std::shared_ptr<const void> recall(const TypeInfo& type, const json::Value& value) const;
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

/// Reads JSON events straight into the object that `type` describes. Unknown fields are ignored and
/// null is absence, as in Kubernetes. Errors: Invalid with the path of the field.
Result<void> decode_into(
    const TypeInfo& type, void* object, std::string_view json, const DecodeOptions& options = {}
);
Result<void> decode_into(
    const TypeInfo& type, void* object, const json::Value& value, const DecodeOptions& options = {}
);
/// Appends the object as JSON: apiVersion and kind first, zero fields left out unless required.
void encode_to(const TypeInfo& type, const void* object, std::string& out);

/// An object from its JSON. Example: `auto queue = api::decode<api::ClusterQueue>(text);`
template <class T>
Result<T> decode(std::string_view json, const DecodeOptions& options = {}) {
    T object{};
    if (auto done = decode_into(type_of<T>(), &object, json, options); !done) {
        return done.error();
    }
    return object;
}

template <class T>
Result<T> from_value(const json::Value& value, const DecodeOptions& options = {}) {
    T object{};
    if (auto done = decode_into(type_of<T>(), &object, value, options); !done) {
        return done.error();
    }
    return object;
}

template <class T>
std::string encode(const T& object) {
    std::string out;
    encode_to(type_of<T>(), &object, out);
    return out;
}

/// The object as a tree, for patches and output in other forms.
json::Value to_value(const TypeInfo& type, const void* object);
template <class T>
json::Value to_value(const T& object) {
    return to_value(type_of<T>(), &object);
}

}  // namespace sluice::api
