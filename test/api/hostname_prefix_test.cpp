// Hosts of an assignment are written in runs that share a prefix of their names.
#include "api/kueue/hostname_prefix_runs.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "base/prng.hpp"
#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace sluice::api {
namespace {

DomainAssignment on_hosts(const std::vector<std::string>& hosts) {
    DomainAssignment made{.levels = {"kubernetes.io/hostname"}, .domains = {}};
    for (const std::string& host : hosts) {
        made.domains.push_back({.values = {host}, .count = 1});
    }
    return made;
}

std::vector<std::size_t> run_sizes(const DomainAssignment& assignment) {
    std::vector<std::size_t> sizes;
    for (const auto& run : split_by_hostname_prefix(assignment.domains, 0)) {
        sizes.push_back(run.size());
    }
    return sizes;
}

std::string random_host(Prng& random) {
    std::string name;
    for (auto parts = random.between(1, 4); parts > 0; --parts) {
        name += fmt::format("{}{}", random.below(3), random.chance(70) ? "-" : "");
    }
    return name;
}

}  // namespace

TEST_CASE("hosts are split where their shared prefix changes", "[api][topology]") {
    struct Row {
        std::vector<std::string> hosts;
        std::vector<std::size_t> runs;
    };
    const auto row = GENERATE(
        Row{{}, {}},
        Row{{"a"}, {1}},
        Row{{"pool-a-1", "pool-a-2", "pool-b-1", "pool-b-2"}, {2, 2}},
        // The longest prefix of pool-b-1 that another host has is `pool-`.
        Row{{"pool-a-1", "pool-a-2", "pool-b-1"}, {2, 1}},
        Row{{"a-1", "b-1", "a-2", "b-2"}, {1, 1, 1, 1}},
        Row{{"x", "y", "z"}, {3}},
        Row{{"x", "a-1", "a-2"}, {1, 2}},
        // A dash at the end ends no prefix.
        Row{{"a-", "a-", "b"}, {3}},
        Row{{"-a", "-b", "c"}, {2, 1}}
    );
    CAPTURE(row.hosts);
    CHECK(run_sizes(on_hosts(row.hosts)) == row.runs);
}

TEST_CASE("more runs than slices are allowed take shorter prefixes", "[api][topology]") {
    std::vector<std::string> racks;
    std::vector<std::string> scattered;
    for (int rack = 0; rack < 1200; ++rack) {
        racks.push_back(fmt::format("zone{}-rack{:04}-1", rack / 600, rack));
        racks.push_back(fmt::format("zone{}-rack{:04}-2", rack / 600, rack));
        scattered.push_back(fmt::format("a{}-1", rack));
        scattered.push_back(fmt::format("a{}-2", rack));
    }
    CHECK(run_sizes(on_hosts(racks)) == std::vector<std::size_t>{1200, 1200});
    CHECK(run_sizes(on_hosts(scattered)) == std::vector<std::size_t>{2400});
}

TEST_CASE("the shorter of both encodings is written", "[api][topology]") {
    using enum AssignmentEncoding;
    std::vector<std::string> hosts;
    for (int i = 0; i < 100; ++i) {
        hosts.push_back(fmt::format("gke-training-a3-{}-{:03}", i < 50 ? "east" : "west", i));
    }
    const auto two = on_hosts(hosts);
    CHECK(make_slices(two, HostnamePrefixes).find("slices")->as_array().size() == 2);
    CHECK(make_slices(two, OneSlice).find("slices")->as_array().size() == 1);
    const auto few = on_hosts({"a-1", "a-2", "b-1", "b-2"});
    CHECK(make_slices(few, HostnamePrefixes) == make_slices(few, OneSlice));
    auto racks = two;
    racks.levels = {"rack"};
    CHECK(make_slices(racks, HostnamePrefixes) == make_slices(racks, OneSlice));
}

TEST_CASE("runs of random hosts bring their assignments back", "[api][topology]") {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        CAPTURE(seed);
        Prng random(seed);
        std::vector<std::string> hosts;
        for (auto n = random.below(40); n > 0; --n) {
            hosts.push_back(random_host(random));
        }
        const auto assignment = on_hosts(hosts);
        const auto made = make_slices(assignment, AssignmentEncoding::HostnamePrefixes);
        CHECK(
            json::print(made).size() <=
            json::print(make_slices(assignment, AssignmentEncoding::OneSlice)).size()
        );
        const auto read = parse_slices(made, "a");
        REQUIRE(read);
        CHECK((*read == assignment));
        CHECK((decode(encode(assignment, AssignmentEncoding::HostnamePrefixes)) == assignment));
    }
}

TEST_CASE("100,000 hosts of one podSet fit in an object", "[api][topology]") {
    constexpr std::size_t kObjectBytesMax = 1'572'864;  // etcd's limit of a request
    std::vector<std::string> hosts;
    for (int i = 0; i < 100'000; ++i) {
        hosts.push_back(fmt::format(
            "gke-training-a3-ultra-pool-{:03}-{:08x}-{:04x}",
            i / 1000,
            0x9e3779b9U * static_cast<unsigned>(1 + i / 1000),
            0xffffU & (0x9e37U * static_cast<unsigned>(i))
        ));
    }
    const auto assignment = on_hosts(hosts);
    const auto by_prefix =
        json::print(make_slices(assignment, AssignmentEncoding::HostnamePrefixes));
    CHECK(by_prefix.size() < kObjectBytesMax);
    CHECK(
        json::print(make_slices(assignment, AssignmentEncoding::OneSlice)).size() > kObjectBytesMax
    );
}

}  // namespace sluice::api
