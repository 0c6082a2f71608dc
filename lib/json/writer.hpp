#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::json {

/// Appends one JSON document to a string as it is called; commas are its own business.
/// Requires: calls in an order that makes a document (every key followed by one value).
class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}

    void null();
    void boolean(bool value);
    void integer(std::int64_t value);
    void number(double value);  ///< infinities and NaN, which JSON lacks, are written as null
    void string(std::string_view value);
    void start_object();
    void key(std::string_view value);
    void end_object();
    void start_array();
    void end_array();
    /// Writes text that is a JSON value already.
    void raw(std::string_view json);

  private:
    void before_value();
    std::string& out_;
    bool need_comma_ = false;
};

/// Appends the text as a JSON string, quoted and escaped.
void append_quoted(std::string& out, std::string_view text);

/// A document of JSON as Go's encoder writes it: <, >, & and the separators U+2028 and U+2029,
/// which stand in its strings alone, are escaped.
std::string escape_as_go(std::string_view document);

}  // namespace sluice::json
