#include "api/kueue/priority_class.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& WorkloadPriorityClass::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WorkloadPriorityClass::metadata>("metadata", "", "=", ""),
                field<&WorkloadPriorityClass::value>(
                    "value", "R", "=", "Priority; higher goes first and may preempt lower."
                ),
                field<&WorkloadPriorityClass::description>(
                    "description", "..2048", "", "When to use this class."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

const TypeInfo& PriorityClass::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PriorityClass::metadata>("metadata"),
                field<&PriorityClass::value>("value", "R"),
                field<&PriorityClass::global_default>("globalDefault"),
                field<&PriorityClass::description>("description"),
                field<&PriorityClass::preemption_policy>("preemptionPolicy"),
            },
        .kind = kKind,
        .api_version = "scheduling.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
