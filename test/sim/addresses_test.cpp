#include "sim/pods/addresses.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

namespace sluice::sim {

TEST_CASE("addresses come one after the other and are passed over where they are used", "[sim]") {
    AddressPool pool("10.244");
    CHECK(pool.take() == "10.244.0.1");
    pool.use("10.244.0.2");
    CHECK(pool.take() == "10.244.0.3");
    pool.release("10.244.0.2");
    CHECK(pool.take() == "10.244.0.4");
}

TEST_CASE("addresses begin again after the last one, with those that are free", "[sim]") {
    AddressPool pool("10.244");
    std::set<std::string> given;
    for (int i = 0; i < 256 * 254; ++i) {
        given.insert(pool.take());
    }
    CHECK(given.size() == 256 * 254);
    CHECK(given.contains("10.244.255.254"));
    pool.release("10.244.7.9");
    CHECK(pool.take() == "10.244.7.9");
    CHECK_FALSE(pool.take().empty());
}

TEST_CASE("what is no address of the network is passed over", "[sim]") {
    AddressPool pool("10.244");
    for (const char* text :
         {"",
          "10.244",
          "10.244.",
          "10.244.0",
          "10.244.0.",
          "10.244.0.0",
          "10.244.0.255",
          "10.244.256.1",
          "10.244.0.1.1",
          "10.244.0.1x",
          "10.245.0.1",
          "192.168.0.1",
          "10.244.0.99999999999",
          "::1"}) {
        pool.use(text);
        pool.release(text);
    }
    CHECK(pool.take() == "10.244.0.1");
}

}  // namespace sluice::sim
