// AdmissionCheck of kueue.x-k8s.io.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct AdmissionCheckParametersReference {
    std::string api_group;
    std::string kind;
    std::string name;

    static const TypeInfo& type();
    friend bool
    operator==(const AdmissionCheckParametersReference&, const AdmissionCheckParametersReference&) =
        default;
};

struct AdmissionCheckSpec {
    std::string controller_name;
    std::optional<AdmissionCheckParametersReference> parameters;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionCheckSpec&, const AdmissionCheckSpec&) = default;
};

struct AdmissionCheckStatus {
    std::vector<Condition> conditions;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionCheckStatus&, const AdmissionCheckStatus&) = default;
};

/// A check that another controller must pass for a workload with quota before the workload is
/// admitted.
struct AdmissionCheck {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "AdmissionCheck";
    static constexpr std::string_view kPlural = "admissionchecks";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    AdmissionCheckSpec spec;
    AdmissionCheckStatus status;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};

}  // namespace sluice::api
