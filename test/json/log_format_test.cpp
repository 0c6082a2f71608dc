#include "json/log_format.hpp"

#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sluice::json {
namespace {

/// The line as an object; the pattern gives its beginning.
Value object_of(std::string_view phrase, std::initializer_list<log::Field> fields = {}) {
    const std::string members =
        json_log_format().format_line(phrase, std::span(fields.begin(), fields.size()));
    const auto value = parse("{" + members);
    REQUIRE(value);
    return *value;
}

}  // namespace

TEST_CASE("a log line in JSON has a member for each pair", "[json]") {
    CHECK(
        object_of("ready", {{"jobs", 3}, {"queue", "a b"}}) ==
        Value(Object{{"msg", "ready"}, {"jobs", "3"}, {"queue", "a b"}})
    );
    CHECK(object_of("x") == Value(Object{{"msg", "x"}}));
}

TEST_CASE("a pair cannot pass itself off as the level, the time or the phrase", "[json]") {
    CHECK(
        object_of("x", {{"msg", "y"}, {"ts", "z"}, {"level", "error"}}) ==
        Value(Object{{"msg", "x"}, {"msg_", "y"}, {"ts_", "z"}, {"level_", "error"}})
    );
}

TEST_CASE("no value ends the line or the text it stands in", "[json]") {
    CHECK(object_of("x", {{"a", "b\"}\n,\"c\":\"d"}}).as_object().size() == 2);
    CHECK(object_of("x", {{"a", "\xff\x1b[2J"}}).string_at("a") == "\\xff\\x1b[2J");
}

}  // namespace sluice::json
