#include "validation/metadata_rules.hpp"

#include "api/meta/meta.hpp"
#include "support/objects.hpp"
#include "validation/go_numbers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::validation {
namespace {

using test::object;

const std::string kName =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

}  // namespace

TEST_CASE("label keys are names with or without a prefix", "[validation]") {
    CHECK(validate_label_name("a.b/c", "p").empty());
    CHECK(validate_label_name("C", "p").empty());
    CHECK(aggregate_text(validate_label_name("a b", "p")) == "p: Invalid value: \"a b\": " + kName);
    CHECK(
        aggregate_text(validate_label_name("", "p")) ==
        "[p: Invalid value: \"\": name part must be non-empty, p: Invalid value: \"\": " + kName +
            "]"
    );
    CHECK(
        aggregate_text(validate_label_name("/a", "p")) ==
        "p: Invalid value: \"/a\": prefix part must be non-empty"
    );
    CHECK(validate_label_name("a/b/c", "p").size() == 1);
    const std::string long_name(64, 'a');
    CHECK(aggregate_text(validate_label_name(long_name, "p"))
              .ends_with("name part must be no more than 63 bytes"));
    CHECK(
        aggregate_text(validate_label_name("A.b/c", "p"))
            .find("prefix part a lowercase RFC 1123 subdomain must consist of lower case") !=
        std::string::npos
    );
}

TEST_CASE("keys and values of labels are told at the map", "[validation]") {
    CHECK(validate_labels({{"a", "b"}, {"c", ""}}, "spec.nodeLabels").empty());
    const auto text = aggregate_text(validate_labels({{"a", "b c"}}, "spec.nodeLabels"));
    CHECK(
        text.starts_with("spec.nodeLabels: Invalid value: \"b c\": a valid label must be an "
                         "empty string or consist of alphanumeric characters")
    );
}

TEST_CASE("keys of annotations may have capitals, and all are of limited size", "[validation]") {
    CHECK(validate_annotations({{"Example.com/A", "any \n value"}}, "p").empty());
    CHECK(validate_annotations({{"a b", ""}}, "p").size() == 1);
    const std::string large(256UL * 1024, 'a');
    CHECK(
        aggregate_text(validate_annotations({{"a", large}}, "p")) ==
        "p: Too long: may not be more than 262144 bytes"
    );
}

TEST_CASE("a selector's operators want values or none", "[validation]") {
    const auto errors_of = [](std::string_view expressions) {
        return aggregate_text(validate_label_selector(
            object<api::LabelSelector>(fmt::format("{{matchExpressions: [{}]}}", expressions)), "s"
        ));
    };
    CHECK(errors_of("{key: a, operator: In, values: [b]}, {key: a, operator: Exists}") == "");
    CHECK(
        errors_of("{key: a, operator: In}") ==
        "s.matchExpressions[0].values: Required value: must be specified when `operator` is "
        "'In' or 'NotIn'"
    );
    CHECK(
        errors_of("{key: a, operator: Exists, values: [b]}") ==
        "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is "
        "'Exists' or 'DoesNotExist'"
    );
    CHECK(
        errors_of("{key: a, operator: Near}") ==
        "s.matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector operator"
    );
    CHECK(errors_of("{key: a, operator: In, values: [b, c d]}")
              .starts_with("s.matchExpressions[0].values[1]: Invalid value: \"c d\""));
}

TEST_CASE("conditions are there once and complete", "[validation]") {
    const auto errors_of = [](std::string_view list) {
        std::vector<api::Condition> conditions;
        const auto value = yaml::parse_document(list);
        REQUIRE(value);
        for (const auto& item : value->as_array()) {
            conditions.push_back(*api::from_value<api::Condition>(item));
        }
        return aggregate_text(validate_conditions(conditions, "status.conditions"));
    };
    const std::string good =
        "{type: A, status: \"True\", reason: R, lastTransitionTime: \"2026-01-01T00:00:00Z\"}";
    CHECK(errors_of("[" + good + "]") == "");
    CHECK(
        errors_of("[" + good + "," + good + "]") ==
        "status.conditions[1].type: Duplicate value: \"A\""
    );
    CHECK(
        errors_of("[{type: A, status: Maybe, reason: R, lastTransitionTime: "
                  "\"2026-01-01T00:00:00Z\"}]") ==
        "status.conditions[0].status: Unsupported value: \"Maybe\": supported values: \"False\", "
        "\"True\", \"Unknown\""
    );
    CHECK(
        errors_of("[{type: A, status: \"True\"}]") ==
        "[status.conditions[0].lastTransitionTime: Required value, status.conditions[0].reason: "
        "Required value]"
    );
    CHECK(errors_of("[{type: A, status: \"True\", reason: \"1a\", observedGeneration: -1, "
                    "lastTransitionTime: \"2026-01-01T00:00:00Z\"}]")
              .starts_with("[status.conditions[0].observedGeneration: Invalid value: -1: must be "
                           "greater than or equal to zero, status.conditions[0].reason: Invalid "
                           "value: \"1a\": a condition reason must start with"));
}

TEST_CASE("numbers and booleans are read as Go reads them", "[validation]") {
    CHECK(parse_decimal<std::int32_t>("+7") == 7);
    CHECK(parse_decimal<std::int32_t>("-7") == -7);
    CHECK_FALSE(parse_decimal<std::int32_t>("+-7"));
    CHECK_FALSE(parse_decimal<std::int32_t>("2147483648"));
    CHECK_FALSE(parse_decimal<std::int32_t>(" 7"));
    CHECK_FALSE(parse_decimal<std::int32_t>(""));
    CHECK(number_problem("x") == "strconv.Atoi: parsing \"x\": invalid syntax");
    CHECK(
        number_problem("99999999999999999999") ==
        "strconv.Atoi: parsing \"99999999999999999999\": value out of range"
    );
    CHECK(parse_boolean("T") == true);
    CHECK(parse_boolean("0") == false);
    CHECK_FALSE(parse_boolean("yes"));
    CHECK(boolean_problem("yes") == "strconv.ParseBool: parsing \"yes\": invalid syntax");
}

}  // namespace sluice::validation
