#include "api/kueue/admission_check.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& AdmissionCheckParametersReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheckParametersReference::api_group>(
                    "apiGroup", "1..253 SUB R", "..253 SUB R", "API group of the parameters."
                ),
                field<&AdmissionCheckParametersReference::kind>(
                    "kind", "1..63 KND R", "..63 KND R", "Kind of the parameters."
                ),
                field<&AdmissionCheckParametersReference::name>(
                    "name", "1..63 LBL R", "..63 LBL R", "Name of the parameters."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionCheckSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheckSpec::controller_name>(
                    "controllerName",
                    "1..253 R C16",
                    "R C16",
                    "Controller that grants the check; cannot be changed."
                ),
                v1beta1_field("retryDelayMinutes", "int64 D(15)", "Without effect."),
                field<&AdmissionCheckSpec::parameters>(
                    "parameters", "", "=", "Object with settings for the controller."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionCheckStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheckStatus::conditions>(
                    "conditions",
                    "..16 map(type)",
                    "map(type)",
                    "Current state. Active is True if the controller is ready."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionCheck::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheck::metadata>("metadata", "", "=", ""),
                field<&AdmissionCheck::spec>(
                    "spec", "P", "=", "Which controller grants the check."
                ),
                field<&AdmissionCheck::status>("status", "", "=", "Current state of the check."),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
