// The only file that compiles Boost.Process; CMakeLists.txt says how.
#include "net/loop/child_process.hpp"

#include "net/loop/with_timeout.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/process/v2/default_launcher.hpp>
#include <boost/process/v2/environment.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/src.hpp>
#include <boost/process/v2/stdio.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace sluice::net {

namespace asio = boost::asio;
namespace process = boost::process::v2;

namespace {

/// Returns this process's environment, with the variables in `given` added or replaced.
std::vector<std::string> merged_environment(const std::vector<std::string>& given) {
    std::vector<std::string> merged = given;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view own = *entry;
        const std::string_view name = own.substr(0, own.find('=') + 1);
        const bool is_given = std::ranges::any_of(given, [name](const std::string& other) {
            return other.starts_with(name);
        });
        if (!is_given) {
            merged.emplace_back(own);
        }
    }
    return merged;
}

std::string find_program(const std::string& command) {
    if (command.find('/') != std::string::npos) {
        return command;
    }
    return process::environment::find_executable(command).string();
}

asio::awaitable<Result<ChildResult>> run(ChildProcess child) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const std::string program = find_program(child.command);
    if (program.empty()) {
        co_return Error{ErrorCode::NotFound, child.command + ": not found in PATH", {}};
    }
    const auto executor = co_await asio::this_coro::executor;
    asio::readable_pipe output(executor);
    const std::vector<std::string> environment = merged_environment(child.environment);
    boost::system::error_code error;
    // The destructor of `running` kills a process that has not ended.
    process::process running = process::default_process_launcher()(
        executor,
        error,
        program,
        child.arguments,
        process::process_stdio{nullptr, output, {}},
        process::process_environment(environment)
    );
    if (error) {
        const bool is_missing = error == boost::system::errc::no_such_file_or_directory;
        co_return Error{
            is_missing ? ErrorCode::NotFound : ErrorCode::Unavailable,
            fmt::format("{}: {}", child.command, error.message()),
            {}
        };
    }
    ChildResult result;
    auto buffer = asio::dynamic_buffer(result.output, child.output_bytes_max + 1);
    co_await asio::async_read(
        output, std::move(buffer), asio::redirect_error(asio::use_awaitable, error)
    );
    if (result.output.size() > child.output_bytes_max) {
        co_return Error{
            ErrorCode::Invalid,
            fmt::format("{}: prints more than {} bytes", child.command, child.output_bytes_max),
            {}
        };
    }
    if (error == asio::error::operation_aborted) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    result.exit_code =
        co_await running.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    co_return result;
}

}  // namespace

asio::awaitable<Result<ChildResult>> run_child(ChildProcess child, Duration limit) {
    std::string command = child.command;
    auto work = run(std::move(child));
    auto result = co_await with_timeout(std::move(work), limit);
    if (!result && result.error().code == ErrorCode::Timeout) {
        co_return with_context(result.error(), command);
    }
    co_return result;
}

}  // namespace sluice::net
