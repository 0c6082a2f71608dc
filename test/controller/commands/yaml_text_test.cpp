#include "controller/commands/yaml_text.hpp"

#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::commands {

TEST_CASE("what is printed as YAML is read back as it was", "[commands][yaml_text]") {
    for (const char* text : {
             R"({"a":[],"b":{},"c":[1,-2,3.5,true,null,"x"],"d":{"e":[{"f":"g","h":[[1],[2,3]]}]}})",
             R"({"words":["yes","No","null","1e3","0x1f","12","","a: b","# no","- x","on","~","2026-01-01"]})",
             R"({"lines":"a\nb\t\"c\" \\","unicode":"é","trap: key":1,"y":"n"})",
             R"("alone")",
             R"([])",
         }) {
        CAPTURE(text);
        const auto value = json::parse(text);
        REQUIRE(value);
        const auto back = yaml::parse_document(yaml_text(*value));
        REQUIRE(back);
        CHECK(*back == *value);
    }
}

}  // namespace sluice::commands
