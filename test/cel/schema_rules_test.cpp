#include "cel/rules/schema_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace sluice;

namespace {

json::Value parse(std::string_view text) {
    auto value = json::parse(text);
    INFO(text);
    REQUIRE(value.has_value());
    return *value;
}

std::vector<std::string> faults(std::string_view schema) {
    std::vector<cel::RuleViolation> found;
    const auto rules = cel::compile_rules(parse(schema), "openAPIV3Schema", &found);
    CHECK(rules.has_value() == found.empty());
    std::vector<std::string> lines;
    for (const auto& each : found) {
        lines.push_back(cel::print_violation(each));
    }
    return lines;
}

/// What an object breaks of a schema, whose `spec` has these properties and rules.
std::vector<std::string> broken(
    std::string_view spec, std::string_view object, std::string_view old = ""
) {
    const auto schema =
        parse(fmt::format(R"j({{"type": "object", "properties": {{"spec": {}}}}})j", spec));
    const auto rules = cel::compile_rules(schema);
    REQUIRE(rules.has_value());
    const auto value = parse(fmt::format(R"j({{"spec": {}}})j", object));
    const auto before = parse(fmt::format(R"j({{"spec": {}}})j", old.empty() ? "null" : old));
    std::vector<std::string> lines;
    for (const auto& each : cel::check(*rules, value, old.empty() ? nullptr : &before)) {
        lines.push_back(cel::print_violation(each));
    }
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("A broken rule is reported at its place with its message", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "object",
        "properties": {"a": {"type": "integer", "x-kubernetes-validations":
            [{"rule": "self > 1", "message": " must be more than one "}]}},
        "x-kubernetes-validations": [{"rule": "!has(self.a) || self.a < 10"}]})j";
    CHECK(broken(kSpec, R"j({"a": 5})j") == Lines{});
    CHECK(
        broken(kSpec, R"j({"a": 1})j") == Lines{"spec.a: Invalid value: 1: must be more than one"}
    );
    CHECK(
        broken(kSpec, R"j({"a": 11})j") ==
        Lines{"spec: Invalid value: failed rule: !has(self.a) || self.a < 10"}
    );
}

TEST_CASE("Reason, field path and message expression are used", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "s": {"type": "string", "maxLength": 5},
            "b": {"type": "object", "additionalProperties": {"type": "string"}}},
        "x-kubernetes-validations": [
            {"rule": "self.a > 1", "reason": "FieldValueForbidden", "fieldPath": ".a",
             "message": "static", "messageExpression": "'a is ' + self.s"},
            {"rule": "self.a > 2", "reason": "FieldValueRequired", "fieldPath": ".b['x.y']",
             "message": "static", "messageExpression": "''"},
            {"rule": "self.a > 3", "reason": "FieldValueDuplicate", "message": "lost"}]})j";
    CHECK(
        broken(kSpec, R"j({"a": 1, "s": "one"})j") ==
        Lines{
            "spec.a: Forbidden: a is one",
            "spec.b[x.y]: Required value: static",
            "spec: Duplicate value",
        }
    );
}

TEST_CASE("A failure while a rule is evaluated breaks it", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "p": {"x-kubernetes-int-or-string": true}},
        "x-kubernetes-validations": [
            {"rule": "self.a > 1"}, {"rule": "self.p > 1", "message": "m"}]})j";
    CHECK(
        broken(kSpec, R"j({"p": "x"})j") ==
        Lines{
            "spec: Invalid value: \"object\": no such key: a evaluating rule: self.a > 1",
            "spec: Invalid value: \"object\": 'no such overload': call arguments did not match a "
            "supported operator, function or macro signature for rule: m",
        }
    );
}

TEST_CASE("Rules with oldSelf compare with the object before", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "object",
        "properties": {
            "a": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
            "b": {"type": "integer", "x-kubernetes-validations": [
                {"rule": "!oldSelf.hasValue() || self >= oldSelf.value()",
                 "optionalOldSelf": true}]},
            "items": {"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {
                    "k": {"type": "string"},
                    "v": {"type": "integer", "x-kubernetes-validations":
                        [{"rule": "self >= oldSelf"}]}}}}}})j";
    CHECK(broken(kSpec, R"j({"a": "x", "b": 1})j") == Lines{});
    CHECK(
        broken(kSpec, R"j({"a": "y", "b": 1})j", R"j({"a": "x", "b": 2})j") ==
        Lines{
            "spec.a: Invalid value: \"y\": failed rule: self == oldSelf",
            "spec.b: Invalid value: 1: failed rule: !oldSelf.hasValue() || self >= "
            "oldSelf.value()",
        }
    );
    CHECK(
        broken(
            kSpec,
            R"j({"items": [{"k": "n", "v": 0}, {"k": "b", "v": 1}, {"k": "a", "v": 1}]})j",
            R"j({"items": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]})j"
        ) == Lines{"spec.items[1].v: Invalid value: 1: failed rule: self >= oldSelf"}
    );
}

TEST_CASE("What an update leaves as it is, is not reported", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "object",
        "properties": {
            "a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]},
            "b": {"type": "integer"}}})j";
    CHECK(broken(kSpec, R"j({"a": 1, "b": 2})j", R"j({"a": 1, "b": 1})j") == Lines{});
    CHECK(broken(kSpec, R"j({"a": 0})j", R"j({"a": 1})j").size() == 1);
    CHECK(broken(kSpec, R"j({"a": 1})j", R"j({"b": 1})j").size() == 1);
}

TEST_CASE("All rules of an object share a budget", "[cel]") {
    constexpr auto kSpec = R"j({
        "type": "array", "maxItems": 20,
        "items": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "lists.range(200).all(x, lists.range(200).all(y, x + y + self >= 0))"},
            {"rule": "lists.range(200).all(x, lists.range(200).all(y, x + y + self >= 0))"},
            {"rule": "lists.range(200).all(x, lists.range(200).all(y, x + y + self >= 0))"}]}})j";
    const auto lines = broken(kSpec, "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
    REQUIRE(lines.size() == 1);
    CHECK(
        lines[0].ends_with("Invalid value: \"integer\": validation failed due to running out of "
                           "cost budget, no further validation rules will be run")
    );
}

TEST_CASE("A definition with faulty rules is refused, each fault with its place", "[cel]") {
    const auto lines = faults(R"j({
        "type": "object",
        "properties": {
            "list": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5,
                "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}},
            "spec": {"type": "object", "properties": {"n": {"type": "integer"}},
                "x-kubernetes-validations": [
                    {"rule": "self.m > 1"},
                    {"rule": "self.n"},
                    {"rule": "self.n > 1", "messageExpression": "self.n"},
                    {"rule": "self.n > 1", "optionalOldSelf": true}]}}})j");
    REQUIRE(lines.size() == 5);
    CHECK(
        lines[0] ==
        "openAPIV3Schema.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "
        "\"self == oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema "
        "within openAPIV3Schema.properties[list]"
    );
    CHECK(
        lines[1] ==
        "openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: "
        R"j({"Rule":"self.m \u003e 1","Message":"","MessageExpression":"","Reason":null,)j"
        R"j("FieldPath":"","OptionalOldSelf":null}: compilation failed: )j"
        "ERROR: <input>:1:5: undefined field 'm'\n | self.m > 1\n | ....^"
    );
    CHECK(lines[2].ends_with(": cel expression must evaluate to a bool"));
    CHECK(lines[3].ends_with(": messageExpression must evaluate to a string"));
    CHECK(
        lines[4] ==
        "openAPIV3Schema.properties[spec].x-kubernetes-validations[3].optionalOldSelf: Invalid "
        "value: true: may not be set if oldSelf is not used in rule"
    );
}

TEST_CASE("The form of a rule is checked before its expression", "[cel]") {
    const auto lines = faults(R"j({
        "type": "object",
        "x-kubernetes-validations": [
            {"rule": " "},
            {"rule": "true", "message": " "},
            {"rule": "true", "message": "a\nb"},
            {"rule": "true\n&& true"},
            {"rule": "true", "reason": "Because"},
            {"rule": "nonsense", "fieldPath": ".x"}]})j");
    REQUIRE(lines.size() == 6);
    CHECK(
        lines[0] ==
        "openAPIV3Schema.x-kubernetes-validations[0].rule: Required value: rule is not specified"
    );
    CHECK(
        lines[4] ==
        "openAPIV3Schema.x-kubernetes-validations[4].reason: Unsupported value: \"Because\": "
        "supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", "
        "\"FieldValueInvalid\", \"FieldValueRequired\""
    );
    CHECK(
        lines[5] ==
        "openAPIV3Schema.x-kubernetes-validations[5].fieldPath: Invalid value: \".x\": must be a "
        "valid path"
    );
}
