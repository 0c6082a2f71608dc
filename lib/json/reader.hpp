// Reads a JSON document and passes its events to a handler, with limits on depth and size.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::json {

/// The largest document that is accepted. Parsing fails with Invalid if a limit is exceeded.
struct Limits {
    /// The deepest nesting of objects and arrays.
    std::size_t depth = 128;
    std::size_t bytes = std::size_t{256} * 1024 * 1024;
};

/// Receives the events of a document while it is read. If an event returns false, reading stops and
/// fails with the handler's error().
class Handler {
  public:
    Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    virtual ~Handler() = default;
    virtual bool on_null() = 0;
    virtual bool on_bool(bool value) = 0;
    virtual bool on_int(std::int64_t value) = 0;
    virtual bool on_double(double value) = 0;
    virtual bool on_string(std::string_view value) = 0;
    virtual bool on_start_object() = 0;
    virtual bool on_key(std::string_view key) = 0;
    virtual bool on_end_object() = 0;
    virtual bool on_start_array() = 0;
    virtual bool on_end_array() = 0;
    /// Returns the reason why an event returned false.
    virtual Error error() const = 0;
};

/// Reads one document and sends its events to the handler. Only white space may follow the
/// document. Errors: Invalid with the byte offset if the text is malformed or exceeds a limit; the
/// handler's error().
Result<void> read(std::string_view text, Handler& handler, const Limits& limits = {});

/// The first fault of a JSON text.
struct Fault {
    std::size_t offset = 0;  ///< in bytes from the beginning of the text
    std::string what;
};
/// Returns the first fault of the JSON value at the beginning of the text: bad syntax, or nesting
/// beyond the limit. Ignores text after the value. nullopt if the value has no fault.
std::optional<Fault> find_fault(std::string_view text, const Limits& limits = {});

}  // namespace sluice::json
