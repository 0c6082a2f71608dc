#include "job_kinds/number.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace sluice::job_kinds {
namespace {

Number at(const char* path) {
    return {.path = *Path::compile(path)};
}

}  // namespace

TEST_CASE("a number is what the object says, or the default", "[job-kinds]") {
    const json::Value root = test::document("spec: {size: 3, zero: 0}");
    Number number = at("spec.size");
    CHECK(number.evaluate(root).value() == std::optional<std::int32_t>(3));
    number = at("spec.none");
    CHECK(number.evaluate(root).value() == std::optional<std::int32_t>());
    number.otherwise = 7;
    CHECK(number.evaluate(root).value() == std::optional<std::int32_t>(7));
    number = at("spec.zero");
    CHECK(number.evaluate(root).value() == std::optional<std::int32_t>(0));
    number.at_least = 1;
    CHECK(number.evaluate(root).value() == std::optional<std::int32_t>(1));
}

TEST_CASE("the least of several numbers leaves out those that are not there", "[job-kinds]") {
    const json::Value root = test::document("{a: 3, b: 2}");
    CHECK(Number{.least_of = {at("a"), at("b")}}.evaluate(root).value() == std::optional(2));
    CHECK(Number{.least_of = {at("a"), at("none")}}.evaluate(root).value() == std::optional(3));
    CHECK(
        Number{.least_of = {at("none")}, .otherwise = 5}.evaluate(root).value() == std::optional(5)
    );
}

TEST_CASE("what counts no pods is refused with its place", "[job-kinds]") {
    for (const char* value : {"-1", "2147483648", "1.5", "\"3\"", "true", "[]", "{}"}) {
        INFO(value);
        const json::Value root = test::document(std::string("spec: {size: ") + value + "}");
        const auto number = at("spec.size").evaluate(root);
        REQUIRE(!number);
        CHECK(number.error().detail.starts_with("spec.size: "));
        CHECK(!Number{.least_of = {at("spec.size")}}.evaluate(root));
    }
}

TEST_CASE("a sum counts numbers alone and cannot overflow", "[job-kinds]") {
    const json::Value root = test::document(
        "{a: [1, 2, x, null, 1.5], b: [9223372036854775807, 9223372036854775807, "
        "9223372036854775807]}"
    );
    CHECK(sum({*Path::compile("a[*]")}, root) == 3);
    CHECK(
        sum({*Path::compile("b[*]")}, root) ==
        3 * std::int64_t{std::numeric_limits<std::int32_t>::max()}
    );
    CHECK(sum({}, root) == 0);
}

}  // namespace sluice::job_kinds
