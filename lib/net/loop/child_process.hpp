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
    std::vector<std::string> environment;  ///< NAME=value, beside or instead of this process's own
    std::size_t output_bytes_max = std::size_t{1024} * 1024;
};

struct ChildResult {
    int exit_code = 0;
    std::string output;  ///< its standard output
};

/// Runs a program to its end, with nothing on its standard input; its standard error is this
/// process's. Errors: NotFound when there is no such program; Unavailable when it cannot be
/// started; Invalid when it prints more than `output_bytes_max`; Timeout after `limit`, and
/// Canceled: then it is killed.
boost::asio::awaitable<Result<ChildResult>> run_child(ChildProcess child, Duration limit);

}  // namespace sluice::net
