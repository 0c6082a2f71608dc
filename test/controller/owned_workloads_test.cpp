#include "controller/reconcile/owned_workloads.hpp"

#include "api/core/job.hpp"
#include "api/meta/codec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Lookups of the Workloads that belong to an owner.
namespace sluice::controller {
namespace {

using Names = std::vector<std::string>;

struct Owners {
    kube::Stores stores;

    Owners() {
        stores.add(std::make_unique<kube::KindStore<api::Workload>>(kind_of<api::Workload>()));
        add_owner_indexes(stores.of<api::Workload>());
    }

    /// Adds a Workload of the namespace `team`.
    void add(std::string_view name, std::string_view metadata) {
        auto workload = api::decode<api::Workload>(fmt::format(
            R"({{"metadata":{{"name":"{}","namespace":"team","uid":"of-{}",{}}}}})",
            name,
            name,
            metadata
        ));
        REQUIRE(workload.has_value());
        stores.of<api::Workload>().upsert(std::make_shared<api::Workload>(std::move(*workload)));
    }
};

std::string owned(std::string_view name, std::string_view uid, bool controls) {
    return fmt::format(
        R"("ownerReferences":[{{"apiVersion":"batch/v1","kind":"Job","name":"{}","uid":"{}",)"
        R"("controller":{}}}])",
        name,
        uid,
        controls
    );
}

Names names_of(const Workloads& workloads) {
    Names names;
    for (const ObjectKey& key : keys_of(workloads)) {
        names.push_back(key.name);
    }
    return names;
}

Names names_of(const WorkloadPointers& workloads) {
    Names names;
    for (const auto& workload : workloads) {
        names.push_back(workload->metadata.name);
    }
    return names;
}

const ObjectKey kJob{kind_of<api::Job>(), "team", "train"};

}  // namespace

TEST_CASE("finds Workloads by the name or the uid of their owner", "[owners]") {
    Owners owners;
    owners.add("a", owned("train", "1", true));
    owners.add("b", owned("train", "2", true));
    owners.add("c", owned("train", "1", false));
    owners.add("d", owned("other", "1", true));
    CHECK(names_of(workloads_of_owner(owners.stores, kJob)) == Names{"a", "b"});
    CHECK(names_of(workloads_of_object(owners.stores, kJob, "2")) == Names{"b"});
    CHECK(names_of(workloads_of_owner(owners.stores, kJob, OwnerRole::Member)) == Names{"c"});
    CHECK(names_of(workloads_of_object(owners.stores, kJob, "2", OwnerRole::Member)).empty());
}

TEST_CASE("a member is any owner, a controller only the owner that controls", "[owners]") {
    Owners owners;
    owners.add("a", owned("train", "1", true));
    owners.add("c", owned("train", "1", false));
    const auto& all = owners.stores.of<api::Workload>();
    CHECK(is_owned_by(all.find("team", "a")->metadata, "1"));
    CHECK(is_owned_by(all.find("team", "a")->metadata, "1", OwnerRole::Member));
    CHECK_FALSE(is_owned_by(all.find("team", "c")->metadata, "1"));
    CHECK(is_owned_by(all.find("team", "c")->metadata, "1", OwnerRole::Member));
    CHECK_FALSE(is_owned_by(all.find("team", "c")->metadata, "2", OwnerRole::Member));
}

TEST_CASE("finds the Workloads that lost their job by the job's uid", "[owners]") {
    Owners owners;
    const std::string label = R"("labels":{"kueue.x-k8s.io/job-uid":"1"})";
    owners.add("a", label);
    owners.add("b", label + "," + owned("train", "1", true));
    api::ObjectMeta job;
    job.namespace_ = "team";
    job.uid = "1";
    CHECK(names_of(lost_workloads(owners.stores, job)) == Names{"a"});
    CHECK(names_of(lost_workloads(owners.stores, "team/1")) == Names{"a"});
    CHECK(lost_workloads(owners.stores, "other/1").empty());
}

TEST_CASE("finds the Workload of a group by the first name that exists", "[owners]") {
    Owners owners;
    owners.add("old", owned("train", "1", false));
    const auto found = find_group_workload(owners.stores, "team", {"new", "old"});
    REQUIRE(found);
    CHECK(found->metadata.name == "old");
    CHECK_FALSE(find_group_workload(owners.stores, "team", {"new"}));
}

TEST_CASE("takes the first name or the last uid of Workloads of one age", "[owners]") {
    Owners owners;
    const std::string young = R"(,"creationTimestamp":"2026-01-02T00:00:00Z")";
    owners.add("a", owned("train", "1", true) + R"(,"creationTimestamp":"2026-01-01T00:00:00Z")");
    owners.add("b", owned("train", "1", true) + young);
    owners.add("c", owned("train", "1", true) + young);
    const auto newest = [&](SameAge same_age, std::string_view but) {
        const auto found = find_newest(
            workloads_of_owner(owners.stores, kJob),
            same_age,
            [but](const api::Workload& workload) { return workload.metadata.name != but; }
        );
        REQUIRE(found);
        return found->metadata.name;
    };
    CHECK(newest(SameAge::FirstName, "") == "b");
    CHECK(newest(SameAge::LastUid, "") == "c");
    CHECK(newest(SameAge::FirstName, "b") == "c");
    CHECK_FALSE(find_newest(
        workloads_of_owner(owners.stores, kJob),
        SameAge::LastUid,
        [](const api::Workload&) { return false; }
    ));
}

}  // namespace sluice::controller
