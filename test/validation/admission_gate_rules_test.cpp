#include "validation/admission_gate_rules.hpp"

#include "api/kueue/kueue_names.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <optional>
#include <string>

namespace sluice::validation {
namespace {

const std::string kPath = "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: ";

api::ObjectMeta gated(std::optional<std::string> by) {
    api::ObjectMeta meta;
    if (by) {
        meta.annotations[api::annotation::kAdmissionGatedBy] = *by;
    }
    return meta;
}

}  // namespace

TEST_CASE("gates are domain-prefixed names, each once", "[validation]") {
    struct Row {
        std::string value;
        std::string errors;
    };
    const auto row = GENERATE(
        Row{"", ""},
        Row{" ", ""},
        Row{"acme.io/a", ""},
        Row{"acme.io/a, acme.io/b", ""},
        Row{"acme.io/a,", "Invalid value: \"acme.io/a,\": cannot contain empty gate names"},
        Row{"acme.io/a,acme.io/a",
            "Invalid value: \"acme.io/a,acme.io/a\": duplicate gate name: acme.io/a"},
        Row{"plain",
            "Invalid value: \"plain\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
        Row{"acme.io/a b",
            "Invalid value: \"a b\": Invalid path (regex used for validation is "
            "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"},
        Row{"acme.io/" + std::string(56, 'a'), "Too long: may not be more than 63 bytes"}
    );
    CAPTURE(row.value);
    CHECK(
        aggregate_text(validate_admission_gates(gated(row.value))) ==
        (row.errors.empty() ? "" : kPath + row.errors)
    );
}

TEST_CASE("gates can be taken away and not added", "[validation]") {
    struct Row {
        std::optional<std::string> before;
        std::optional<std::string> after;
        std::string errors;
    };
    const auto row = GENERATE(
        Row{"a.io/x,a.io/y", "a.io/y", ""},
        Row{"a.io/x", std::nullopt, ""},
        Row{"a.io/x", "", ""},
        Row{std::nullopt, "", ""},
        Row{std::nullopt, "a.io/x", "Forbidden: cannot add admission gate after creation"},
        Row{"", "a.io/x", "Forbidden: cannot add admission gate after creation"},
        Row{"a.io/x", "a.io/x,a.io/y", "Forbidden: can only remove gates, not add new ones"}
    );
    CHECK(
        aggregate_text(validate_admission_gates_update(gated(row.before), gated(row.after))) ==
        (row.errors.empty() ? "" : kPath + row.errors)
    );
}

}  // namespace sluice::validation
