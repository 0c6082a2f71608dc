#include "api/core/admission_review.hpp"

namespace sluice::api {

const TypeInfo& GroupVersionKind::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&GroupVersionKind::group>("group", "R"),
                field<&GroupVersionKind::version>("version", "R"),
                field<&GroupVersionKind::kind>("kind", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& GroupVersionResource::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&GroupVersionResource::group>("group", "R"),
                field<&GroupVersionResource::version>("version", "R"),
                field<&GroupVersionResource::resource>("resource", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& UserInfo::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&UserInfo::username>("username"),
                field<&UserInfo::uid>("uid"),
                field<&UserInfo::groups>("groups"),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionRequest::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionRequest::uid>("uid", "R"),
                field<&AdmissionRequest::kind>("kind", "R"),
                field<&AdmissionRequest::resource>("resource", "R"),
                field<&AdmissionRequest::sub_resource>("subResource"),
                field<&AdmissionRequest::name>("name"),
                field<&AdmissionRequest::namespace_>("namespace"),
                field<&AdmissionRequest::operation>("operation", "R"),
                field<&AdmissionRequest::user_info>("userInfo"),
                field<&AdmissionRequest::object>("object"),
                field<&AdmissionRequest::old_object>("oldObject"),
                field<&AdmissionRequest::dry_run>("dryRun"),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionResponse::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionResponse::uid>("uid", "R"),
                field<&AdmissionResponse::allowed>("allowed", "R"),
                field<&AdmissionResponse::status>("status"),
                field<&AdmissionResponse::patch>("patch"),
                field<&AdmissionResponse::patch_type>("patchType"),
                field<&AdmissionResponse::warnings>("warnings"),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionReview::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionReview::request>("request"),
                field<&AdmissionReview::response>("response"),
            },
        .kind = kKind,
        .api_version = "admission.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
