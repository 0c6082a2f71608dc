#include "api/meta/codec.hpp"
#include "json/patch.hpp"
#include "json/value.hpp"
#include "kube/runtime/leader_elector.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;
using Action = LeaderElector::Action;

constexpr auto kStart = Instant(1h);
constexpr auto kWall = Time(1'800'000'000s);

LeaderElector elector(const std::string& identity = "me") {
    LeaderOptions options;
    options.namespace_ = "kueue-system";
    options.identity = identity;
    return LeaderElector(options, 1);
}

api::Lease held_by(const std::string& holder, Time renewed, std::string version = "5") {
    api::Lease lease;
    lease.metadata.resource_version = std::move(version);
    lease.spec.holder_identity = holder;
    lease.spec.lease_duration_seconds = 15;
    lease.spec.acquire_time = api::MicroTime{renewed};
    lease.spec.renew_time = api::MicroTime{renewed};
    lease.spec.lease_transitions = 3;
    return lease;
}

/// The next step when the wall clock goes as it should.
LeaderElector::Step next_at(LeaderElector& me, Instant now) {
    return me.next(now, kWall + (now - kStart));
}

/// An elector that became leader at kStart.
LeaderElector leading() {
    auto out = elector();
    out.on_absent();
    out.on_written(next_at(out, kStart).lease, kStart);
    return out;
}

}  // namespace

TEST_CASE("an absent lease is created and makes a leader", "[kube][leader]") {
    auto me = elector();
    CHECK(next_at(me, kStart).action == Action::Get);
    me.on_absent();
    const auto step = next_at(me, kStart);
    REQUIRE(step.action == Action::Create);
    CHECK(step.lease.metadata.name == "c1f6bfd2.kueue.x-k8s.io");
    CHECK(step.lease.spec.holder_identity == "me");
    CHECK(step.lease.spec.lease_duration_seconds == 15);
    CHECK(step.lease.spec.lease_transitions == 0);
    me.on_written(step.lease, kStart);
    CHECK(me.is_leader());
    CHECK(next_at(me, kStart).action == Action::Wait);
    CHECK(next_at(me, kStart).until == kStart + 2s);
}

TEST_CASE(
    "a lease that another holds is waited for, from when it was first seen so", "[kube][leader]"
) {
    auto me = elector();
    // The holder's clock is hours ahead, which must not matter.
    me.on_read(held_by("other", kWall + 5h), kStart);
    auto step = next_at(me, kStart);
    CHECK(step.action == Action::Wait);
    CHECK(step.until >= kStart + 2s);
    CHECK(step.until <= kStart + 4400ms);
    CHECK(me.holder() == "other");
    me.on_read(held_by("other", kWall + 5h), kStart + 14s);
    CHECK(next_at(me, kStart + 20s).action == Action::Get);
    SECTION("renewed meanwhile: it counts anew") {
        me.on_read(held_by("other", kWall + 5h + 1s, "6"), kStart + 16s);
        CHECK(next_at(me, kStart + 29s).action == Action::Get);
        CHECK_FALSE(me.is_leader());
    }
    SECTION("not renewed for its length: it is taken over") {
        me.on_read(held_by("other", kWall + 5h), kStart + 15s);
        const auto taking = next_at(me, kStart + 18s);
        REQUIRE(taking.action == Action::Update);
        CHECK(taking.lease.metadata.resource_version == "5");
        CHECK(taking.lease.spec.lease_transitions == 4);
        CHECK(taking.lease.spec.acquire_time->time == kWall + 18s);
        SECTION("unless another was faster") {
            me.on_failed(Error{ErrorCode::Conflict, "", {}}, kStart + 18s);
            CHECK_FALSE(me.is_leader());
            CHECK(next_at(me, kStart + 20s).action == Action::Get);
        }
    }
}

TEST_CASE("a released lease is taken at once", "[kube][leader]") {
    auto me = elector();
    me.on_read(held_by("", kWall), kStart);
    CHECK(next_at(me, kStart).action == Action::Update);
}

TEST_CASE("a leader renews in time and keeps when it acquired", "[kube][leader]") {
    auto me = leading();
    const auto step = next_at(me, kStart + 2s);
    REQUIRE(step.action == Action::Update);
    CHECK(step.lease.spec.renew_time->time == kWall + 2s);
    CHECK(step.lease.spec.acquire_time->time == kWall);
    CHECK(step.lease.spec.lease_transitions == 0);
    CHECK(step.until == kStart + 10s);
    me.on_written(step.lease, kStart + 3s);
    // The lease counts from the time written into it, not from when the answer came.
    CHECK(next_at(me, kStart + 5s).until == kStart + 12s);
}

TEST_CASE("a leader that cannot renew until the deadline has lost", "[kube][leader]") {
    auto me = leading();
    for (auto now = kStart + 2s; now < kStart + 10s; now += 2s) {
        REQUIRE(next_at(me, now).action != Action::Lost);
        me.on_failed(Error{ErrorCode::Unavailable, "", {}}, now);
    }
    CHECK(me.is_leader());
    CHECK(next_at(me, kStart + 10s).action == Action::Lost);
    CHECK_FALSE(me.is_leader());
    CHECK(next_at(me, kStart + 11s).action == Action::Lost);
}

TEST_CASE("a wall clock that is set moves no deadline", "[kube][leader]") {
    const auto shift = GENERATE(Duration(-1h), Duration(1h));
    SECTION("of a leader: it renews in time") {
        auto me = leading();
        CHECK(me.next(kStart + 1s, kWall + shift).action == Action::Wait);
        CHECK(me.is_leader());
        const auto step = me.next(kStart + 2s, kWall + shift);
        REQUIRE(step.action == Action::Update);
        CHECK(step.until == kStart + 10s);
        CHECK(step.lease.spec.renew_time->time == kWall + shift);
        me.on_written(step.lease, kStart + 2s);
        CHECK(me.next(kStart + 3s, kWall + shift).until == kStart + 4s);
        me.on_failed(Error{ErrorCode::Unavailable, "", {}}, kStart + 4s);
        CHECK(me.next(kStart + 11s, kWall + shift).action == Action::Get);
        CHECK(me.next(kStart + 12s, kWall + shift).action == Action::Lost);
    }
    SECTION("of one that waits: it takes over after the lease's length") {
        auto me = elector();
        me.on_read(held_by("other", kWall), kStart);
        me.on_read(held_by("other", kWall), kStart + 14s);
        CHECK(me.next(kStart + 14s, kWall + shift).action == Action::Wait);
        me.on_read(held_by("other", kWall), kStart + 15s);
        CHECK(me.next(kStart + 15s, kWall + shift).action == Action::Wait);
        CHECK(me.next(kStart + 20s, kWall + shift).action == Action::Update);
    }
}

TEST_CASE("a leader leads until its renew deadline after it last asked", "[kube][leader]") {
    auto me = elector();
    CHECK_FALSE(me.leads_until());
    me.on_absent();
    const auto step = next_at(me, kStart);
    me.on_written(step.lease, kStart + 3s);
    CHECK(me.leads_until() == kStart + 10s);
    CHECK(next_at(me, kStart + 10s).action == Action::Lost);
    CHECK_FALSE(me.leads_until());
}

TEST_CASE("a leader that sees another holder has lost", "[kube][leader]") {
    auto me = leading();
    me.on_failed(Error{ErrorCode::Conflict, "", {}}, kStart + 2s);
    CHECK(next_at(me, kStart + 2s).action == Action::Get);
    SECTION("another") {
        me.on_read(held_by("other", kWall + 2s), kStart + 2s);
        CHECK(next_at(me, kStart + 2s).action == Action::Lost);
    }
    SECTION("itself: the write had come through") {
        me.on_read(held_by("me", kWall + 2s), kStart + 2s);
        CHECK(next_at(me, kStart + 4s).action == Action::Update);
    }
}

TEST_CASE("a held lease is given up so that the next can take it at once", "[kube][leader]") {
    auto me = leading();
    const auto lease = me.release(kWall + 5s);
    REQUIRE(lease);
    auto stored = *json::parse(api::encode(held_by("me", kWall)));
    json::apply_merge_patch(stored, *json::parse(make_lease_patch(*lease)));
    CHECK(stored.find_path({"spec", "holderIdentity"}) == nullptr);
    CHECK(stored.find_path({"spec", "leaseDurationSeconds"})->as_int() == 1);
    CHECK_FALSE(me.is_leader());
    CHECK_FALSE(me.release(kWall + 6s));
    CHECK_FALSE(elector().release(kWall));
}

TEST_CASE("a lease that may have been taken without an answer is told", "[kube][leader]") {
    auto me = elector();
    CHECK_FALSE(me.may_hold());
    me.on_absent();
    const auto step = next_at(me, kStart);
    REQUIRE(step.action == Action::Create);
    CHECK(me.may_hold());
    me.on_failed(Error{ErrorCode::Canceled, "", {}}, kStart);
    CHECK(me.may_hold());
    CHECK_FALSE(me.release(kWall));
    CHECK(me.release_again(held_by("me", kWall), kWall));
    me.on_read(held_by("other", kWall), kStart);
    CHECK_FALSE(me.may_hold());
}

TEST_CASE("a renewal under way does not keep a lease from being given up", "[kube][leader]") {
    auto me = leading();
    const auto renewal = next_at(me, kStart + 2s);
    REQUIRE(renewal.action == Action::Update);
    REQUIRE(me.release(kWall + 2s));
    SECTION("its answer makes no leader again") {
        me.on_written(renewal.lease, kStart + 2s);
        CHECK_FALSE(me.is_leader());
        CHECK_FALSE(me.leads_until());
    }
    SECTION("the Lease as it became is given up") {
        const auto again = me.release_again(held_by("me", kWall + 2s, "6"), kWall + 3s);
        REQUIRE(again);
        CHECK(again->metadata.resource_version == "6");
        CHECK(again->spec.holder_identity.empty());
    }
    SECTION("and not the one of another") {
        CHECK_FALSE(me.release_again(held_by("other", kWall + 2s, "6"), kWall + 3s));
    }
}

}  // namespace sluice::kube
