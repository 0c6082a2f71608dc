#include "sim/pods/node_spec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <utility>

namespace sluice::sim {

TEST_CASE("a description makes so many nodes with amounts, labels and taints", "[sim][nodes]") {
    const auto nodes = make_nodes(
        "a100: 2x cpu=96, memory=1Ti,nvidia.com/gpu=8,label:gpu=a100,taint:gpu=yes:NoSchedule"
    );
    REQUIRE(nodes);
    REQUIRE(nodes->size() == 2);
    const json::Value& node = nodes->back();
    CHECK(node.find_path({"metadata", "name"})->as_string() == "a100-2");
    const json::Value& labels = *node.find_path({"metadata", "labels"});
    CHECK(labels.string_at("gpu") == "a100");
    CHECK(labels.string_at("kubernetes.io/hostname") == "a100-2");
    CHECK(labels.string_at("kubernetes.io/arch") == "amd64");
    const json::Value& room = *node.find_path({"status", "allocatable"});
    CHECK(room.string_at("nvidia.com/gpu") == "8");
    CHECK(room.string_at("pods") == "110");
    const json::Value& taint = node.find_path({"spec", "taints"})->as_array().front();
    CHECK(taint.string_at("value") == "yes");
}

TEST_CASE("labels and taints may be said together", "[sim][nodes]") {
    const auto nodes =
        make_nodes("gpu: cpu=4,labels=a=b;c=d,taints=gpu=yes:NoSchedule;k=:NoExecute");
    REQUIRE(nodes);
    const json::Value& labels = *nodes->front().find_path({"metadata", "labels"});
    CHECK(labels.string_at("a") == "b");
    CHECK(labels.string_at("c") == "d");
    const json::Array& taints = nodes->front().find_path({"spec", "taints"})->as_array();
    REQUIRE(taints.size() == 2);
    CHECK(taints.back().string_at("effect") == "NoExecute");
}

TEST_CASE("a node alone needs no count, and its architecture may be said", "[sim][nodes]") {
    const auto nodes = make_nodes("arm: cpu=4,label:kubernetes.io/arch=arm64");
    REQUIRE(nodes);
    REQUIRE(nodes->size() == 1);
    CHECK(nodes->front().find_path({"status", "nodeInfo"})->string_at("architecture") == "arm64");
}

TEST_CASE("what a description gets wrong is said", "[sim][nodes]") {
    using Case = std::pair<std::string, std::string>;
    const auto [text, message] = GENERATE(
        Case{"cpu=8", "does not begin with a name in small letters and a colon"},
        Case{"gpu: 0x cpu=8", "the number of nodes is not between 1 and 10000"},
        Case{"gpu: 2 cpu=4", "gpu: \"2 cpu=4\": it holds a space"},
        Case{"gpu: 2x cpu=4 memory=8Gi", "gpu: \"cpu=4 memory=8Gi\": it holds a space"},
        Case{"gpu: cpu=-4", "gpu: cpu=-4: the amount is negative"},
        Case{"gpu: cpu=", "gpu: cpu=: the amount cannot be read"},
        Case{"gpu: cpu=4,,memory=1Gi", "gpu: \"\": it is not resource=amount"},
        Case{"gpu: c!u=4", "gpu: c!u=4: the resource's name: "},
        Case{
            "gpu: mem=1Gi",
            "gpu: mem=1Gi: nodes have no such resource; did you mean \"memory=1Gi\"?"
        },
        Case{
            "a: cpu=8,gpu=1",
            "a: gpu=1: nodes have no such resource; did you mean \"nvidia.com/gpu=1\"?"
        },
        Case{
            "a: gpus=2",
            "a: gpus=2: nodes have no such resource; did you mean \"nvidia.com/gpu=2\"?"
        },
        Case{
            "a: fpga=1",
            "a: fpga=1: nodes have no such resource; an extended resource has a domain, as in "
            "nvidia.com/gpu=1"
        },
        Case{"gpu: gadgets=2", "an extended resource has a domain, as in nvidia.com/gpu=1"},
        Case{"gpu: cpu=4,cpu=5", "gpu: cpu=5: the resource is there twice"},
        Case{"gpu: label:a b=c", "it holds a space"},
        Case{"gpu: label:a=b/c", "gpu: label:a=b/c: the value: "},
        Case{std::string(62, 'a') + ": cpu=1", "must be no more than 63"},
        Case{"gpu: taint:a=b:NoSchedule,taint:a=c:NoSchedule", "another of this key and effect"},
        Case{"gpu: labels=a=b;c", "\"label:c\": it is not resource=amount"},
        Case{"gpu: taint:a=b", "taint:a=b: the effect is not NoSchedule"},
        Case{"gpu: taint:a!=b:NoSchedule", "taint:a!=b:NoSchedule: the key: "}
    );
    const auto made = make_nodes(text);
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().detail, Catch::Matchers::ContainsSubstring(message));
}

}  // namespace sluice::sim
