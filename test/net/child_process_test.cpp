#include "net/loop/child_process.hpp"

#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>

namespace sluice::test {
namespace {

using namespace std::chrono_literals;

Result<net::ChildResult> run(net::ChildProcess child, Duration limit = 1min) {
    net::EventLoop loop;
    return run_async(loop, net::run_child(std::move(child), limit));
}

net::ChildProcess shell(std::string script) {
    return {.command = "sh", .arguments = {"-c", std::move(script)}};
}

}  // namespace

TEST_CASE("a program's output and exit code are told", "[net][child]") {
    const auto result = run(shell("echo one; echo two; exit 3"));
    REQUIRE(result);
    CHECK(result->output == "one\ntwo\n");
    CHECK(result->exit_code == 3);
}

TEST_CASE("a program gets this process's environment and what it is given", "[net][child]") {
    auto child = shell("echo $HOME-$SLUICE_GIVEN; read line || echo nothing to read");
    child.environment = {"SLUICE_GIVEN=a b", "HOME=/else"};
    const auto result = run(child);
    REQUIRE(result);
    CHECK(result->output == "/else-a b\nnothing to read\n");
}

TEST_CASE("a program that cannot be run is an error that names it", "[net][child]") {
    const auto absent = run({.command = "no-such-program"});
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == ErrorCode::NotFound);
    CHECK(absent.error().detail.starts_with("no-such-program: "));
    const auto path = run({.command = "/nowhere/program"});
    REQUIRE_FALSE(path);
    CHECK(path.error().code == ErrorCode::NotFound);
    CHECK(path.error().detail.starts_with("/nowhere/program: "));
    const auto folder = run({.command = "/"});
    REQUIRE_FALSE(folder);
    CHECK(folder.error().code == ErrorCode::Unavailable);
}

TEST_CASE("a program that does not end is killed", "[net][child]") {
    const auto began = std::chrono::steady_clock::now();
    const auto result = run({.command = "sleep", .arguments = {"600"}}, 100ms);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Timeout);
    CHECK(result.error().detail.starts_with("sleep: "));
    CHECK(std::chrono::steady_clock::now() - began < 60s);
}

TEST_CASE("a program that prints without end is refused", "[net][child]") {
    auto child = shell("yes");
    child.output_bytes_max = 1000;
    const auto result = run(child);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Invalid);
    CHECK(result.error().detail.find("1000 bytes") != std::string::npos);
}

}  // namespace sluice::test
