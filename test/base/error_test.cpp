#include "base/error.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice {

TEST_CASE("only failures that may pass by themselves are retried", "[base]") {
    CHECK(is_retryable(ErrorCode::Unavailable));
    CHECK(is_retryable(ErrorCode::TooManyRequests));
    CHECK_FALSE(is_retryable(ErrorCode::Conflict));
    CHECK_FALSE(is_retryable(ErrorCode::Invalid));
}

TEST_CASE("context is put before the detail of an error", "[base]") {
    const auto error = with_context(make_invalid("must not be negative"), "spec.count");
    CHECK(error.detail == "spec.count: must not be negative");
    CHECK(error.code == ErrorCode::Invalid);
}

}  // namespace sluice
