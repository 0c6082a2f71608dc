#include "controller/process/writes/awaited_echoes.hpp"

#include "controller/known_stores.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const ObjectKey kKey{kind_of<api::Workload>(), "team", "sample"};

struct Echoes {
    KnownStores stores;
    test::ManualClock clock;
    AwaitedEchoes echoes{stores, clock};

    void show(const std::string& uid, const std::string& version) {
        api::Workload workload;
        workload.metadata.namespace_ = "team";
        workload.metadata.name = "sample";
        workload.metadata.uid = uid;
        workload.metadata.resource_version = version;
        stores.of<api::Workload>().upsert(std::make_shared<const api::Workload>(std::move(workload))
        );
    }
    void show_gone() { stores.of<api::Workload>().remove({"team", "sample"}); }
};

}  // namespace

TEST_CASE("a deletion that is seen before the answer to a write is seen", "[controller]") {
    Echoes e;
    e.show("u", "5");
    e.echoes.begin(kKey);
    e.show_gone();
    e.echoes.expect(kKey, {.uid = "u", .version = 6});
    e.echoes.end(kKey);
    CHECK(e.echoes.is_settled(kKey));
    CHECK_FALSE(e.echoes.next_overdue());
}

TEST_CASE("what was never in the store is waited for", "[controller]") {
    Echoes e;
    e.echoes.begin(kKey);
    e.echoes.expect(kKey, {.uid = "u", .version = 6});
    e.echoes.end(kKey);
    CHECK_FALSE(e.echoes.is_settled(kKey));
    e.show("u", "6");
    CHECK(e.echoes.is_settled(kKey));
}

TEST_CASE("one that was made anew is waited for, though its predecessor was seen", "[controller]") {
    Echoes e;
    e.show("old", "5");
    e.echoes.begin(kKey);
    e.show_gone();
    e.echoes.expect(kKey, {.uid = "new", .version = 7});
    e.echoes.end(kKey);
    CHECK_FALSE(e.echoes.is_settled(kKey));
    e.show("new", "7");
    CHECK(e.echoes.is_settled(kKey));
}

TEST_CASE("of several writes under way each one's answer may come after the end", "[controller]") {
    Echoes e;
    e.show("u", "5");
    e.echoes.begin(kKey);
    e.echoes.begin(kKey);
    e.echoes.expect(kKey, {.uid = "u", .version = 6});
    e.echoes.end(kKey);
    e.show_gone();
    e.echoes.expect(kKey, {.uid = "u", .version = 7});
    CHECK_FALSE(e.echoes.is_settled(kKey));  // one is under way
    e.echoes.end(kKey);
    CHECK(e.echoes.is_settled(kKey));
}

TEST_CASE("a wall clock that is set makes no echo late or overdue", "[controller][clock]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    Echoes e;
    e.echoes.expect(kKey, {.uid = "u", .version = 6});
    e.clock.step_wall(step);
    CHECK_FALSE(e.echoes.take_overdue());
    e.clock.advance(30s - 1ms);
    CHECK_FALSE(e.echoes.take_overdue());
    e.clock.advance(1ms);
    CHECK(e.echoes.take_overdue());
    e.clock.step_wall(step);
    CHECK_FALSE(e.echoes.take_overdue());
    CHECK(e.echoes.next_overdue() == e.clock.instant() + 30s);
}

}  // namespace sluice::controller
