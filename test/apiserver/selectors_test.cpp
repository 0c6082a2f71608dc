#include "apiserver/state/selectors.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace sluice::apiserver {

TEST_CASE("label selectors choose as the API server does", "[apiserver]") {
    const json::Value object =
        *json::parse(R"({"metadata":{"labels":{"app":"web","tier":"front","n":"5"}}})");
    struct Row {
        const char* text;
        bool matches;
    };
    const auto row = GENERATE(
        Row{"", true},
        Row{"app=web", true},
        Row{"app==web", true},
        Row{"app!=web", false},
        Row{"app=web,tier=back", false},
        Row{"app in (web, api)", true},
        Row{"app notin (web)", false},
        Row{"none notin (web)", true},
        Row{"tier", true},
        Row{"!tier", false},
        Row{"!none", true},
        Row{"n>4", true},
        Row{"n<4", false},
        Row{"none!=x", true}
    );
    CAPTURE(row.text);
    const auto query = LabelQuery::parse(row.text);
    REQUIRE(query);
    CHECK(query->matches(object) == row.matches);
}

TEST_CASE("what is no selector is refused", "[apiserver]") {
    CHECK_FALSE(LabelQuery::parse(GENERATE("a in b", "=", "a=b,", "a in (b", "!", "n>x", "a!b")));
    const auto query = FieldQuery::parse("spec.x=1", {}, true);
    REQUIRE_FALSE(query);
    CHECK(query.error().detail == "field label not supported: spec.x");
    CHECK_FALSE(FieldQuery::parse("name", {}, false));
}

TEST_CASE("field selectors look at the fields of the kind", "[apiserver]") {
    const json::Value pod =
        *json::parse(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"},"status":{}})");
    const auto fields = selectable_fields("", "pods");
    CHECK(FieldQuery::parse("spec.nodeName=n1", fields, false)->matches(pod));
    CHECK(FieldQuery::parse("metadata.name!=q,status.phase=", fields, false)->matches(pod));
    CHECK_FALSE(FieldQuery::parse("spec.nodeName!=n1", fields, false)->matches(pod));
}

}  // namespace sluice::apiserver
