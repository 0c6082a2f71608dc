#include "apiserver/strategic_merge.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::apiserver {

namespace {

std::string merged(const char* object, const char* patch) {
    json::Value target = *yaml::parse_document(object);
    const auto done = apply_strategic_merge_patch(target, *yaml::parse_document(patch));
    return done ? json::print_sorted(target) : done.error().detail;
}

std::string patched(const char* object, const char* operations) {
    json::Value target = *yaml::parse_document(object);
    const auto list = yaml::parse_document(operations);
    const auto done = json::apply_json_patch(target, list->as_array());
    return done ? json::print_sorted(target) : done.error().detail;
}

}  // namespace

TEST_CASE("a strategic merge patch merges lists by their keys", "[apiserver][patch]") {
    struct Row {
        const char* object;
        const char* patch;
        const char* result;
    };
    const auto row = GENERATE(
        Row{"{containers: [{name: a, image: i}]}",
            "{containers: [{name: b, image: j}, {name: a, image: k}]}",
            R"({"containers":[{"image":"k","name":"a"},{"image":"j","name":"b"}]})"},
        Row{"{containers: [{name: a}, {name: b}]}",
            "{containers: [{name: a, $patch: delete}]}",
            R"({"containers":[{"name":"b"}]})"},
        Row{"{containers: [{name: a}]}",
            "{containers: [{$patch: replace}, {name: c}]}",
            R"({"containers":[{"name":"c"}]})"},
        Row{"{containers: [{name: a}, {name: b}]}",
            "{$setElementOrder/containers: [{name: b}, {name: a}], containers: []}",
            R"({"containers":[{"name":"b"},{"name":"a"}]})"},
        Row{"{args: [a, b]}", "{args: [c]}", R"({"args":["c"]})"},
        Row{"{finalizers: [a]}", "{finalizers: [b]}", R"({"finalizers":["a","b"]})"},
        Row{"{finalizers: [a, b]}",
            "{$deleteFromPrimitiveList/finalizers: [a]}",
            R"({"finalizers":["b"]})"},
        Row{"{strategy: {type: a, rolling: {x: 1}}}",
            "{strategy: {$retainKeys: [type], type: b}}",
            R"({"strategy":{"type":"b"}})"},
        Row{"{a: {b: 1}, c: 2}", "{a: {b: null}, c: null}", R"({"a":{}})"},
        Row{"{a: {b: 1}}", "{a: {$patch: replace, c: 2}}", R"({"a":{"c":2}})"}
    );
    CAPTURE(row.patch);
    CHECK(merged(row.object, row.patch) == row.result);
}

TEST_CASE("a patch that cannot be done says why", "[apiserver][patch]") {
    CHECK(
        merged("{containers: []}", "{containers: [{image: i}]}")
            .find("does not contain declared merge key: name") != std::string::npos
    );
    CHECK(patched("{a: 1}", "[{op: remove, path: /b}]").find("nonexistent") != std::string::npos);
    CHECK(
        patched("{a: 1}", "[{op: test, path: /a, value: 2}]").find("failed") != std::string::npos
    );
    CHECK(
        patched("{a: [1]}", "[{op: add, path: /a/5, value: 2}]").find("index") != std::string::npos
    );
    CHECK(patched("{a: 1}", "[{op: jump, path: /a}]").find("Unexpected kind") != std::string::npos);
}

TEST_CASE("a JSON patch does its operations in order", "[apiserver][patch]") {
    CHECK(
        patched(
            "{a: [1, 2], b: {'c/d': x}}",
            "[{op: add, path: /a/1, value: 9}, {op: add, path: /a/-, value: 3},"
            " {op: move, from: /b/c~1d, path: /e}, {op: copy, from: /e, path: /f},"
            " {op: replace, path: /f, value: z}, {op: test, path: /e, value: x},"
            " {op: remove, path: /b}]"
        ) == R"({"a":[1,9,2,3],"e":"x","f":"z"})"
    );
}

}  // namespace sluice::apiserver
