#include "apiserver/fields/strategic_merge.hpp"

#include "apiserver/types/builtin_schemas.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::apiserver {
namespace {

std::string patched(const char* object, const char* patch) {
    const auto schema = builtin_schema("", "v1", "Pod");
    const auto result =
        apply_strategic_merge_patch(*schema, *json::parse(object), *json::parse(patch));
    return result ? json::print(*result) : "error: " + result.error().detail;
}

TEST_CASE("keyed lists merge by their key, in the place they had", "[apiserver][patch]") {
    CHECK(
        patched(
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})",
            R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"c"}]}})"
        ) ==
        R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c"}]}})"
    );
}

TEST_CASE("directives delete, replace and order items of keyed lists", "[apiserver][patch]") {
    const auto* object = R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})";
    CHECK(
        patched(object, R"({"spec":{"containers":[{"name":"b","$patch":"delete"}]}})") ==
        R"({"spec":{"containers":[{"name":"a"},{"name":"c"}]}})"
    );
    CHECK(
        patched(object, R"({"spec":{"containers":[{"name":"z"},{"$patch":"replace"}]}})") ==
        R"({"spec":{"containers":[{"name":"z"}]}})"
    );
    CHECK(
        patched(
            object, R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]}})"
        ) == R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}})"
    );
}

TEST_CASE("lists of texts merge as sets and lose what is deleted", "[apiserver][patch]") {
    const auto* object = R"({"metadata":{"finalizers":["a","b"]}})";
    CHECK(
        patched(object, R"({"metadata":{"finalizers":["c","a"]}})") ==
        R"({"metadata":{"finalizers":["c","a","b"]}})"
    );
    CHECK(
        patched(object, R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})") ==
        R"({"metadata":{"finalizers":["b"]}})"
    );
}

TEST_CASE("a list without a strategy is replaced", "[apiserver][patch]") {
    CHECK(
        patched(
            R"({"spec":{"tolerations":[{"key":"a"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"
        ) == R"({"spec":{"tolerations":[{"key":"b"}]}})"
    );
}

TEST_CASE("retained keys clear the others", "[apiserver][patch]") {
    const auto* object = R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})";
    CHECK(
        patched(
            object,
            R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","secret"],"secret":{"secretName":"s"}}]}})"
        ) == R"({"spec":{"volumes":[{"name":"v","secret":{"secretName":"s"}}]}})"
    );
    CHECK(
        patched(object, R"({"spec":{"volumes":[{"name":"v","$retainKeys":["secret"]}]}})") ==
        "error: invalid patch format of retainKeys"
    );
}

TEST_CASE(
    "a malformed directive is refused with the words of the API server", "[apiserver][patch]"
) {
    const auto* object = R"({"spec":{"containers":[{"name":"a"}]}})";
    CHECK(
        patched(object, R"({"spec":{"containers":[{"image":"x"}]}})") ==
        "error: map: map[image:x] does not contain declared merge key: name"
    );
    CHECK(
        patched(object, R"({"spec":{"$patch":"wrong","a":[1,{"b":null}]}})") ==
        "error: unknown patch type: wrong in map: map[$patch:wrong a:[1 map[b:<nil>]]]"
    );
    CHECK(
        patched(object, R"({"spec":{"containers":[{"name":"a","$patch":"merge"}]}})") ==
        "error: merging lists cannot yet be specified in the patch"
    );
}

}  // namespace
}  // namespace sluice::apiserver
