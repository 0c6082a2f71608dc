#include "engine/state/workload_index.hpp"

#include "base/prng.hpp"
#include "engine/names/pod_sets.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {

TEST_CASE("every workload is found by its key whatever came and went before", "[engine][state]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Prng random(seed);
        WorkloadIndexByKey index(seed);
        WorkloadRecords records(100);
        std::map<std::string, WorkloadIndex> expected;
        for (int step = 0; step < 2000; ++step) {
            const auto at = static_cast<std::size_t>(random.below(records.size()));
            const auto workload = make_index<WorkloadIndex>(at);
            const std::string key = "ns/w" + std::to_string(at);
            if (expected.erase(key) > 0) {
                index.erase(workload, records);
            } else {
                records.write(at).identity = WorkloadIdentity(key, "");
                index.insert(workload, records);
                expected[key] = workload;
            }
            const auto asked = "ns/w" + std::to_string(random.below(records.size()));
            const auto found = expected.find(asked);
            REQUIRE(
                index.find(asked, records) ==
                (found == expected.end() ? WorkloadIndex{} : found->second)
            );
        }
        for (const auto& [key, workload] : expected) {
            CHECK(index.find(key, records) == workload);
        }
    }
}

TEST_CASE("equal pod sets are kept once and forgotten with their last user", "[engine][state]") {
    PodSetPool pool(7);
    std::vector<PodSetRecord> one(1);
    one[0].name = "main";
    auto a = pool.share(one);
    auto b = pool.share(one);
    CHECK(a == b);
    one[0].count = 2;
    auto c = pool.share(one);
    CHECK(a != c);
    CHECK(pool.size() == 2);
    pool.release(a);
    CHECK(pool.size() == 2);
    CHECK(b[0].name == "main");
    pool.release(b);
    pool.release(c);
    CHECK(pool.size() == 0);
    CHECK(c.size() == 0);
}

}  // namespace sluice::engine
