// WorkloadPriorityClass of kueue.x-k8s.io and PriorityClass of scheduling.k8s.io/v1.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <string>

namespace sluice::api {

/// A named priority for queueing; the priority of the pods is not affected.
struct WorkloadPriorityClass {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "WorkloadPriorityClass";
    static constexpr std::string_view kPlural = "workloadpriorityclasses";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    std::int32_t value = 0;
    std::string description;

    static const TypeInfo& type();
    friend bool operator==(const WorkloadPriorityClass&, const WorkloadPriorityClass&) = default;
};

/// scheduling.k8s.io/v1 PriorityClass.
struct PriorityClass {
    static constexpr std::string_view kGroup = "scheduling.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "PriorityClass";
    static constexpr std::string_view kPlural = "priorityclasses";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    std::int32_t value = 0;
    bool global_default = false;
    std::string description;
    std::string preemption_policy;

    static const TypeInfo& type();
    friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

}  // namespace sluice::api
