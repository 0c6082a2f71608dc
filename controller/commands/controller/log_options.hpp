// Log level and format from the command line, including zap's options.
#pragma once

#include "base/error.hpp"

#include <string>

namespace sluice::commands {

/// Log options: Sluice's own, and those of zap that Kueue's chart passes.
struct LogOptions {
    std::string log_level = "info";
    std::string log_format = "text";
    std::string zap_level;
    std::string zap_encoder;
    bool zap_devel = false;
    std::string zap_stacktrace_level;
    std::string zap_time_encoding;
};

/// Applies the options to all later log lines. Errors: Invalid, with the option.
Result<void> set_up_log(const LogOptions& options);

}  // namespace sluice::commands
