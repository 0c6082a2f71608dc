#include "api/schema/schema_cell.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace sluice;

TEST_CASE("a cell of a table is read word by word", "[api][schema]") {
    const auto cell =
        api::parse_cell(R"([..253 SUB C5] 1..64 map(a,b) E(x, "") D({"a": [1]}) R C2-C4)");
    CHECK(cell.type == "list");
    CHECK(cell.min == 1);
    CHECK(cell.max == 64);
    CHECK(cell.list_type == "map");
    CHECK(cell.list_keys == std::vector<std::string>{"a", "b"});
    CHECK(cell.values == std::vector<std::string>{"x", ""});
    CHECK(json::print(*cell.default_value) == R"({"a":[1]})");
    CHECK(cell.required);
    CHECK(cell.rules == std::vector<int>{2, 3, 4});
    CHECK(cell.items->max == 253);
    CHECK_FALSE(cell.items->min.has_value());
    CHECK(cell.items->pattern == "SUB");
    CHECK(cell.items->rules == std::vector<int>{5});
}
