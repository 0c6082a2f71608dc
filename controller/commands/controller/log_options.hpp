#pragma once

#include "base/error.hpp"

#include <string>

namespace sluice::commands {

/// How lines are logged, in Sluice's options and in those of zap that Kueue's chart passes.
struct LogOptions {
    std::string log_level = "info";
    std::string log_format = "text";
    std::string zap_level;
    std::string zap_encoder;
    bool zap_devel = false;
    std::string zap_stacktrace_level;
    std::string zap_time_encoding;
};

/// Lines are logged so from now on. Errors: Invalid, naming the option.
Result<void> set_up_log(const LogOptions& options);

}  // namespace sluice::commands
