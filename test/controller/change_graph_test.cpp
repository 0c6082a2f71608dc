#include "api/codec.hpp"
#include "controller/known_stores.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

// What is reconciled because something else changed.
namespace sluice::controller {
namespace {

template <class T>
std::shared_ptr<const T> decode(std::string text) {
    std::ranges::replace(text, '\'', '"');
    auto object = api::decode<T>(text);
    REQUIRE(object);
    return std::make_shared<const T>(std::move(*object));
}

template <class T>
std::set<ObjectKey> affected_by(const KnownStores& stores, const kube::Change<T>& change) {
    std::set<ObjectKey> affected;
    const kube::AnyChange any{
        {kind_of<T>(), change.key.namespace_, change.key.name}, change.before, change.after
    };
    enqueue_affected({stores.registry, stores}, any, [&affected](const ObjectKey& key, Urgency) {
        affected.insert(key);
    });
    return affected;
}

const ObjectKey kClass{kind_of<api::WorkloadPriorityClass>(), "", "vip"};

std::shared_ptr<const api::Workload> workload(std::string_view owner, std::string_view ref) {
    return decode<api::Workload>(
        "{'metadata':{'name':'w','namespace':'team'" + std::string(owner) +
        "},'spec':{'priority':1" + std::string(ref) + "}}"
    );
}

constexpr std::string_view kOwner =
    ",'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'j','uid':'u',"
    "'controller':true}]";
constexpr std::string_view kRef =
    ",'priorityClassRef':{'group':'kueue.x-k8s.io','kind':'WorkloadPriorityClass','name':'vip'}";

}  // namespace

TEST_CASE("a class is reconciled when its value is new, not when its text is", "[controller]") {
    const KnownStores stores;
    const auto one = decode<api::WorkloadPriorityClass>("{'metadata':{'name':'vip'},'value':1}");
    const auto described = decode<api::WorkloadPriorityClass>(
        "{'metadata':{'name':'vip'},'value':1,'description':'text'}"
    );
    const auto two = decode<api::WorkloadPriorityClass>("{'metadata':{'name':'vip'},'value':2}");
    const kube::NamespacedName key{"", "vip"};
    using Change = kube::Change<api::WorkloadPriorityClass>;
    CHECK(affected_by(stores, Change{key, nullptr, one}).contains(kClass));
    CHECK(affected_by(stores, Change{key, one, two}).contains(kClass));
    CHECK(affected_by(stores, Change{key, one, described}).empty());
    CHECK(affected_by(stores, Change{key, one, nullptr}).empty());
}

TEST_CASE(
    "a job's workload that was classed meanwhile gets the class's present value", "[controller]"
) {
    const KnownStores stores;
    const kube::NamespacedName key{"team", "w"};
    using Change = kube::Change<api::Workload>;
    const auto classed = workload(kOwner, kRef);
    const auto unclassed = workload(kOwner, "");
    CHECK(affected_by(stores, Change{key, nullptr, classed}).contains(kClass));
    CHECK(affected_by(stores, Change{key, unclassed, classed}).contains(kClass));
    CHECK_FALSE(affected_by(stores, Change{key, classed, classed}).contains(kClass));
    CHECK_FALSE(affected_by(stores, Change{key, nullptr, unclassed}).contains(kClass));
    // What a user made has the priority that the user gave it.
    CHECK_FALSE(affected_by(stores, Change{key, nullptr, workload("", kRef)}).contains(kClass));
}

}  // namespace sluice::controller
