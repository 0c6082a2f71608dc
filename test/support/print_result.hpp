#pragma once

#include "base/error.hpp"

#include <catch2/catch_tostring.hpp>

#include <string>
#include <string_view>

namespace sluice {

/// Returns the name of the code, for tests that print or compare it.
inline std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::Invalid:
            return "Invalid";
        case ErrorCode::NotFound:
            return "NotFound";
        case ErrorCode::AlreadyExists:
            return "AlreadyExists";
        case ErrorCode::Conflict:
            return "Conflict";
        case ErrorCode::Gone:
            return "Gone";
        case ErrorCode::Forbidden:
            return "Forbidden";
        case ErrorCode::Unauthorized:
            return "Unauthorized";
        case ErrorCode::TooManyRequests:
            return "TooManyRequests";
        case ErrorCode::Timeout:
            return "Timeout";
        case ErrorCode::Canceled:
            return "Canceled";
        case ErrorCode::Unavailable:
            return "Unavailable";
        case ErrorCode::Internal:
            return "Internal";
        case ErrorCode::NotLeader:
            return "NotLeader";
    }
    return "Internal";
}

}  // namespace sluice

/// Lets `REQUIRE(result)` print the error. Boost's own printing of a result needs a printable
/// value, which most of ours are not, so this takes its place; CMake includes it into every test.
template <class T>
struct Catch::StringMaker<boost::system::result<T, sluice::Error>> {
    static std::string convert(const boost::system::result<T, sluice::Error>& result) {
        return result ? "a value"
                      : std::string(sluice::to_string(result.error().code)) + ": " +
                            result.error().detail;
    }
};
