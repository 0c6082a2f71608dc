#include "api/meta/codec.hpp"
#include "controller/known_stores.hpp"
#include "controller/reconcile/pod_rows.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
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

/// What a change concerns, and how soon that is reconciled at the latest.
template <class T>
std::map<ObjectKey, Urgency> urgencies(const KnownStores& stores, const kube::Change<T>& change) {
    std::map<ObjectKey, Urgency> found;
    const kube::AnyChange any{
        {kind_of<T>(), change.key.namespace_, change.key.name}, change.before, change.after
    };
    enqueue_affected({stores.registry, stores}, any, [&found](const ObjectKey& key, Urgency soon) {
        const auto [entry, is_new] = found.emplace(key, soon);
        entry->second = std::min(entry->second, soon);
    });
    return found;
}

template <class T>
std::set<ObjectKey> affected_by(const KnownStores& stores, const kube::Change<T>& change) {
    std::set<ObjectKey> affected;
    for (const auto& [key, urgency] : urgencies(stores, change)) {
        affected.insert(key);
    }
    return affected;
}

template <class T>
std::map<ObjectKey, Urgency> urgencies_of_new(
    KnownStores& stores, const std::shared_ptr<const T>& object
) {
    stores.of<T>().upsert(object);
    const kube::NamespacedName key{object->metadata.namespace_, object->metadata.name};
    return urgencies(stores, kube::Change<T>{key, nullptr, object});
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

TEST_CASE("only statuses of queues wait for longer where the server is busy", "[controller]") {
    KnownStores stores;
    stores.add(stores.registry.add(pod_kind_without_jobs()).make_store());
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "cq"};
    stores.of<api::ClusterQueue>().upsert(decode<api::ClusterQueue>(
        "{'metadata':{'name':'cq'},'spec':{'admissionChecksStrategy':{'admissionChecks':[{"
        "'name':'check'}]},'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot',"
        "'resources':[{'name':'cpu','nominalQuota':'4'}]}]}]}}"
    ));
    stores.of<api::LocalQueue>().upsert(decode<api::LocalQueue>(
        "{'metadata':{'name':'main','namespace':'team'},'spec':{'clusterQueue':'cq'}}"
    ));

    auto of_workload = urgencies_of_new(
        stores,
        decode<api::Workload>(
            "{'metadata':{'name':'w','namespace':'team'" + std::string(kOwner) +
            "},'spec':{'queueName':'main'" + std::string(kRef) + "}}"
        )
    );
    CHECK(of_workload.at(queue) == Urgency::Batched);
    CHECK(of_workload.at({kind_of<api::LocalQueue>(), "team", "main"}) == Urgency::Batched);
    CHECK(of_workload.at(kClass) == Urgency::Gathered);

    const auto of_flavor = urgencies_of_new(
        stores,
        decode<api::ResourceFlavor>("{'metadata':{'name':'spot'},'spec':{'topologyName':'rack'}}")
    );
    CHECK(of_flavor.at(queue) == Urgency::Gathered);
    const auto of_topology =
        urgencies_of_new(stores, decode<api::Topology>("{'metadata':{'name':'rack'}}"));
    CHECK(of_topology.at(queue) == Urgency::Gathered);
    const auto of_check =
        urgencies_of_new(stores, decode<api::AdmissionCheck>("{'metadata':{'name':'check'}}"));
    CHECK(of_check.at(queue) == Urgency::Gathered);
    const auto of_pod = urgencies_of_new(
        stores,
        decode<api::Pod>("{'metadata':{'name':'p','namespace':'team','annotations':{"
                         "'kueue.x-k8s.io/workload':'w'}},'spec':{'schedulingGates':[{'name':"
                         "'kueue.x-k8s.io/topology'}]}}")
    );
    CHECK(of_pod.at(pod_row_key("team/w")) == Urgency::Gathered);
}

}  // namespace sluice::controller
