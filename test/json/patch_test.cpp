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

struct PatchCase {
    const char* patch;
    const char* result;  ///< nullptr: the patch does not apply
};

TEST_CASE("a JSON patch applies as in the API server", "[json][patch]") {
    constexpr PatchCase kCases[] = {
        {R"([{"op":"remove","path":"/f/-1"}])", R"({"l":{"x":"y"},"f":["a"]})"},
        {R"([{"op":"remove","path":"/f/5"}])", nullptr},
        {R"([{"op":"remove","path":"/l/none"}])", nullptr},
        {R"([{"op":"remove","path":""}])", nullptr},
        {R"([{"op":"add","path":"/f/-","value":1}])", R"({"l":{"x":"y"},"f":["a","b",1]})"},
        {R"([{"op":"add","path":"/f/0","value":1}])", R"({"l":{"x":"y"},"f":[1,"a","b"]})"},
        {R"([{"op":"add","path":"/f/2","value":1}])", R"({"l":{"x":"y"},"f":["a","b",1]})"},
        {R"([{"op":"add","path":"/f/3","value":1}])", nullptr},
        {R"([{"op":"add","path":"/f/-1","value":1}])", R"({"l":{"x":"y"},"f":["a","b",1]})"},
        {R"([{"op":"add","path":"/f/x","value":1}])", nullptr},
        {R"([{"op":"add","path":"/none/x","value":1}])", nullptr},
        {R"([{"op":"add","path":"/l/x/y","value":1}])", nullptr},
        {R"([{"op":"add","path":"/l/a~1b~0c","value":1}])",
         R"({"l":{"x":"y","a/b~c":1},"f":["a","b"]})"},
        {R"([{"op":"add","path":"/l/z"}])", R"({"l":{"x":"y","z":null},"f":["a","b"]})"},
        {R"([{"op":"add","value":1}])", nullptr},
        {R"([{"path":"/l/z","value":1}])", nullptr},
        {R"([{"op":"ADD","path":"/l/z","value":1}])", nullptr},
        {R"([{"op":"replace","path":"/f/0","value":1}])", R"({"l":{"x":"y"},"f":[1,"b"]})"},
        {R"([{"op":"replace","path":"/f/2","value":1}])", nullptr},
        {R"([{"op":"replace","path":"/f/-","value":1}])", nullptr},
        {R"([{"op":"replace","path":"/l/new","value":1}])",
         R"({"l":{"x":"y","new":1},"f":["a","b"]})"},
        {R"([{"op":"replace","path":"","value":{"q":1}}])", R"({"q":1})"},
        {R"([{"op":"move","from":"/l/none","path":"/l/z"}])", nullptr},
        {R"([{"op":"move","from":"/f/0","path":"/f/1"}])", R"({"l":{"x":"y"},"f":["b","a"]})"},
        {R"([{"op":"move","from":"/l","path":"/l/x"}])", nullptr},
        {R"([{"op":"move","path":"/l/x"}])", nullptr},
        {R"([{"op":"copy","from":"/l/none","path":"/l/z"}])",
         R"({"l":{"x":"y","z":null},"f":["a","b"]})"},
        {R"([{"op":"copy","from":"/none/none","path":"/l/z"}])", nullptr},
        {R"([{"op":"copy","from":"/f/0","path":"/f/0"}])", R"({"l":{"x":"y"},"f":["a","a","b"]})"},
        {R"([{"op":"test","path":"/l/none","value":null}])", R"({"l":{"x":"y"},"f":["a","b"]})"},
        {R"([{"op":"test","path":"/l","value":{"x":"y"}}])", R"({"l":{"x":"y"},"f":["a","b"]})"},
        {R"([{"op":"test","path":"/l","value":{"x":"y","z":null}}])", nullptr},
        {R"([{"op":"test","path":"/l/x","value":"z"}])", nullptr},
        {R"([{"op":"test","path":"/f/9","value":null}])", nullptr},
        {R"([])", R"({"l":{"x":"y"},"f":["a","b"]})"},
        {"null", R"({"l":{"x":"y"},"f":["a","b"]})"},
    };
    for (const auto& [patch, result] : kCases) {
        INFO(patch);
        const auto parsed = parse(patch);
        REQUIRE(parsed);
        REQUIRE(check_json_patch(*parsed));
        const auto patched = apply_json_patch(*parse(R"({"l":{"x":"y"},"f":["a","b"]})"), *parsed);
        CHECK(patched.has_value() == (result != nullptr));
        if (patched && result != nullptr) {
            CHECK(print_sorted(*patched) == print_sorted(*parse(result)));
        }
    }
}

TEST_CASE("what is no JSON patch is refused with the words of the API server", "[json][patch]") {
    const auto refusal = [](const char* patch) {
        const auto checked = check_json_patch(*parse(patch));
        return checked ? "" : checked.error().detail;
    };
    CHECK(
        refusal(R"({"op":"add"})") ==
        "error decoding patch: json: cannot unmarshal object into Go value of type "
        "[]handlers.jsonPatchOp"
    );
    CHECK(
        refusal("[5]") ==
        "error decoding patch: json: cannot unmarshal number into Go value of type "
        "handlers.jsonPatchOp"
    );
    CHECK(
        refusal(R"([{"op":5,"path":"/a"}])") ==
        "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op "
        "of "
        "type string"
    );
}

TEST_CASE("a JSON patch is bounded in operations and in what it copies", "[json][patch]") {
    Array operations(
        kJsonPatchOperationsMax + 1, Object{{"op", "add"}, {"path", "/x"}, {"value", 1}}
    );
    const auto many = apply_json_patch(Object{}, operations);
    REQUIRE(!many);
    CHECK(
        many.error().detail == "The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
    // Each copy doubles the document.
    Array doubling(40, Object{{"op", "copy"}, {"from", "/a"}, {"path", "/a/-"}});
    CHECK(!apply_json_patch(Object{{"a", Array{"text"}}}, doubling));
}

TEST_CASE("objects of very many members are patched and compared in bounded time", "[json]") {
    constexpr int kMembers = 100'000;
    Object forth;
    Object removals;
    for (int i = 0; i < kMembers; ++i) {
        forth.emplace_back("k" + std::to_string(i), i);
        removals.emplace_back("k" + std::to_string(kMembers - 1 - i), i % 2 == 0 ? Value() : i);
    }
    Object back(forth.rbegin(), forth.rend());
    CHECK((Value(forth) == Value(back)));
    Value patched = forth;
    apply_merge_patch(patched, Value(removals));
    CHECK(patched.as_object().size() == kMembers / 2);
}

}  // namespace sluice::json
