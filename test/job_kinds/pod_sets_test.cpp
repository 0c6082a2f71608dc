#include "job_kinds/pod_sets.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sluice::job_kinds {
namespace {

Description groups() {
    return test::describe(R"(
apiVersion: example.com/v1
kind: Groups
suspend: {path: spec.suspend}
podSets:
- at: spec.head
  name: head
  template: template
- at: spec.groups[*]
  nameFrom: name
  when: {path: spec.workers, in: [true]}
  replicas: replicas
  podsPerReplica: {path: hosts, atLeast: 1}
  template: pod.template
active: {path: status.active}
reclaimable:
  at: status.groups[*]
  name: name
  succeededReplicas: succeeded
)");
}

/// "name count place" of each pod set, or the error.
std::string read(const std::string& object) {
    const Description description = groups();
    const auto pod_sets = find_pod_sets(description, test::document(object));
    if (!pod_sets) {
        return pod_sets.error().detail;
    }
    std::string all;
    for (const DescribedPodSet& one : *pod_sets) {
        all +=
            one.name + " " + std::to_string(one.count()) + " " + to_string(one.pod_template) + "\n";
    }
    return all;
}

}  // namespace

TEST_CASE("pod sets are one for each element, in the order of the rules", "[job-kinds]") {
    CHECK(
        read(R"(
spec:
  workers: true
  head: {}
  groups: [{name: Small, replicas: 2, hosts: 3}, {name: large}, {name: none, replicas: 0, hosts: 0}]
)") == "head 1 spec.head.template\n"
       "small 6 spec.groups[0].pod.template\n"
       "large 1 spec.groups[1].pod.template\n"
       "none 0 spec.groups[2].pod.template\n"
    );
    CHECK(read("spec: {head: {}, groups: [{name: small}]}") == "head 1 spec.head.template\n");
    CHECK(read("spec: {workers: true, groups: x}").empty());
}

TEST_CASE("an object whose pods cannot be counted is refused with the place", "[job-kinds]") {
    const std::vector<std::pair<const char*, const char*>> cases = {
        {"{name: a, replicas: -1}", "spec.groups[0].replicas: -1 is not a number of pods"},
        {"{name: a, replicas: 65536, hosts: 65536}", "spec.groups[0]: 4294967296 pods are too many"
        },
        {"{name: a_b}", "spec.groups[0].name: \"a_b\" cannot be the name of a pod set"},
        {"{replicas: 1}", "spec.groups[0].name: \"\" cannot be the name of a pod set"},
        {"{name: 7}", "spec.groups[0].name: \"\" cannot be the name of a pod set"},
        {"{name: x}, {name: X}", "spec.groups[1]: pod set \"x\" is there twice"},
    };
    for (const auto& [group, error] : cases) {
        INFO(group);
        CHECK(read(std::string("spec: {workers: true, groups: [") + group + "]}").starts_with(error)
        );
    }
}

TEST_CASE("what has succeeded is reclaimable, if it can be believed", "[job-kinds]") {
    const Description description = groups();
    const auto reclaimable = [&description](const std::string& succeeded) {
        const json::Value object = test::document(
            "{spec: {workers: true, groups: [{name: A, replicas: 2, hosts: 3}]}, "
            "status: {groups: [" +
            succeeded + "]}}"
        );
        return find_reclaimable(description, *find_pod_sets(description, object), object);
    };
    using Pods = std::vector<std::pair<std::string, std::int32_t>>;
    CHECK(reclaimable("{name: A, succeeded: 1}") == Pods{{"a", 3}});
    CHECK(reclaimable("{name: A, succeeded: 2}") == Pods{{"a", 6}});
    CHECK(reclaimable("{name: A, succeeded: 1}, {name: A, succeeded: 2}") == Pods{{"a", 6}});
    for (const char* odd :
         {"{name: a, succeeded: 1}",
          "{name: A, succeeded: 0}",
          "{name: A, succeeded: 3}",
          "{name: A, succeeded: -1}",
          "{name: A, succeeded: x}",
          "{name: A}",
          "{name: B, succeeded: 1}",
          "x"}) {
        INFO(odd);
        CHECK(reclaimable(odd).empty());
    }
}

}  // namespace sluice::job_kinds
