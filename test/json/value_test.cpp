#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace sluice::json {

TEST_CASE("a document survives parsing and printing", "[json]") {
    const std::string text =
        R"({"a":[1,-2,3.5,true,null,"x\n\"y\""],"b":{"c":{}},"big":9223372036854775807})";
    const auto value = parse(text);
    REQUIRE(value);
    CHECK(print(*value) == text);
}

TEST_CASE("sorted printing gives equal bytes for equal values", "[json]") {
    const auto a = parse(R"({"b":1,"a":{"d":2,"c":3}})");
    const auto b = parse(R"({"a":{"c":3,"d":2},"b":1})");
    REQUIRE(a);
    REQUIRE(b);
    CHECK((*a == *b));
    CHECK(print_sorted(*a) == print_sorted(*b));
}

TEST_CASE("identical values are those that print the same", "[json]") {
    const std::vector<std::string> texts{
        "null",
        "0",
        "0.5",
        "-0.5",
        "0.0",
        "-0.0",
        "true",
        "\"0\"",
        "[]",
        "{}",
        "[1,2]",
        "[2,1]",
        "[1]",
        R"({"a":1,"b":2})",
        R"({"b":2,"a":1})",
        R"({"a":1})",
        R"({"a":[{"b":"c"}]})",
        R"({"a":[{"b":"d"}]})",
        R"({"a":[{"c":"c"}]})"
    };
    for (const auto& a : texts) {
        for (const auto& b : texts) {
            CAPTURE(a, b);
            CHECK(is_identical(*parse(a), *parse(b)) == (a == b));
        }
    }
}

TEST_CASE("malformed text names the byte", "[json]") {
    for (const auto* text :
         {"", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"\xff\"", "{\"a\":1}}"}) {
        CAPTURE(text);
        const auto value = parse(text);
        REQUIRE_FALSE(value);
        CHECK(value.error().code == ErrorCode::Invalid);
        CHECK(value.error().detail.find("byte") != std::string::npos);
    }
}

TEST_CASE("depth and size are bounded", "[json]") {
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    const auto too_deep = parse(deep);
    REQUIRE_FALSE(too_deep);
    CHECK(too_deep.error().detail.find("nested deeper than 128 levels") != std::string::npos);
    CHECK(parse(deep, {.depth = 1000}));
    CHECK_FALSE(parse("[1, 2, 3]", {.bytes = 5}));
}

TEST_CASE("the last of equal keys wins", "[json]") {
    const auto value = parse(R"({"a":1,"a":2})");
    REQUIRE(value);
    CHECK(print(*value) == R"({"a":2})");
}

TEST_CASE("the last of equal keys wins in an object of very many members", "[json]") {
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) {
        text += "\"k" + std::to_string(i % 100'000) + "\":" + std::to_string(i) + ",";
    }
    text += "\"k1\":-1}";
    const auto value = parse(text);
    REQUIRE(value);
    CHECK(value->as_object().size() == 100'000);
    CHECK(value->as_object().front().first == "k0");
    CHECK(value->find("k0")->as_int() == 100'000);
    CHECK(value->find("k1")->as_int() == -1);
    CHECK(value->find("k99999")->as_int() == 199'999);
}

}  // namespace sluice::json
