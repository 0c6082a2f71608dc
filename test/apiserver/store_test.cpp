#include "apiserver/state/store.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>

namespace sluice::test {

namespace {

json::Value make_object(std::size_t bytes) {
    return json::Object{
        {"metadata", json::Object{{"name", "a"}}},
        {"data", json::Object{{"text", std::string(bytes, 'x')}}}
    };
}

}  // namespace

TEST_CASE("the log forgets what takes too much memory", "[apiserver]") {
    const apiserver::Collection maps{"", "configmaps"};
    const apiserver::ObjectName name{"default", "a"};
    constexpr std::size_t kBytesMax = 100'000;
    apiserver::Store store(10'000, kBytesMax);
    for (int i = 0; i < 100; ++i) {
        store.put(maps, name, make_object(10'000));
    }
    SECTION("though it has few entries") {
        const auto* log = store.log_since(maps, store.version() - 9);
        REQUIRE(log != nullptr);
        CHECK(log->size() == 9);
        CHECK(log->back().version == store.version());
        CHECK(store.log_since(maps, store.version() - 11) == nullptr);
    }
    SECTION("but never the latest") {
        store.put(maps, name, make_object(2 * kBytesMax));
        REQUIRE(store.log_since(maps, store.version() - 1) != nullptr);
        CHECK(store.log_since(maps, store.version() - 1)->size() == 1);
        store.remove(maps, name);
        CHECK(store.log_since(maps, store.version() - 1)->size() == 1);
        CHECK(store.log_since(maps, store.version() - 2) == nullptr);
    }
    SECTION("and nothing of other collections") {
        store.put({"", "secrets"}, name, make_object(10));
        CHECK(store.log_since({"", "secrets"}, 0)->size() == 1);
    }
}

}  // namespace sluice::test
