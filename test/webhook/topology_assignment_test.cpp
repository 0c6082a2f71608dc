#include "api/kueue/topology_assignment.hpp"

#include "base/prng.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sluice::api {
namespace {

json::Value parse(const std::string& text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return std::move(*value);
}

/// An assignment of one level whose domains have these values and a pod each.
DomainAssignment one_level(const std::vector<std::string>& values) {
    DomainAssignment assignment{.levels = {"l"}, .domains = {}};
    for (const auto& value : values) {
        assignment.domains.push_back({.values = {value}, .count = 1});
    }
    return assignment;
}

std::string random_value(Prng& prng) {
    static const std::vector<std::string> kParts = {"a", "ab", "ba", "-", "node-", "ü", "名", ""};
    std::string value;
    for (auto n = prng.below(4); n > 0; --n) {
        value += kParts[prng.below(kParts.size())];
    }
    return value;
}

DomainAssignment random_assignment(Prng& prng) {
    DomainAssignment assignment;
    const auto levels = prng.between(1, 4);
    for (std::int64_t i = 0; i < levels; ++i) {
        assignment.levels.push_back("level-" + std::to_string(i));
    }
    const bool same_count = prng.chance(50);
    for (auto n = prng.below(6); n > 0; --n) {
        AssignedDomain domain{.values = {}, .count = same_count ? 3 : prng.between(1, 4)};
        for (std::int64_t i = 0; i < levels; ++i) {
            domain.values.push_back(prng.chance(30) ? "same" : random_value(prng));
        }
        assignment.domains.push_back(std::move(domain));
    }
    return assignment;
}

}  // namespace

TEST_CASE("values lose their common prefix and suffix", "[webhook][topology]") {
    struct Row {
        std::vector<std::string> values;
        const char* level;
    };
    const auto row = GENERATE(
        Row{{"node-1-eu", "node-2-eu"},
            R"({"individual":{"prefix":"node-","suffix":"-eu","roots":["1","2"]}})"},
        Row{{"ababa", "aba"}, R"({"individual":{"suffix":"aba","roots":["ab",""]}})"},
        Row{{"aa", "aaa"}, R"({"individual":{"suffix":"aa","roots":["","a"]}})"},
        Row{{"x", "y"}, R"({"individual":{"roots":["x","y"]}})"},
        Row{{"", "y"}, R"({"individual":{"roots":["","y"]}})"},
        Row{{"same", "same"}, R"({"universal":"same"})"},
        Row{{"alone"}, R"({"universal":"alone"})"}
    );
    const auto made = make_slices(one_level(row.values));
    const auto& slices = made.find("slices")->as_array();
    REQUIRE(slices.size() == 1);
    CHECK(json::print(slices[0].find("valuesPerLevel")->as_array()[0]) == row.level);
}

TEST_CASE("a character of several bytes is never cut", "[webhook][topology]") {
    // U+00FC and U+00FD share their first byte, U+00FC and U+013C their last.
    for (const auto& values : std::vector<std::vector<std::string>>{
             {"x\u00fc", "x\u00fd"}, {"\u00fcx", "\u013cx"}, {"\u00fc", "\u013c"}
         }) {
        const auto assignment = one_level(values);
        const auto printed = json::print(make_slices(assignment));
        const auto read = json::parse(printed);
        REQUIRE(read);
        CHECK(*parse_slices(*read, "a") == assignment);
    }
}

TEST_CASE("no domains make no slices", "[webhook][topology]") {
    const DomainAssignment none{.levels = {"l"}, .domains = {}};
    CHECK(json::print(make_slices(none)) == R"({"levels":["l"],"slices":[]})");
    CHECK(json::print(make_domains(none)) == R"({"levels":["l"],"domains":[]})");
}

TEST_CASE("more domains than a slice may hold make several", "[webhook][topology]") {
    DomainAssignment many{.levels = {"l"}, .domains = {}};
    many.domains.resize(kDomainsPerSliceMax + 1, {.values = {"v"}, .count = 1});
    many.domains.back().values = {"w"};
    const auto made = make_slices(many);
    CHECK(made.find("slices")->as_array().size() == 2);
    const auto read = parse_slices(made, "a");
    REQUIRE(read);
    CHECK((*read == many));
}

TEST_CASE("any valid encoding is read", "[webhook][topology]") {
    const auto value = parse(R"({"levels":["block","host"],"slices":[
        {"domainCount":2,"valuesPerLevel":[{"universal":"b1"},{"individual":{"roots":["x","y"]}}],
         "podCounts":{"universal":4}},
        {"domainCount":1,"valuesPerLevel":[{"individual":{"prefix":"b","roots":["2"]}},
         {"individual":{"prefix":"h","suffix":"0","roots":[""]}}],"podCounts":{"individual":[1]}},
        {"domainCount":0,"valuesPerLevel":[{"universal":"b"},{"universal":"h"}],
         "podCounts":{"universal":1}}]})");
    const auto read = parse_slices(value, "a");
    REQUIRE(read);
    CHECK(
        (*read ==
         DomainAssignment{
             .levels = {"block", "host"},
             .domains =
                 {{.values = {"b1", "x"}, .count = 4},
                  {.values = {"b1", "y"}, .count = 4},
                  {.values = {"b2", "h0"}, .count = 1}}
         })
    );
}

TEST_CASE("both encodings bring random assignments back", "[webhook][topology]") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        Prng prng(seed);
        const auto assignment = random_assignment(prng);
        const auto slices = json::parse(json::print(make_slices(assignment)));
        REQUIRE(slices);
        REQUIRE((*parse_slices(*slices, "a") == assignment));
        REQUIRE((*parse_domains(make_domains(assignment), "a") == assignment));
    }
}

TEST_CASE("a contradictory assignment is refused with its field", "[webhook][topology]") {
    struct Row {
        const char* slices;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{R"({})", "a.slices: must be a list"},
        Row{R"([{}])", "a.slices[0].domainCount: must be a whole number"},
        Row{R"([{"domainCount":-1}])", "domainCount: must be a whole number"},
        Row{R"([{"domainCount":1}])", "valuesPerLevel: has 0 entries for 1 levels"},
        Row{R"([{"domainCount":1,"valuesPerLevel":[{}],"podCounts":{"universal":1}}])",
            "a.slices[0].valuesPerLevel[0]: exactly one of universal and individual"},
        Row{R"([{"domainCount":2,"valuesPerLevel":[{"individual":{"roots":["x"]}}],
            "podCounts":{"universal":1}}])",
            "individual.roots: has 1 entries for 2 domains"},
        Row{R"([{"domainCount":1,"valuesPerLevel":[{"universal":"x"}]}])",
            "podCounts: exactly one of"},
        Row{R"([{"domainCount":2,"valuesPerLevel":[{"universal":"x"}],
            "podCounts":{"individual":[1]}}])",
            "podCounts.individual: must be a list of 2 numbers"},
        Row{R"([{"domainCount":2147483647,"valuesPerLevel":[{"universal":"x"}],
            "podCounts":{"universal":1}}])",
            "domainCount: makes more than 1000000 domains"},
        Row{R"([{"domainCount":1.5}])", "domainCount: must be a whole number"},
        Row{R"([null])", "domainCount: must be a whole number"}
    );
    CAPTURE(row.slices);
    const auto read =
        parse_slices(parse(R"({"levels":["l"],"slices":)" + std::string(row.slices) + "}"), "a");
    REQUIRE_FALSE(read);
    CAPTURE(read.error().detail);
    CHECK(read.error().detail.find(row.expected) != std::string::npos);
    CHECK_FALSE(parse_slices(json::Value("x"), "a"));
    CHECK_FALSE(parse_domains(parse(R"({"levels":[1]})"), "a"));
    CHECK_FALSE(parse_domains(parse(R"({"levels":["l"],"domains":[{"values":["v"]}]})"), "a"));
}

TEST_CASE("the assignments of one object share what may be read", "[webhook][topology]") {
    const auto slices =
        parse(R"({"levels":["l"],"slices":[{"domainCount":3,"valuesPerLevel":[{"universal":"x"}],)"
              R"("podCounts":{"universal":1}}]})");
    CHECK(parse_slices(slices, "a", 3));
    CHECK_FALSE(parse_slices(slices, "a", 2));
    const auto domains = make_domains(*parse_slices(slices, "a"));
    CHECK(parse_domains(domains, "a", 3));
    CHECK_FALSE(parse_domains(domains, "a", 2));
}

}  // namespace sluice::api
