// Namespace, LimitRange, Node, Secret and RuntimeClass, with the fields that Sluice uses.
#pragma once

#include "api/core/pod.hpp"
#include "api/core/taint.hpp"
#include "api/meta/meta.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

/// core/v1 Namespace. Its labels decide which ClusterQueues its workloads may use.
struct Namespace {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Namespace";
    static constexpr std::string_view kPlural = "namespaces";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;

    static const TypeInfo& type();
    friend bool operator==(const Namespace&, const Namespace&) = default;
};

struct LimitRangeItem {
    std::string type_;  ///< Container, Pod or PersistentVolumeClaim
    ResourceList max;
    ResourceList min;
    ResourceList default_;
    ResourceList default_request;
    ResourceList max_limit_request_ratio;

    static const TypeInfo& type();
    friend bool operator==(const LimitRangeItem&, const LimitRangeItem&) = default;
};

struct LimitRangeSpec {
    std::vector<LimitRangeItem> limits;

    static const TypeInfo& type();
    friend bool operator==(const LimitRangeSpec&, const LimitRangeSpec&) = default;
};

/// core/v1 LimitRange.
struct LimitRange {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "LimitRange";
    static constexpr std::string_view kPlural = "limitranges";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    LimitRangeSpec spec;

    static const TypeInfo& type();
    friend bool operator==(const LimitRange&, const LimitRange&) = default;
};

struct NodeSpec {
    std::vector<Taint> taints;
    bool unschedulable = false;

    static const TypeInfo& type();
    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct NodeStatus {
    ResourceList capacity;
    ResourceList allocatable;
    std::vector<ObjectCondition> conditions;

    static const TypeInfo& type();
    friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

/// core/v1 Node.
struct Node {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Node";
    static constexpr std::string_view kPlural = "nodes";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    NodeSpec spec;
    NodeStatus status;

    static const TypeInfo& type();
    friend bool operator==(const Node&, const Node&) = default;
};

/// core/v1 Secret; the values of `data` are base64.
struct Secret {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Secret";
    static constexpr std::string_view kPlural = "secrets";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    std::string type_;
    StringMap data;
    StringMap string_data;

    static const TypeInfo& type();
    friend bool operator==(const Secret&, const Secret&) = default;
};

struct Overhead {
    ResourceList pod_fixed;

    static const TypeInfo& type();
    friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// node.k8s.io/v1 RuntimeClass.
struct RuntimeClass {
    static constexpr std::string_view kGroup = "node.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "RuntimeClass";
    static constexpr std::string_view kPlural = "runtimeclasses";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    std::string handler;
    std::optional<Overhead> overhead;

    static const TypeInfo& type();
    friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace sluice::api
