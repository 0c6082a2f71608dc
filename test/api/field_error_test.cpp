#include "api/meta/field_error.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::api {

TEST_CASE("a fault is printed as Kubernetes prints it", "[validation]") {
    CHECK(
        api::FieldError::invalid("spec.a", "x \"y\"", "is odd").text() ==
        R"(spec.a: Invalid value: "x \"y\"": is odd)"
    );
    CHECK(api::FieldError::invalid("spec.a", 3, "").text() == "spec.a: Invalid value: 3");
    CHECK(
        api::FieldError::invalid("spec.a", json::Value(), "must be set").text() ==
        "spec.a: Invalid value: null: must be set"
    );
    CHECK(
        api::FieldError::invalid("spec.a", json::Object{{"b", true}}, "no").text() ==
        R"(spec.a: Invalid value: {"b":true}: no)"
    );
    CHECK(api::FieldError::forbidden("spec.a", "not now").text() == "spec.a: Forbidden: not now");
    CHECK(api::FieldError::required("spec.a", "").text() == "spec.a: Required value");
    CHECK(api::FieldError::duplicate("spec.a", "b").text() == R"(spec.a: Duplicate value: "b")");
    CHECK(api::FieldError::not_found("spec.a", "b").text() == R"(spec.a: Not found: "b")");
    CHECK(
        api::FieldError::not_supported("spec.a", "b", {"c", "d"}).text() ==
        R"(spec.a: Unsupported value: "b": supported values: "c", "d")"
    );
    CHECK(
        api::FieldError::not_supported("spec.a", "b", {}).text() ==
        R"(spec.a: Unsupported value: "b")"
    );
    CHECK(
        api::FieldError::too_long("spec.a", 63).text() ==
        "spec.a: Too long: may not be more than 63 bytes"
    );
    CHECK(
        api::FieldError::immutable("spec.a", "b").text() ==
        R"(spec.a: Invalid value: "b": field is immutable)"
    );
}

TEST_CASE("several faults are told in brackets, each once", "[validation]") {
    const api::FieldError one = api::FieldError::required("a", "");
    const api::FieldError other = api::FieldError::required("b", "");
    CHECK(aggregate_text({}) == "");
    CHECK(aggregate_text({one}) == "a: Required value");
    CHECK(aggregate_text({one, one}) == "a: Required value");
    CHECK(aggregate_text({one, other, one}) == "[a: Required value, b: Required value]");
}

}  // namespace sluice::api
