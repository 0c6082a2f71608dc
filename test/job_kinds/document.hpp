#pragma once

#include "job_kinds/description.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

namespace sluice::job_kinds::test {

/// The YAML text as JSON. Requires: it is well-formed.
inline json::Value document(std::string_view text) {
    auto value = yaml::parse_document(text);
    REQUIRE(value);
    return std::move(*value);
}

/// What is wrong with a description; "": nothing.
inline std::string faults(const json::Value& description) {
    config::Problems problems;
    read_description(description, "", problems);
    return config::to_string(problems.take());
}

/// Requires: nothing is wrong with it.
inline Description describe(std::string_view text) {
    config::Problems problems;
    auto made = read_description(document(text), "", problems);
    REQUIRE(config::to_string(problems.take()).empty());
    return made;
}

/// A description with no more than what is required.
inline constexpr char kSmallest[] = R"(
apiVersion: example.com/v1
kind: Training
suspend:
  path: spec.suspend
podSets:
- name: main
  template: spec.template
active:
  path: status.active
)";

}  // namespace sluice::job_kinds::test
