#include "base/log.hpp"

#include "base/log_common_field.hpp"
#include "base/printable.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <vector>

namespace sluice::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::Debug:
            return spdlog::level::debug;
        case Level::Info:
            return spdlog::level::info;
        case Level::Warning:
            return spdlog::level::warn;
        case Level::Error:
            return spdlog::level::err;
        case Level::Off:
            return spdlog::level::off;
    }
    return spdlog::level::info;
}

spdlog::logger& logger() {
    static const std::shared_ptr<spdlog::logger> instance = [] {
        auto made = spdlog::stderr_logger_mt("sluice");
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
        made->flush_on(spdlog::level::warn);
        return made;
    }();
    return *instance;
}

auto& line_format() {
    static auto function = &format_line;
    return function;
}

std::atomic<std::shared_ptr<const Field>>& common_field() {
    static std::atomic<std::shared_ptr<const Field>> field;
    return field;
}

bool needs_quotes(std::string_view value, std::string_view shown) {
    return value.empty() || value != shown || value.find_first_of(" \"=") != std::string_view::npos;
}

void append_value(std::string& line, std::string_view value) {
    const std::string shown = printable(value);
    if (!needs_quotes(value, shown)) {
        line += shown;
        return;
    }
    std::string escaped;
    for (const char c : value) {
        if (c == '\n') {
            escaped += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') {
            escaped += '\\';
        }
        escaped += c;
    }
    line += '"';
    line += printable(escaped);
    line += '"';
}

}  // namespace

void set_level(Level level) {
    logger().set_level(to_spdlog(level));
}

void set_format(const Format& format) {
    logger().set_pattern(format.pattern);
    line_format() = format.format_line;
}

std::string format_line(std::string_view phrase, std::span<const Field> fields) {
    std::string line = printable(phrase);
    for (const auto& field : fields) {
        line += ' ';
        line += printable(field.key);
        line += '=';
        append_value(line, field.value);
    }
    return line;
}

void set_common_field(const Field& field) {
    common_field() = std::make_shared<const Field>(field);
}

void write(Level level, std::string_view phrase, std::span<const Field> fields) {
    if (!logger().should_log(to_spdlog(level))) {
        return;
    }
    const std::shared_ptr<const Field> common = common_field();
    if (!common) {
        logger().log(to_spdlog(level), line_format()(phrase, fields));
        return;
    }
    std::vector<Field> all(fields.begin(), fields.end());
    all.push_back(*common);
    logger().log(to_spdlog(level), line_format()(phrase, all));
}

}  // namespace sluice::log
