#pragma once

#include "base/error.hpp"

#include <catch2/catch_tostring.hpp>

#include <string>

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
