#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::json {

/// What a document may at most be; beyond it parsing fails with Invalid.
struct Limits {
    std::size_t depth = 128;
    std::size_t bytes = std::size_t{256} * 1024 * 1024;
};

/// Takes the events of a document while it is read. Returning false stops the reading: the reader
/// then reports the handler's own error().
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
    /// Why an event returned false.
    virtual Error error() const = 0;
};

/// Reads one document and sends its events to the handler; nothing but white space may follow it.
/// Errors: Invalid with the byte offset for malformed text or an exceeded limit; the handler's own
/// error.
Result<void> read(std::string_view text, Handler& handler, const Limits& limits = {});

struct Fault {
    std::size_t offset = 0;  ///< in bytes
    std::string what;
};
/// Where the value that the text begins with stops being JSON of that depth, and why; none: it is
/// JSON, whatever follows it.
std::optional<Fault> find_fault(std::string_view text, const Limits& limits = {});

}  // namespace sluice::json
