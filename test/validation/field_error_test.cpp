#include "validation/field_error.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::validation {

TEST_CASE("a fault is printed as Kubernetes prints it", "[validation]") {
    CHECK(
        invalid("spec.a", "x \"y\"", "is odd").text() ==
        R"(spec.a: Invalid value: "x \"y\"": is odd)"
    );
    CHECK(invalid("spec.a", 3, "").text() == "spec.a: Invalid value: 3");
    CHECK(
        invalid("spec.a", json::Value(), "must be set").text() ==
        "spec.a: Invalid value: null: must be set"
    );
    CHECK(
        invalid("spec.a", json::Object{{"b", true}}, "no").text() ==
        R"(spec.a: Invalid value: {"b":true}: no)"
    );
    CHECK(forbidden("spec.a", "not now").text() == "spec.a: Forbidden: not now");
    CHECK(required("spec.a", "").text() == "spec.a: Required value");
    CHECK(duplicate("spec.a", "b").text() == R"(spec.a: Duplicate value: "b")");
    CHECK(not_found("spec.a", "b").text() == R"(spec.a: Not found: "b")");
    CHECK(
        not_supported("spec.a", "b", {"c", "d"}).text() ==
        R"(spec.a: Unsupported value: "b": supported values: "c", "d")"
    );
    CHECK(not_supported("spec.a", "b", {}).text() == R"(spec.a: Unsupported value: "b")");
    CHECK(too_long("spec.a", 63).text() == "spec.a: Too long: may not be more than 63 bytes");
    CHECK(immutable("spec.a", "b").text() == R"(spec.a: Invalid value: "b": field is immutable)");
}

TEST_CASE("several faults are told in brackets, each once", "[validation]") {
    const FieldError one = required("a", "");
    const FieldError other = required("b", "");
    CHECK(aggregate_text({}) == "");
    CHECK(aggregate_text({one}) == "a: Required value");
    CHECK(aggregate_text({one, one}) == "a: Required value");
    CHECK(aggregate_text({one, other, one}) == "[a: Required value, b: Required value]");
}

}  // namespace sluice::validation
