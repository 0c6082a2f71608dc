#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sluice::log {

enum class Level : std::uint8_t { Debug, Info, Warning, Error, Off };

/// One key=value pair of a log line; values are formatted when the pair is made.
struct Field {
    template <class T>
    Field(std::string_view k, const T& v) : key(k), value(fmt::format("{}", v)) {}
    std::string_view key;
    std::string value;
};

/// Lines below this level are not written. Thread: may be called from any.
void set_level(Level level);

/// The phrase and the pairs as one line without its end. Values with blanks, quotes, "=" or
/// anything unprintable are quoted; what is unprintable is written in letters wherever it stands
/// (base/printable.hpp), so that no name or message forges a line or moves a terminal's cursor.
std::string format_line(std::string_view phrase, std::span<const Field> fields);

/// How lines are written: spdlog's pattern, and what makes of phrase and pairs the `%v` in it.
struct Format {
    const char* pattern;
    std::string (*format_line)(std::string_view phrase, std::span<const Field> fields);
};

/// Lines are written so from now on. Requires: no other thread writes yet.
void set_format(const Format& format);

/// Writes one line to stderr; unless told otherwise: time, level, the fixed phrase, then the pairs
/// as format_line has them. Thread: may be called from any. Never pass secrets.
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
