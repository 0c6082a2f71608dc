// Writes a JSON document to a string, one call for each value or key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::json {

/// Appends one JSON document to a string, call by call, and inserts the commas. Requires: the calls
/// form a document (one value after every key).
class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}

    void null();
    void boolean(bool value);
    void integer(std::int64_t value);
    void number(double value);  ///< writes infinities and NaN, which JSON lacks, as null
    void string(std::string_view value);
    void start_object();
    void key(std::string_view value);
    void end_object();
    void start_array();
    void end_array();
    /// Writes text that is already a JSON value.
    void raw(std::string_view json);

  private:
    void before_value();
    std::string& out_;
    bool need_comma_ = false;
};

/// Appends the text as a JSON string, quoted and escaped.
void append_quoted(std::string& out, std::string_view text);

/// Escapes <, >, & and the separators U+2028 and U+2029 in a JSON document, as Go's encoder does.
/// In valid JSON they occur only inside strings.
std::string escape_as_go(std::string_view document);

}  // namespace sluice::json
