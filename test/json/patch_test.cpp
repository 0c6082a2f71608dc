#include "json/patch.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>

namespace sluice::json {

TEST_CASE("a merge patch follows the examples of RFC 7386", "[json]") {
    struct Row {
        const char* target;
        const char* patch;
        const char* result;
    };
    const auto row = GENERATE(
        Row{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        Row{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        Row{R"({"a":"b"})", R"({"a":null})", R"({})"},
        Row{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        Row{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        Row{R"([1])", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}
    );
    auto target = parse(row.target);
    REQUIRE(target);
    apply_merge_patch(*target, *parse(row.patch));
    CHECK(print(*target) == row.result);
}

TEST_CASE("a made merge patch leads from one document to the other", "[json]") {
    const auto from = parse(R"({"a":1,"b":{"c":2,"d":3},"e":[1]})");
    const auto to = parse(R"({"b":{"c":2,"d":4,"x":{}},"e":[1],"f":"g"})");
    const auto patch = make_merge_patch(*from, *to);
    CHECK(print_sorted(patch) == R"({"a":null,"b":{"d":4,"x":{}},"f":"g"})");
    auto patched = *from;
    apply_merge_patch(patched, patch);
    CHECK((patched == *to));
    CHECK(print(make_merge_patch(*to, *to)) == "{}");
}

TEST_CASE("a JSON patch names what was added, removed and replaced", "[json]") {
    const auto from = parse(R"({"a":1,"b":{"c/d":2,"e~f":3},"g":[1]})");
    const auto to = parse(R"({"b":{"e~f":4,"h":{}},"g":[1,2],"i":null})");
    CHECK(
        print(Value(make_json_patch(*from, *to))) ==
        R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b/c~1d"},)"
        R"({"op":"replace","path":"/b/e~0f","value":4},{"op":"add","path":"/b/h","value":{}},)"
        R"({"op":"replace","path":"/g","value":[1,2]},{"op":"add","path":"/i","value":null}])"
    );
    CHECK(make_json_patch(*to, *to).empty());
    CHECK(
        print(Value(make_json_patch(Value(1), Value(2)))) ==
        R"([{"op":"replace","path":"","value":2}])"
    );
}

}  // namespace sluice::json
