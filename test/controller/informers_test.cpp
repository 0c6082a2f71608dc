#include "controller/process/informers.hpp"

#include "net/loop/task_group.hpp"
#include "support/captured_log.hpp"
#include "support/embedded_server.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// How kinds are followed that come and go at run time.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const auto kNames = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
    .group = "example.com", .version = "v1", .kind = "Training", .resource = "trainings"
});

json::Value training(const std::string& name) {
    return json::Object{
        {"apiVersion", "example.com/v1"},
        {"kind", "Training"},
        {"metadata", json::Object{{"name", name}, {"namespace", "team"}}},
        {"spec", json::Object{{"suspend", true}}},
    };
}

struct Followed {
    using FindUnknownFields = std::function<std::vector<std::string>(const json::Value&)>;

    explicit Followed(
        Presence presence, FindUnknownFields find_unknown_fields = {}, Duration delay = 2ms
    )
        : discovery_delay(delay) {
        KindEntry wanted = make_dynamic_entry(kNames);
        wanted.presence = presence;
        wanted.find_unknown_fields = std::move(find_unknown_fields);
        const KindEntry& entry = registry.add(std::move(wanted));
        stores.add(entry.make_store());
        informers.follow(entry, &tasks);
    }
    ~Followed() { test::run_async(loop, tasks.stop(0s)); }

    /// Lets the loop go on until the condition holds, for ten seconds at most.
    bool eventually(const std::function<bool()>& condition) {
        for (int i = 0; i < 2000 && !condition(); ++i) {
            test::run_async(loop, net::pause_for(5ms));
        }
        return condition();
    }
    std::size_t lists() const {
        return static_cast<std::size_t>(
            std::ranges::count(client.calls(), test::Verb::List, &test::Call::verb)
        );
    }

    Duration discovery_delay;
    net::EventLoop loop;
    SystemClock clock;
    test::EmbeddedServer client{loop.executor(), clock};
    Registry registry;
    Stores stores;
    std::vector<std::string> seen;
    int gone = 0;
    Informers informers{
        {.client = client,
         .clock = clock,
         .stores = stores,
         .executor = loop.executor(),
         .on_change = [this](const kube::AnyChange& change
                      ) { seen.push_back((change.after ? "+" : "-") + change.key.name); },
         .on_gone = [this](Kind) { ++gone; },
         .discovery_delay = discovery_delay}
    };
    net::TaskGroup tasks{loop.executor(), "test"};
};

}  // namespace

TEST_CASE("what follows nothing yet has not seen all", "[controller]") {
    net::EventLoop loop;
    SystemClock clock;
    test::EmbeddedServer client(loop.executor(), clock);
    Stores stores;
    const Informers informers(
        {.client = client,
         .clock = clock,
         .stores = stores,
         .executor = loop.executor(),
         .on_change = [](const kube::AnyChange&) {},
         .on_gone = [](Kind) {},
         .discovery_delay = 2ms}
    );
    CHECK_FALSE(informers.has_synced());
}

TEST_CASE("a kind that the server does not have is waited for without a list", "[controller]") {
    Followed optional(Presence::Optional);
    CHECK(optional.eventually([&] { return optional.informers.has_synced(); }));
    CHECK(optional.lists() == 0);
    Followed required(Presence::Required);
    CHECK(required.eventually([&] { return required.client.calls().size() > 3; }));
    CHECK_FALSE(required.informers.has_synced());
    CHECK(required.lists() == 0);
    required.client.serve(kNames->kind());
    CHECK(required.eventually([&] { return required.informers.has_synced(); }));
}

TEST_CASE("absent kinds are asked for when another one appears", "[controller]") {
    const auto other = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "other.example", .version = "v1", .kind = "Other", .resource = "others"
    });
    Followed cluster(Presence::Optional, {}, 50ms);
    const auto asks = [&] { return cluster.client.calls().size(); };
    // From now on discovery would not be asked again for more than three seconds.
    REQUIRE(cluster.eventually([&] { return asks() >= 7; }));
    KindEntry wanted = make_dynamic_entry(other);
    wanted.presence = Presence::Optional;
    const KindEntry& entry = cluster.registry.add(std::move(wanted));
    cluster.stores.add(entry.make_store());
    cluster.informers.follow(entry, &cluster.tasks);
    REQUIRE(cluster.eventually([&] { return asks() >= 8; }));
    cluster.client.serve(kNames->kind());
    cluster.client.serve(other->kind());
    const Instant before = cluster.clock.instant();
    const auto has_synced = [&](Kind kind) { return cluster.stores.find(kind)->has_synced(); };
    CHECK(cluster.eventually([&] { return has_synced(other->kind()) && has_synced(kNames->kind()); }
    ));
    CHECK(cluster.clock.instant() - before < 2500ms);
}

TEST_CASE(
    "a kind that appears is followed, one that goes is dropped with all of it", "[controller]"
) {
    Followed cluster(Presence::Optional);
    REQUIRE(cluster.eventually([&] { return cluster.informers.has_synced(); }));
    cluster.client.serve(kNames->kind());
    cluster.client.put(kube::path_of(kNames->kind(), "team"), training("a"));
    REQUIRE(cluster.eventually([&] { return cluster.seen.size() == 1; }));
    const auto& objects = *cluster.stores.find_dynamic(kNames->kind());
    const auto object = objects.find("team", "a");
    REQUIRE(object);
    CHECK(object->value.find_path({"spec", "suspend"})->as_bool());
    CHECK(cluster.stores.find_metadata({kNames->kind(), "team", "a"})->uid == object->metadata.uid);
    cluster.client.stop_serving(kNames->kind());
    REQUIRE(cluster.eventually([&] { return cluster.seen.size() == 2; }));
    CHECK(cluster.seen == std::vector<std::string>{"+a", "-a"});
    CHECK(objects.size() == 0);
    CHECK(cluster.eventually([&] { return cluster.gone > 0; }));
    const kube::AnyStore& store = *cluster.stores.find(kNames->kind());
    CHECK(store.has_synced());
    CHECK_FALSE(store.shows_all());
    SECTION("and followed again when it comes back") {
        cluster.client.serve(kNames->kind());
        cluster.client.put(kube::path_of(kNames->kind(), "team"), training("b"));
        CHECK(cluster.eventually([&] { return objects.find("team", "b") != nullptr; }));
        CHECK(store.shows_all());
    }
}

TEST_CASE("a kind of jobs without namespaces is left alone, and told once", "[controller]") {
    const test::CapturedLog log;
    Followed cluster(Presence::Optional);
    const kube::RunTimeKind wide(
        {.group = "example.com",
         .version = "v1",
         .kind = "Training",
         .resource = "trainings",
         .is_namespaced = false}
    );
    cluster.client.serve(wide.kind());
    const auto asked = [&] {
        return std::ranges::count(cluster.client.calls(), test::Verb::Get, &test::Call::verb);
    };
    CHECK(cluster.eventually([&] { return asked() > 3; }));
    CHECK(cluster.informers.has_synced());
    CHECK(cluster.lists() == 0);
    CHECK(log.count("kind is cluster-scoped") == 1);
}

TEST_CASE("the definition of a kind is looked at once", "[controller]") {
    std::vector<std::string> looked_at;
    Followed cluster(Presence::Optional, [&](const json::Value& open_api) {
        const json::Value* schemas = open_api.find_path({"components", "schemas"});
        REQUIRE(schemas != nullptr);
        for (const auto& [name, schema] : schemas->as_object()) {
            if (name.ends_with(".Training")) {
                looked_at.push_back(name);
            }
        }
        return std::vector<std::string>{"spec.suspend"};
    });
    const bool is_readable = GENERATE(true, false);
    if (!is_readable) {
        cluster.client.set_raw("/openapi/v3/apis/example.com/v1", "no JSON");
    }
    for (const char* name : {"a", "b"}) {
        cluster.client.serve(kNames->kind());
        cluster.client.put(kube::path_of(kNames->kind(), "team"), training(name));
        const auto& objects = *cluster.stores.find_dynamic(kNames->kind());
        REQUIRE(cluster.eventually([&] { return objects.find("team", name) != nullptr; }));
        cluster.client.stop_serving(kNames->kind());
        REQUIRE(cluster.eventually([&] { return objects.size() == 0; }));
    }
    CHECK(
        looked_at == (is_readable ? std::vector<std::string>{"com.example.v1.Training"}
                                  : std::vector<std::string>{})
    );
}

TEST_CASE("a kind that may not be listed holds up nothing if it is optional", "[controller]") {
    const Error forbidden{ErrorCode::Forbidden, "no rights", {}};
    Followed optional(Presence::Optional);
    optional.client.serve(kNames->kind());
    optional.client.put(kube::path_of(kNames->kind(), "team"), training("a"));
    optional.client.fail_next(test::Verb::List, "trainings", forbidden, 1);
    CHECK(optional.eventually([&] { return optional.informers.has_synced(); }));
    CHECK(optional.seen.empty());
    SECTION("and is followed once it may be") {
        CHECK(optional.eventually([&] { return optional.seen.size() == 1; }));
    }
    Followed required(Presence::Required);
    required.client.serve(kNames->kind());
    required.client.fail_next(test::Verb::List, "trainings", forbidden, 1000);
    CHECK(required.eventually([&] { return required.lists() > 0; }));
    CHECK_FALSE(required.informers.has_synced());
}

TEST_CASE("a kind that appears later holds up nothing while it is listed", "[controller]") {
    Followed cluster(Presence::Optional);
    REQUIRE(cluster.eventually([&] { return cluster.informers.has_synced(); }));
    const Error down{ErrorCode::Unavailable, "overloaded", {}};
    cluster.client.fail_next(test::Verb::List, "trainings", down, 1000);
    cluster.client.serve(kNames->kind());
    REQUIRE(cluster.eventually([&] { return cluster.lists() > 0; }));
    CHECK(cluster.informers.has_synced());
}

TEST_CASE("objects are not dropped while discovery does not answer", "[controller]") {
    Followed cluster(Presence::Optional);
    cluster.client.serve(kNames->kind());
    cluster.client.put(kube::path_of(kNames->kind(), "team"), training("a"));
    REQUIRE(cluster.eventually([&] { return cluster.seen.size() == 1; }));
    const Error not_found{ErrorCode::NotFound, "starting", {}};
    const Error down{ErrorCode::Unavailable, "starting", {}};
    cluster.client.fail_next(test::Verb::List, "trainings", not_found, 1);
    cluster.client.fail_next(test::Verb::Get, "", down, 10);
    cluster.client.forget_history();
    const auto lists = cluster.lists();
    CHECK(cluster.eventually([&] { return cluster.lists() >= lists + 2; }));
    CHECK(cluster.seen == std::vector<std::string>{"+a"});
}

}  // namespace sluice::controller
