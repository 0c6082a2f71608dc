// Runs a program to its end and returns its output.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::net {

/// A program to run.
struct ChildProcess {
    std::string command;  ///< a path, or a name that is looked up in this process's PATH
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  ///< NAME=value, adds to or overrides this process's
    std::size_t output_bytes_max = std::size_t{1024} * 1024;
};

struct ChildResult {
    int exit_code = 0;
    std::string output;  ///< its standard output
};

/// Runs a program to its end. Its standard input is empty; its standard error is this process's.
/// Errors: NotFound if the program does not exist; Unavailable if it cannot be started; Invalid if
/// it prints more than `output_bytes_max`; Timeout after `limit`; Canceled. After Timeout or
/// Canceled, the program is killed.
boost::asio::awaitable<Result<ChildResult>> run_child(ChildProcess child, Duration limit);

}  // namespace sluice::net
