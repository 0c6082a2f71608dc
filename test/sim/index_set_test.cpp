#include "sim/job/index_set.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::sim {

using Indexes = std::vector<std::int64_t>;

TEST_CASE("indexes are read and written as the API has them", "[sim]") {
    struct Row {
        const char* text;
        const char* printed;
        std::int64_t size;
    };
    const auto row = GENERATE(
        Row{"", "", 0},
        Row{"0", "0", 1},
        Row{"0,1", "0,1", 2},
        Row{"0-2", "0-2", 3},
        Row{"1-3,4", "1-4", 4},
        Row{"1,3-5,7", "1,3-5,7", 5},
        Row{"8-100", "8,9", 2},
        Row{"10,11", "", 0},
        Row{"a,-1,3,4-,5-2", "3", 1}
    );
    CAPTURE(row.text);
    const IndexSet set = IndexSet::parse(row.text, 10);
    CHECK(set.to_string() == row.printed);
    CHECK(set.size() == row.size);
}

TEST_CASE("an index joins its neighbours", "[sim]") {
    IndexSet set;
    for (const int index : {5, 3, 4, 9, 4}) {
        set.insert(index);
    }
    CHECK(set.to_string() == "3-5,9");
    CHECK(set.contains(4));
    CHECK_FALSE(set.contains(6));
    CHECK(set.first_missing(5, 11) == Indexes{0, 1, 2, 6, 7});
    CHECK(set.first_missing(100, 6) == Indexes{0, 1, 2});
    CHECK(set.count_common(IndexSet::parse("0-4,9", 10)) == 3);
    set.insert_all(IndexSet::parse("0-20", 30));
    CHECK(set.to_string() == "0-20");
    CHECK(set.first_missing(2, 22) == Indexes{21});
}

}  // namespace sluice::sim
