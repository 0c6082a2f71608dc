#include "controller/process/webhooks/loop_calls.hpp"

#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

// How a server's call is done where the stores are.
namespace sluice::controller {
namespace {

/// Fails so often with that error before it has an answer.
struct Work {
    int failures = 0;
    ErrorCode code = ErrorCode::Unavailable;
    int tries = 0;

    Result<int> operator()() {
        return ++tries > failures ? Result<int>(7) : Error{code, "not yet", {}};
    }
};

Result<int> call(Work& work) {
    net::EventLoop loop;
    LoopCalls calls({loop, [] { return true; }});
    return test::run_async(loop, calls.call<int>([&work] { return work(); }));
}

}  // namespace

TEST_CASE("a call waits for what its watch has not shown yet", "[process]") {
    Work work{.failures = 3};
    const auto answer = call(work);
    REQUIRE(answer);
    CHECK(*answer == 7);
    CHECK(work.tries == 4);
}

TEST_CASE("a call does not wait without end", "[process]") {
    Work work{.failures = 1'000'000};
    const auto answer = call(work);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::Unavailable);
    CHECK(work.tries > 10);
    CHECK(work.tries < 30);
}

TEST_CASE("a call that fails for good is made once", "[process]") {
    Work work{.failures = 1, .code = GENERATE(ErrorCode::Invalid, ErrorCode::NotFound)};
    const auto answer = call(work);
    REQUIRE_FALSE(answer);
    CHECK(work.tries == 1);
}

}  // namespace sluice::controller
