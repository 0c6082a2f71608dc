#include "apiserver/fields/managed_fields.hpp"

#include "apiserver/fields/field_set.hpp"
#include "apiserver/schema/schema.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

Value value(std::string_view text) {
    auto parsed = json::parse(text);
    REQUIRE(parsed);
    return std::move(parsed).value();
}

std::shared_ptr<const Schema> schema(std::string_view text) {
    auto compiled = compile_schema(value(text));
    REQUIRE(compiled);
    return std::move(compiled).value();
}

/// A kind whose field `old` is called `fresh` in its second version.
class TwoVersions {
  public:
    TwoVersions() {
        versions.schema = [this](std::string_view version) {
            return version == "x/v1" ? first : version == "x/v2" ? second : nullptr;
        };
        versions.convert = [](const Value& object, std::string_view version) -> Result<Value> {
            Value converted = object;
            converted.set("apiVersion", std::string(version));
            const auto* from = version == "x/v1" ? "fresh" : "old";
            const auto* to = version == "x/v1" ? "old" : "fresh";
            Value* spec = converted.find("spec");
            if (spec != nullptr && spec->find(from) != nullptr) {
                const Value moved = *spec->find(from);
                spec->set(to, moved);
                spec->erase(from);
            }
            return converted;
        };
    }
    WriteContext context(std::string manager, std::string version) const {
        return {
            .manager = std::move(manager),
            .api_version = std::move(version),
            .subresource = {},
            .now = "2026-01-01T00:00:00Z",
            .reset = {},
            .versions = &versions,
        };
    }

    std::shared_ptr<const Schema> first =
        schema(R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
               R"("old":{"type":"string"},"same":{"type":"string"}}}}})");
    std::shared_ptr<const Schema> second =
        schema(R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
               R"("fresh":{"type":"string"},"same":{"type":"string"}}}}})");
    ServedVersions versions;
};

TEST_CASE("who applied in one version owns the field under its name in another", "[apiserver]") {
    const TwoVersions kind;
    const auto made = apply(
        nullptr,
        value(R"({"apiVersion":"x/v1","kind":"K","metadata":{"name":"a"},"spec":{"old":"1"}})"),
        *kind.first,
        kind.context("ann", "x/v1"),
        false
    );
    REQUIRE(made);
    auto live = kind.versions.convert(*made, "x/v2");
    REQUIRE(live);
    const auto config =
        value(R"({"apiVersion":"x/v2","kind":"K","metadata":{"name":"a"},"spec":{"fresh":"2"}})");

    const auto refused = apply(&*live, config, *kind.second, kind.context("bob", "x/v2"), false);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::Conflict);
    CHECK(
        refused.error().detail == "Apply failed with 1 conflict: conflict with \"ann\": .spec.old"
    );

    SECTION("and loses it when another is forced") {
        const auto forced = apply(&*live, config, *kind.second, kind.context("bob", "x/v2"), true);
        REQUIRE(forced);
        const auto& managers = forced->find_path({"metadata", "managedFields"})->as_array();
        REQUIRE(managers.size() == 1);
        CHECK(managers.front().string_at("manager") == "bob");
    }
    SECTION("and removes it by leaving it out in the other version") {
        const auto left_out = apply(
            &*live,
            value(R"({"apiVersion":"x/v2","kind":"K","metadata":{"name":"a"},"spec":{"same":"s"}})"
            ),
            *kind.second,
            kind.context("ann", "x/v2"),
            false
        );
        REQUIRE(left_out);
        CHECK(json::print(*left_out->find("spec")) == R"({"same":"s"})");
    }
}

TEST_CASE("a write that changes nothing keeps the times it had", "[apiserver]") {
    const auto before = value(
        R"({"metadata":{"resourceVersion":"1","managedFields":[{"manager":"a","time":"t1"}]}})"
    );
    auto same = value(R"({"metadata":{"managedFields":[{"manager":"a","time":"t2"}]}})");
    CHECK(keep_times(before, same));
    CHECK(same == before);
    auto other = value(R"({"metadata":{"managedFields":[{"manager":"b","time":"t2"}]}})");
    CHECK(!keep_times(before, other));
}

TEST_CASE("malformed and deeply nested managedFields are no crash", "[apiserver]") {
    std::string deep = "{}";
    for (int i = 0; i < 120; ++i) {
        deep = R"({"f:a":)" + deep + "}";
    }
    CHECK(FieldSet::from_fields_v1(value(deep)));
    CHECK(FieldSet::from_fields_v1(value(R"({"x:y":{},"k:{":{},"f:a":{}})"))->children.size() == 1);
    CHECK(!FieldSet::from_fields_v1(value("[]")));
}

TEST_CASE("items sort by the numbers in their keys", "[apiserver]") {
    const auto set = FieldSet::from_fields_v1(
        value(R"({"k:{\"port\":443}":{},"k:{\"port\":80}":{},"f:z":{},"v:10":{},"v:9":{}})")
    );
    REQUIRE(set);
    CHECK(
        json::print(set->to_fields_v1()) ==
        R"({"f:z":{},"k:{\"port\":80}":{},"k:{\"port\":443}":{},"v:9":{},"v:10":{}})"
    );
}

TEST_CASE("objects of very many members are owned and merged in bounded time", "[apiserver]") {
    constexpr int kMembers = 100'000;
    const auto free = schema(R"({"type":"object","properties":{"spec":{"type":"object",)"
                             R"("additionalProperties":{"type":"string"}}}})");
    json::Object members;
    for (int i = 0; i < kMembers; ++i) {
        // An order that is none.
        members.emplace_back("k" + std::to_string((i * 7919) % kMembers), "v");
    }
    const Value config =
        json::Object{{"apiVersion", "x/v1"}, {"kind", "K"}, {"spec", std::move(members)}};
    WriteContext context{
        .manager = "ann",
        .api_version = "x/v1",
        .subresource = {},
        .now = "2026-01-01T00:00:00Z",
        .reset = {},
    };
    const auto made = apply(nullptr, config, *free, context, false);
    REQUIRE(made);
    CHECK(made->find("spec")->as_object().size() == kMembers);
    Value after = config;
    update_managed_fields(nullptr, after, *free, context);
    const auto& managers = after.find_path({"metadata", "managedFields"})->as_array();
    CHECK(managers.front().find_path({"fieldsV1", "f:spec"})->as_object().size() == kMembers + 1);
}

}  // namespace
}  // namespace sluice::apiserver
