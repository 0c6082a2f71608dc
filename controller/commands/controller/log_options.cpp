#include "controller/commands/controller/log_options.hpp"

#include "base/log.hpp"
#include "json/log_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

/// Converts to lower case: controller-runtime ignores the case of its option values.
std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/// Returns the level of `--zap-log-level`, which Kueue's chart passes: a zap level by name, or a
/// verbosity; from 4 on, messages about single objects are logged. Requires: `text` is in lower
/// case.
std::optional<log::Level> parse_zap_level(std::string_view text) {
    if (text == "debug") {
        return log::Level::Debug;
    }
    if (text == "info") {
        return log::Level::Info;
    }
    if (text == "error" || text == "panic") {
        return log::Level::Error;
    }
    int verbosity = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), verbosity);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || verbosity < 1) {
        return std::nullopt;
    }
    return verbosity < 4 ? log::Level::Info : log::Level::Debug;
}

std::optional<log::Level> parse_level(std::string_view text) {
    constexpr std::pair<std::string_view, log::Level> kLevels[] = {
        {"debug", log::Level::Debug},
        {"info", log::Level::Info},
        {"warning", log::Level::Warning},
        {"error", log::Level::Error},
        {"off", log::Level::Off},
    };
    for (const auto& [name, level] : kLevels) {
        if (name == text) {
            return level;
        }
    }
    return std::nullopt;
}

/// Checks the zap options that have no effect. Errors: Invalid, with the option, for a value that
/// Kueue would reject.
Result<void> check_zap_words(const LogOptions& options) {
    constexpr std::string_view kLevels[] = {"info", "error", "panic"};
    constexpr std::string_view kEncodings[] = {
        "epoch", "millis", "nano", "iso8601", "rfc3339", "rfc3339nano"
    };
    const std::string level = lower(options.zap_stacktrace_level);
    if (!level.empty() && std::ranges::find(kLevels, level) == std::end(kLevels)) {
        return make_invalid("--zap-stacktrace-level: must be info, error or panic: " + level);
    }
    const std::string& encoding = options.zap_time_encoding;
    if (!encoding.empty() && std::ranges::find(kEncodings, encoding) == std::end(kEncodings)) {
        return make_invalid(fmt::format(
            "--zap-time-encoding: must be one of {}: {}", fmt::join(kEncodings, ", "), encoding
        ));
    }
    return {};
}

}  // namespace

Result<void> set_up_log(const LogOptions& options) {
    const std::string& encoder = options.zap_encoder;
    if (options.log_format != "text" && options.log_format != "json") {
        return make_invalid("--log-format: must be text or json: " + options.log_format);
    }
    if (!encoder.empty() && encoder != "console" && encoder != "json") {
        return make_invalid("--zap-encoder: must be console or json: " + encoder);
    }
    if (options.log_format == "json" || encoder == "json") {
        log::set_format(json::json_log_format());
    }
    if (const auto checked = check_zap_words(options); !checked) {
        return checked.error();
    }
    const bool is_devel = options.zap_devel && options.zap_level.empty();
    const auto level = is_devel                    ? log::Level::Debug
                       : options.zap_level.empty() ? parse_level(options.log_level)
                                                   : parse_zap_level(lower(options.zap_level));
    if (!level) {
        return make_invalid(
            options.zap_level.empty()
                ? "--log-level: must be debug, info, warning, error or off: " + options.log_level
                : "--zap-log-level: must be debug, info, error, panic or a whole number above 0: " +
                      options.zap_level
        );
    }
    log::set_level(*level);
    return {};
}

}  // namespace sluice::commands
