#include "api/core/node_affinity.hpp"
#include "api/core/taint.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/label_selector.hpp"
#include "api/meta/names.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

using namespace sluice;
using api::StringMap;

namespace {

template <class T>
T decode(std::string_view json) {
    auto decoded = api::decode<T>(json);
    REQUIRE(decoded);
    return *decoded;
}

bool selects(std::string_view selector, const StringMap& labels) {
    return api::matches(decode<api::LabelSelector>(selector), labels);
}

std::string selector_error(std::string_view selector) {
    const auto made = api::Selector::make(decode<api::LabelSelector>(selector));
    REQUIRE_FALSE(made);
    return made.error().detail;
}

std::string expression(const std::string& key, const std::string& op, const std::string& values) {
    return R"({"key":")" + key + R"(","operator":")" + op + R"(","values":[)" + values + "]}";
}

constexpr auto kNumeric = api::TolerationOperators::WithNumeric;

bool tolerated(
    std::string_view toleration,
    std::string_view taint,
    api::TolerationOperators operators = api::TolerationOperators::Basic
) {
    return api::tolerates(
        decode<api::Toleration>(toleration), decode<api::Taint>(taint), operators
    );
}

}  // namespace

TEST_CASE("a label selector holds when all its parts do", "[api][selector]") {
    const StringMap labels{{"a", "1"}, {"b", ""}};
    CHECK(selects("{}", {}));
    CHECK(selects(R"({"matchLabels":{"a":"1"}})", labels));
    CHECK_FALSE(selects(R"({"matchLabels":{"a":"2"}})", labels));
    CHECK_FALSE(selects(R"({"matchLabels":{"c":""}})", labels));
    struct Row {
        std::string key, op, values;
        bool holds;
    };
    const auto row = GENERATE(
        Row{"a", "In", R"("0","1")", true},
        Row{"a", "In", R"("0")", false},
        Row{"c", "In", R"("1")", false},
        Row{"a", "NotIn", R"("1")", false},
        Row{"a", "NotIn", R"("0")", true},
        Row{"c", "NotIn", R"("1")", true},
        Row{"b", "Exists", "", true},
        Row{"c", "Exists", "", false},
        Row{"b", "DoesNotExist", "", false},
        Row{"c", "DoesNotExist", "", true}
    );
    CAPTURE(row.key, row.op, row.values);
    CHECK(
        selects(
            R"({"matchExpressions":[)" + expression(row.key, row.op, row.values) + "]}", labels
        ) == row.holds
    );
    CHECK_FALSE(selects(
        R"({"matchLabels":{"a":"2"},"matchExpressions":[)" +
            expression(row.key, row.op, row.values) + "]}",
        labels
    ));
}

TEST_CASE("an invalid label selector is refused with the part that is wrong", "[api][selector]") {
    const auto error = [](const std::string& e) {
        return selector_error(
            R"({"matchExpressions":[{"key":"a","operator":"Exists"},)" + e + "]}"
        );
    };
    CHECK(
        error(expression("a", "Gt", R"("1")")) ==
        "matchExpressions[1].operator: 'Gt' is not one of In, NotIn, Exists, DoesNotExist"
    );
    CHECK(
        error(expression("a", "In", "")) ==
        "matchExpressions[1].values: must not be empty with operator In"
    );
    CHECK(
        error(expression("a", "Exists", R"("1")")) ==
        "matchExpressions[1].values: must be empty with operator Exists"
    );
    CHECK(error(expression("a b", "Exists", "")).find("matchExpressions[1].key: 'a b'") == 0);
    CHECK(
        error(expression("a", "In", R"("x y")")).find("matchExpressions[1].values[0]: 'x y'") == 0
    );
    CHECK(
        selector_error(R"({"matchLabels":{"a":"-"}})").find("matchLabels[a]: values[0]: '-'") == 0
    );
}

TEST_CASE("names are checked as the API server checks them", "[api][names]") {
    const std::string a63(63, 'a');
    for (const auto& good : {std::string("a"), std::string("a-1"), std::string("1"), a63}) {
        CHECK_FALSE(api::check_dns1123_label(good));
    }
    for (const auto& bad :
         {std::string(),
          std::string("A"),
          std::string("-a"),
          std::string("a-"),
          std::string("a.b"),
          a63 + "a"}) {
        CAPTURE(bad);
        CHECK(api::check_dns1123_label(bad));
    }
    CHECK_FALSE(api::check_dns1123_subdomain("a.b-c.1"));
    CHECK_FALSE(api::check_dns1123_subdomain(a63 + "aaa"));
    for (const auto* bad : {"", ".", "a.", ".a", "a..b", "a.-b", "a_b", "é"}) {
        CAPTURE(bad);
        CHECK(api::check_dns1123_subdomain(bad));
    }
    for (const auto* good : {"a", "A_b.c-d", "x.io/a", "nvidia.com/gpu", "1"}) {
        CAPTURE(good);
        CHECK_FALSE(api::check_qualified_name(good));
    }
    for (const auto* bad : {"", "/a", "a/", "a/b/c", "A.io/a", "-a", "a b", "x_y/a"}) {
        CAPTURE(bad);
        CHECK(api::check_qualified_name(bad));
    }
    CHECK(api::check_qualified_name("x.io/" + a63 + "a"));
    CHECK_FALSE(api::check_label_value(""));
    CHECK_FALSE(api::check_label_value("A.b_c-1"));
    CHECK(api::check_label_value("a/b"));
    CHECK(api::check_label_value(a63 + "a"));
}

TEST_CASE("a toleration covers the taints that core/v1 says it covers", "[api][taint]") {
    const std::string taint = R"({"key":"k","value":"v","effect":"NoSchedule"})";
    CHECK(tolerated(R"({"key":"k","value":"v"})", taint));
    CHECK(tolerated(R"({"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"})", taint));
    CHECK_FALSE(tolerated(R"({"key":"k","value":"w"})", taint));
    CHECK_FALSE(tolerated(R"({"key":"l","value":"v"})", taint));
    CHECK_FALSE(tolerated(R"({"key":"k","value":"v","effect":"NoExecute"})", taint));
    CHECK(tolerated(R"({"key":"k","operator":"Exists"})", taint));
    CHECK(tolerated(R"({"operator":"Exists"})", taint));
    CHECK(tolerated(R"({"value":"v"})", taint));
    CHECK_FALSE(tolerated("{}", taint));
    CHECK_FALSE(tolerated(R"({"key":"k","operator":"Like","value":"v"})", taint));
    SECTION("numbers are compared where that is switched on") {
        const std::string ten = R"({"key":"k","value":"10","effect":"NoSchedule"})";
        CHECK(tolerated(R"({"key":"k","operator":"Gt","value":"9"})", ten, kNumeric));
        CHECK(tolerated(R"({"key":"k","operator":"Lt","value":"11"})", ten, kNumeric));
        CHECK_FALSE(tolerated(R"({"key":"k","operator":"Gt","value":"10"})", ten, kNumeric));
        CHECK_FALSE(tolerated(R"({"key":"k","operator":"Lt","value":"x"})", ten, kNumeric));
        CHECK_FALSE(tolerated(R"({"key":"k","operator":"Gt","value":"9"})", taint, kNumeric));
        CHECK_FALSE(tolerated(R"({"key":"k","operator":"Gt","value":"9"})", ten));
    }
}

TEST_CASE("the first taint that forbids and is not tolerated is found", "[api][taint]") {
    const std::vector<api::Taint> taints{
        {.key = "soft", .value = "", .effect = "PreferNoSchedule", .time_added = {}},
        {.key = "a", .value = "", .effect = "NoSchedule", .time_added = {}},
        {.key = "b", .value = "", .effect = "NoExecute", .time_added = {}},
    };
    CHECK(api::find_untolerated_taint(taints, {})->key == "a");
    const auto tolerate_a = decode<api::Toleration>(R"({"key":"a","operator":"Exists"})");
    CHECK(api::find_untolerated_taint(taints, {tolerate_a})->key == "b");
    const auto tolerate_all = decode<api::Toleration>(R"({"operator":"Exists"})");
    CHECK(api::find_untolerated_taint(taints, {tolerate_all}) == nullptr);
}

TEST_CASE("node affinity is evaluated against labels and the name", "[api][affinity]") {
    const StringMap labels{{"zone", "a"}, {"cores", "16"}, {"text", "x"}};
    struct Row {
        std::string key, op, values;
        bool holds;
    };
    const auto row = GENERATE(
        Row{"zone", "In", R"("a","b")", true},
        Row{"zone", "In", "", false},
        Row{"zone", "NotIn", R"("a")", false},
        Row{"none", "NotIn", R"("a")", true},
        Row{"zone", "Exists", "", true},
        Row{"none", "DoesNotExist", "", true},
        Row{"zone", "Exists", R"("a")", false},
        Row{"cores", "Gt", R"("15")", true},
        Row{"cores", "Gt", R"("16")", false},
        Row{"cores", "Lt", R"("17")", true},
        Row{"cores", "Lt", R"("1","2")", false},
        Row{"text", "Gt", R"("1")", false},
        Row{"none", "Lt", R"("1")", false},
        Row{"cores", "Gt", R"("x")", false},
        Row{"zone", "Like", R"("a")", false}
    );
    CAPTURE(row.key, row.op, row.values);
    const std::string term =
        R"({"matchExpressions":[)" + expression(row.key, row.op, row.values) + "]}";
    const auto selects_node = [&](const std::string& terms) {
        return api::matches(
            decode<api::NodeSelector>(R"({"nodeSelectorTerms":[)" + terms + "]}"), labels, "node-1"
        );
    };
    CHECK(selects_node(term) == row.holds);
    CHECK(selects_node("{}," + term) == row.holds);
    CHECK(selects_node(
        term + R"(,{"matchFields":[)" + expression("metadata.name", "In", R"("node-1")") + "]}"
    ));
    CHECK_FALSE(selects_node(
        R"({"matchFields":[)" + expression("metadata.name", "NotIn", R"("node-1")") + "]}"
    ));
    CHECK_FALSE(selects_node(""));
    CHECK_FALSE(selects_node("{}"));
}
