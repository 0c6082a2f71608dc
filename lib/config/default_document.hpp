// The Configuration that applies without a file, as a document.
#pragma once

#include "api/meta/meta.hpp"
#include "base/assert.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::config {

/// Returns a v1beta2 Configuration with every setting that applies without a file. Settings that
/// are off unless a file has them are omitted.
json::Value make_default_document();

/// Returns the value; null for an empty text, list or option, which a document omits.
json::Value print_value(double value);
json::Value print_value(Duration value);
json::Value print_value(const std::string& text);
json::Value print_value(const std::vector<std::string>& texts);
json::Value print_value(const api::LabelSelector& selector);

/// Returns a bool or an integer; null for a value of another type. Requires: such a value is empty,
/// as all defaults of these types are.
template <class T>
json::Value print_value(const T& value) {
    if constexpr (requires { value.empty(); }) {
        SLUICE_ASSERT(value.empty());
        return {};
    } else {
        return value;
    }
}

template <class T>
json::Value print_value(const std::optional<T>& value) {
    return value ? print_value(*value) : json::Value();
}

}  // namespace sluice::config
