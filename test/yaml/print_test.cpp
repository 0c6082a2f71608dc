#include "yaml/print.hpp"

#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::yaml {

TEST_CASE("members are printed by name", "[yaml]") {
    const auto value = *json::parse(R"({"b":{"d":1,"c":"x y"},"a":[{"f":[],"e":{}}]})");
    CHECK(yaml::print(value) == "a:\n- e: {}\n  f: []\nb:\n  c: x y\n  d: 1\n");
}

TEST_CASE("what is printed as YAML is read back as it was", "[yaml]") {
    for (const char* text : {
             R"({"a":[],"b":{},"c":[1,-2,3.5,true,null,"x"],"d":{"e":[{"f":"g","h":[[1],[2,3]]}]}})",
             R"({"words":["yes","No","null","1e3","0x1f","12","","a: b","# no","- x","on","~"]})",
             R"({"words":["2026-01-01","a #b","a:","'a'","?","a\u0085b","tab\there"]})",
             R"({"words":[".5",".nan","=","<<","a, b","[a]","-"]})",
             R"({"lines":"a\nb\t\"c\" \\","unicode":"é","trap: key":1,"y":"n"})",
             R"("alone")",
             R"([])",
         }) {
        CAPTURE(text);
        const auto value = json::parse(text);
        REQUIRE(value);
        const auto back = parse_document(yaml::print(*value));
        REQUIRE(back);
        CHECK(*back == *value);
    }
}

}  // namespace sluice::yaml
