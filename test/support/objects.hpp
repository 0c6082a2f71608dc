#pragma once

#include "api/meta/codec.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string_view>

namespace sluice::test {

/// An API object from a little YAML.
template <class T>
T object(std::string_view text) {
    const auto value = yaml::parse_document(text);
    REQUIRE(value);
    auto made = api::from_value<T>(*value);
    REQUIRE(made);
    return std::move(*made);
}

}  // namespace sluice::test
