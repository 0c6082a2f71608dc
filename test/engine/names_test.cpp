#include "engine/names/names.hpp"

#include "base/prng.hpp"
#include "engine/names/pod_sets.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Names of all lengths, of which many differ in one character only.
std::string random_name(Prng& random) {
    const auto length = static_cast<std::size_t>(random.below(20));
    std::string name(length, 'a');
    if (length > 0) {
        name[static_cast<std::size_t>(random.below(length))] =
            static_cast<char>('a' + random.below(4));
    }
    return name;
}

std::vector<PodSetRecord> random_pod_sets(Prng& random) {
    std::vector<PodSetRecord> made(static_cast<std::size_t>(1 + random.below(2)));
    for (PodSetRecord& pod_set : made) {
        pod_set.name = random.below(2) == 0 ? "main" : "worker";
        pod_set.count = static_cast<std::int32_t>(random.below(3));
        pod_set.shape = static_cast<std::uint32_t>(random.below(2));
        pod_set.requests.push_back(
            {.resource = ResourceIndex{static_cast<std::uint32_t>(random.below(2))},
             .amount = Amount(static_cast<std::int64_t>(random.below(3)))}
        );
    }
    return made;
}

}  // namespace

TEST_CASE("every name is found by its index and by its text", "[engine][state]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Prng random(seed);
        Names<FlavorIndex> names(seed);
        std::map<std::string, FlavorIndex> expected;
        for (int step = 0; step < 2000; ++step) {
            const std::string name = random_name(random);
            if (const auto known = expected.find(name); known == expected.end()) {
                CHECK_FALSE(names.find(name).is_valid());
                expected[name] = names.intern(name);
            } else if (random.below(2) == 0) {
                REQUIRE(names.intern(name) == known->second);
            } else {
                names.erase(known->second);
                expected.erase(known);
            }
        }
        std::set<FlavorIndex> indices;
        for (const auto& [name, index] : expected) {
            CHECK(names.find(name) == index);
            CHECK(names.name(index) == name);
            CHECK(indices.insert(index).second);
        }
    }
}

TEST_CASE("a copy of names keeps them when the original ends them", "[engine][state]") {
    Names<FlavorIndex> names(3);
    const FlavorIndex spot = names.intern("spot");
    const Names<FlavorIndex> copy = names;
    names.erase(spot);
    CHECK_FALSE(names.find("spot").is_valid());
    CHECK(copy.find("spot") == spot);
    CHECK(copy.name(spot) == "spot");
    CHECK(names.intern("on-demand") == spot);  // an index that is not used anymore
}

TEST_CASE("equal pod sets are shared whatever came and went before", "[engine][state]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Prng random(seed);
        PodSetPool pool(seed);
        std::vector<std::pair<PodSets, std::vector<PodSetRecord>>> users;
        for (int step = 0; step < 1000; ++step) {
            if (users.empty() || random.below(5) < 3) {
                auto wanted = random_pod_sets(random);
                users.emplace_back(pool.share(wanted), wanted);
            } else {
                std::swap(
                    users[static_cast<std::size_t>(random.below(users.size()))], users.back()
                );
                pool.release(users.back().first);
                users.pop_back();
            }
        }
        std::set<std::vector<PodSetRecord>> distinct;
        for (const auto& [shared, wanted] : users) {
            distinct.insert(wanted);
            REQUIRE(std::vector<PodSetRecord>(shared.begin(), shared.end()) == wanted);
            CHECK((shared == users.front().first) == (wanted == users.front().second));
        }
        CHECK(pool.size() == distinct.size());
        for (auto& [shared, wanted] : users) {
            pool.release(shared);
        }
        CHECK(pool.size() == 0);
    }
}

}  // namespace sluice::engine
