#include "apiserver/table/column_path.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {

using apiserver::ColumnPath;

namespace {

/// What is at the path, printed; "none", or "refused".
std::string at(std::string_view path) {
    static const json::Value kObject = json::parse(R"json({
            "metadata": {"labels": {"example.com/x": "label"}},
            "spec": {
                "n": 7, "half": 1.5, "list": ["x", "y", "z"], "none": [], "nul": null,
                "m": {"k": "v", "a.b": "dot"}
            },
            "conditions": [
                {"type": "Ready", "status": "True", "n": 1},
                {"type": "Other", "status": "False", "n": 2},
                {"type": "Odd)", "status": "Unknown"}
            ]
        })json")
                                           .value();
    const auto read = ColumnPath::parse(path);
    if (!read) {
        return "refused";
    }
    const json::Value* found = read->find_first(kObject);
    return found == nullptr ? "none" : json::print(*found);
}

}  // namespace

TEST_CASE("paths of columns lead to members", "[apiserver][columns]") {
    CHECK(at(".spec.n") == "7");
    CHECK(at(".spec.m['k']") == "\"v\"");
    CHECK(at(R"(.metadata.labels.example\.com/x)") == "\"label\"");
    CHECK(at(R"(.metadata.labels['example\.com/x'])") == "\"label\"");
    CHECK(at(".spec.m['a.b']") == "none");
    CHECK(at(".spec.nul") == "null");
    CHECK(at(".spec.missing.more") == "none");
    CHECK(at(".spec.n.more") == "none");
    CHECK(at(".") == "none");
}

TEST_CASE("paths of columns lead to elements of lists", "[apiserver][columns]") {
    CHECK(at(".spec.list[0]") == "\"x\"");
    CHECK(at(".spec.list[-1]") == "\"z\"");
    CHECK(at(".spec.list[-1:]") == "\"z\"");
    CHECK(at(".conditions[-2:].type") == "\"Other\"");
    CHECK(at(".spec.list[1:2]") == "\"y\"");
    CHECK(at(".spec.list[::2]") == "\"x\"");
    CHECK(at(".spec.list[*]") == "\"x\"");
    CHECK(at(".spec.list[2,0]") == "\"z\"");
    CHECK(at(".spec['n','m']") == "7");
    CHECK(at(".spec.list[3]") == "none");
    CHECK(at(".spec.list[9223372036854775807]") == "none");
    CHECK(at(".spec.list[-4]") == "none");
    CHECK(at(".spec.list[2:1]") == "none");
    CHECK(at(".spec.list[::0]") == "none");
    CHECK(at(".spec.list[-9223372036854775808:]") == "none");
    CHECK(at(".spec.list[0:3:9223372036854775807]") == "\"x\"");
    CHECK(at(".spec.none[-1:].type") == "none");
    CHECK(at(".spec.m[0]") == "none");
}

TEST_CASE("paths of columns choose elements by what is in them", "[apiserver][columns]") {
    CHECK(at(R"(.conditions[?(@.type=="Other")].status)") == "\"False\"");
    CHECK(at(R"(.conditions[?( @.type == 'Other' )].status)") == "\"False\"");
    CHECK(at(R"path(.conditions[?(@.type=="Odd)")].status)path") == "\"Unknown\"");
    CHECK(at(R"(.conditions[?(@.type!="Ready")].type)") == "\"Other\"");
    CHECK(at(R"(.conditions[?(@.type=="None")].type)") == "none");
    CHECK(at(".conditions[?(@.n>1)].type") == "\"Other\"");
    CHECK(at(".conditions[?(@.n>=1)].type") == "\"Ready\"");
    CHECK(at(".conditions[?(@.n<2)].type") == "\"Ready\"");
    CHECK(at(".conditions[?(@.n<=0)].type") == "none");
    CHECK(at(".conditions[?(@.n)].n") == "1");
    CHECK(at(".conditions[?(@.n==@.n)].n") == "1");
    // What cannot be compared, and an operator that there is not, end the search.
    CHECK(at(R"(.conditions[?(@.n=="1")].type)") == "none");
    CHECK(at(R"(.conditions[?(@.type="Ready")].type)") == "none");
    CHECK(at(".conditions[?(@.type==Ready)].type") == "none");
    CHECK(at(".spec.n more") == "none");
    CHECK(at(R"(.spec.m[?(@.k=="v")])") == "none");
}

TEST_CASE("paths of columns find what is anywhere below", "[apiserver][columns]") {
    CHECK(at("..k") == "\"v\"");
    CHECK(at("..type") == "\"Ready\"");
    CHECK(at(".spec.m.*") == "\"dot\"");
    CHECK(at("..missing") == "none");
}

TEST_CASE("what is no path of a column is refused", "[apiserver][columns]") {
    for (const auto* path :
         {".spec[",
          ".spec[a]",
          ".spec[\"n\"]",
          ".spec[1:2:3:4]",
          ".conditions[?(@.n==1]",
          ".conditions[?(@.n==1)",
          ".conditions[?(@.n==)]",
          ".spec}",
          "{.spec}",
          "....n",
          ".spec[0:x]",
          ".list[99999999999999999999]"}) {
        INFO(path);
        CHECK(at(path) == "refused");
    }
}

TEST_CASE("descents within descents come to an end", "[apiserver][columns]") {
    std::string deep;
    for (int i = 0; i < 100; ++i) {
        deep += R"({"a":)";
    }
    deep += "1" + std::string(100, '}');
    const auto object = json::parse(deep);
    REQUIRE(object.has_value());
    std::string path;
    for (int i = 0; i < 12; ++i) {
        path += "..a";
    }
    const auto read = ColumnPath::parse(path);
    REQUIRE(read.has_value());
    CHECK(read->find_first(*object) == nullptr);
    // A union finds the same list again and again, and the descent all that is in it each time.
    json::Array ones(50'000, json::Value(json::Array{1}));
    const json::Value many = json::Object{{"l", std::move(ones)}};
    std::string again = "['l'";
    for (int i = 0; i < 50'000; ++i) {
        again += ",'l'";
    }
    const auto union_path = ColumnPath::parse(again + "]..x");
    REQUIRE(union_path.has_value());
    CHECK(union_path->find_first(many) == nullptr);
}

}  // namespace sluice::test
