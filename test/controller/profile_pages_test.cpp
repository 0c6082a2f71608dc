#include "controller/process/profile_pages.hpp"

#include "net/loop/event_loop.hpp"
#include "support/run_async.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::controller {
namespace {

net::ServerRequest ask(std::string target) {
    net::ServerRequest request;
    request.method = "GET";
    request.target = std::move(target);
    return request;
}

struct Pages {
    net::EventLoop loop;
    std::shared_ptr<serving::PathTable> pages = make_profile_pages();

    net::ServerResponse get(std::string target) {
        return test::run_async(loop, pages->handle(ask(std::move(target))));
    }
};

}  // namespace

TEST_CASE("a profile of the processor's time is in the form of gperftools", "[controller][pprof]") {
    Pages pages;
    const net::ServerResponse profile = pages.get("/debug/pprof/profile?seconds=1");
    REQUIRE(profile.status == 200);
    CHECK(profile.content_type == "application/octet-stream");
    // The header: no count, three words follow, version 0, microseconds between two samples.
    std::array<std::uintptr_t, 4> header{};
    REQUIRE(profile.body.size() > sizeof(header));
    std::memcpy(header.data(), profile.body.data(), sizeof(header));
    CHECK(header[0] == 0);
    CHECK(header[1] == 3);
    CHECK(header[2] == 0);
    CHECK(header[3] == 10'000);
    // What is mapped where follows the samples.
    CHECK(profile.body.find("controller_process_test") != std::string::npos);
}

TEST_CASE("one profile is made at a time, and each can be the next", "[controller][pprof]") {
    Pages pages;
    std::optional<net::ServerResponse> first;
    boost::asio::co_spawn(
        pages.loop.executor(),
        pages.pages->handle(ask("/debug/pprof/profile?seconds=1")),
        [&first](const std::exception_ptr&, net::ServerResponse response) {
            first = std::move(response);
        }
    );
    const net::ServerResponse second = pages.get("/debug/pprof/profile?seconds=1");
    CHECK(second.status == 500);
    CHECK(second.body.starts_with("Could not enable CPU profiling: "));
    CHECK(pages.get("/debug/pprof/").status == 200);
    for (int i = 0; i < 100 && !first; ++i) {
        CHECK(test::run_async(pages.loop, net::pause_for(std::chrono::milliseconds(100))));
    }
    REQUIRE(first);
    CHECK(first->status == 200);
    CHECK(pages.get("/debug/pprof/profile?seconds=1").status == 200);
}

TEST_CASE("a profile that would take too long is refused", "[controller][pprof]") {
    Pages pages;
    CHECK(pages.get("/debug/pprof/profile?seconds=3601").status == 400);
}

TEST_CASE("the command line is told as Go does", "[controller][pprof]") {
    Pages pages;
    const std::string words = pages.get("/debug/pprof/cmdline").body;
    CHECK(words.substr(0, words.find('\0')).ends_with("controller_process_test"));
    CHECK_FALSE(words.ends_with('\0'));
    CHECK(pages.pages->judge_head("POST", "/debug/pprof/profile").refusal->status == 405);
    CHECK(pages.pages->judge_head("GET", "/debug/pprof/heap").refusal->status == 404);
}

}  // namespace sluice::controller
