#include "api/kueue/cohort.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& CohortSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CohortSpec::parent_name>(
                    "parentName",
                    "..253 SUB",
                    "=",
                    "Cohort above this one; absent makes this one a root."
                ),
                field<&CohortSpec::resource_groups>(
                    "resourceGroups",
                    "..16 atomic [C11]",
                    "=",
                    "Quota that this cohort adds for everything below it, and limits between it "
                    "and its parent."
                ),
                field<&CohortSpec::fair_sharing>("fairSharing", "", "=", "Weight in fair sharing."),
            },
    };
    return kInfo;
}

const TypeInfo& CohortStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CohortStatus::fair_sharing>(
                    "fairSharing", "", "=", "Current share of this cohort."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& Cohort::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Cohort::metadata>("metadata", "", "=", ""),
                field<&Cohort::spec>("spec", "P", "=", "Parent, quota and weight of the cohort."),
                field<&Cohort::status>("status", "", "=", "Current share."),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
