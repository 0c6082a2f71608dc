#include "kube/runtime/store.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sluice::kube {
namespace {

struct Thing {
    struct Metadata {
        std::string namespace_, name, uid, resource_version;
    } metadata;
    std::string queue;
};

std::shared_ptr<const Thing> make_thing(
    std::string name, std::string version, std::string queue, std::string uid = "u"
) {
    return std::make_shared<const Thing>(
        Thing{{"ns", std::move(name), std::move(uid), std::move(version)}, std::move(queue)}
    );
}

std::vector<std::string> names(const Store<Thing>::Objects& objects) {
    std::vector<std::string> out;
    for (const auto& [key, object] : objects) {
        out.push_back(key.name + ":" + object->metadata.resource_version);
    }
    return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an index follows every change of an object", "[kube][store]") {
    Store<Thing> store;
    store.upsert(make_thing("early", "0", "q1"));
    store.add_index("queue", [](const Thing& thing) { return Names{thing.queue}; });
    store.upsert(make_thing("b", "1", "q1"));
    store.upsert(make_thing("a", "2", "q1"));
    CHECK(names(store.by_index("queue", "q1")) == Names{"a:2", "b:1", "early:0"});
    SECTION("a changed object moves to its new value") {
        const auto change = store.upsert(make_thing("a", "3", "q2"));
        CHECK(change.before->metadata.resource_version == "2");
        CHECK(change.after->metadata.resource_version == "3");
        CHECK(names(store.by_index("queue", "q1")) == Names{"b:1", "early:0"});
        CHECK(names(store.by_index("queue", "q2")) == Names{"a:3"});
    }
    SECTION("a removed object leaves it") {
        CHECK(store.remove({"ns", "a"}).is_removed());
        CHECK(names(store.by_index("queue", "q1")) == Names{"b:1", "early:0"});
        CHECK(store.remove({"ns", "a"}).before == nullptr);
    }
}

TEST_CASE("a full list swaps the store at once and reports only what changed", "[kube][store]") {
    Store<Thing> store;
    store.add_index("queue", [](const Thing& thing) { return Names{thing.queue}; });
    CHECK_FALSE(store.has_synced());
    store.replace(
        {make_thing("same", "1", "q"), make_thing("changed", "2", "q"), make_thing("gone", "3", "q")
        }
    );
    CHECK(store.has_synced());
    const auto same = store.find("ns", "same");
    const auto changes = store.replace(
        {make_thing("same", "1", "q"), make_thing("changed", "5", "p"), make_thing("new", "4", "q")}
    );
    REQUIRE(changes.size() == 3);
    CHECK((changes[0].key.name == "changed" && changes[0].before && changes[0].after));
    CHECK((changes[1].key.name == "gone" && changes[1].is_removed()));
    CHECK((changes[2].key.name == "new" && changes[2].is_added()));
    CHECK(store.find("ns", "same") == same);
    CHECK(names(store.by_index("queue", "q")) == Names{"new:4", "same:1"});
    CHECK(names(store.by_index("queue", "p")) == Names{"changed:5"});
}

TEST_CASE("an object handed out stays as it was when the store goes on", "[kube][store]") {
    Store<Thing> store;
    store.upsert(make_thing("a", "1", "q"));
    const auto held = store.find("ns", "a");
    store.upsert(make_thing("a", "2", "q"));
    CHECK(held->metadata.resource_version == "1");
    CHECK(store.find("ns", "a")->metadata.resource_version == "2");
}

TEST_CASE("an object deleted and made anew between two lists is a change", "[kube][store]") {
    Store<Thing> store;
    store.replace({make_thing("a", "1", "q", "old")});
    const auto changes = store.replace({make_thing("a", "1", "q", "new")});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].before->metadata.uid == "old");
    CHECK(changes[0].after->metadata.uid == "new");
}

}  // namespace sluice::kube
