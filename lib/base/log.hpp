// Structured log lines on stderr: a fixed phrase, then key=value pairs.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sluice::log {

enum class Level : std::uint8_t { Debug, Info, Warning, Error, Off };

/// One key=value pair of a log line. The value is formatted when the pair is created.
struct Field {
    template <class T>
    Field(std::string_view k, const T& v) : key(k), value(fmt::format("{}", v)) {}
    std::string_view key;
    std::string value;
};

/// Sets the lowest level that is written. Thread: may be called from any.
void set_level(Level level);

/// Returns the phrase and the pairs as one line without a line end. Values with blanks, quotes, "="
/// or unprintable characters are quoted. Unprintable characters are escaped everywhere
/// (base/printable.hpp), so that no name or message can forge a line or move a terminal's cursor.
std::string format_line(std::string_view phrase, std::span<const Field> fields);

/// The format of log lines: spdlog's pattern, and the function that makes the pattern's `%v` from
/// the phrase and the pairs.
struct Format {
    const char* pattern;
    std::string (*format_line)(std::string_view phrase, std::span<const Field> fields);
};

/// Sets the format of all later lines. Requires: no other thread writes yet.
void set_format(const Format& format);

/// Writes one line to stderr: by default the time, the level, the fixed phrase, then the pairs as
/// format_line writes them. Thread: may be called from any. Never pass secrets.
void write(Level level, std::string_view phrase, std::span<const Field> fields);

inline void write(Level level, std::string_view phrase, std::initializer_list<Field> fields = {}) {
    write(level, phrase, std::span(fields.begin(), fields.size()));
}

inline void debug(std::string_view phrase, std::initializer_list<Field> fields = {}) {
    write(Level::Debug, phrase, fields);
}
inline void info(std::string_view phrase, std::initializer_list<Field> fields = {}) {
    write(Level::Info, phrase, fields);
}
inline void warning(std::string_view phrase, std::initializer_list<Field> fields = {}) {
    write(Level::Warning, phrase, fields);
}
inline void error(std::string_view phrase, std::initializer_list<Field> fields = {}) {
    write(Level::Error, phrase, fields);
}

}  // namespace sluice::log
