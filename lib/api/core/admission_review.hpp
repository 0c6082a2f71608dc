// AdmissionReview of admission.k8s.io/v1: the request and response of a webhook.
#pragma once

#include "api/meta/status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct GroupVersionKind {
    std::string group;
    std::string version;
    std::string kind;

    static const TypeInfo& type();
    friend bool operator==(const GroupVersionKind&, const GroupVersionKind&) = default;
};

struct GroupVersionResource {
    std::string group;
    std::string version;
    std::string resource;

    static const TypeInfo& type();
    friend bool operator==(const GroupVersionResource&, const GroupVersionResource&) = default;
};

struct UserInfo {
    std::string username;
    std::string uid;
    std::vector<std::string> groups;

    static const TypeInfo& type();
    friend bool operator==(const UserInfo&, const UserInfo&) = default;
};

struct AdmissionRequest {
    std::string uid;
    GroupVersionKind kind;
    GroupVersionResource resource;
    std::string sub_resource;
    std::string name;
    std::string namespace_;
    std::string operation;
    UserInfo user_info;
    RawJson object;
    RawJson old_object;
    std::optional<bool> dry_run;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionRequest&, const AdmissionRequest&) = default;
};

struct AdmissionResponse {
    std::string uid;
    bool allowed = false;
    std::optional<Status> status;
    std::string patch;  ///< base64 of a JSON patch
    std::optional<std::string> patch_type;
    std::vector<std::string> warnings;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionResponse&, const AdmissionResponse&) = default;
};

/// admission.k8s.io/v1 AdmissionReview.
struct AdmissionReview {
    static constexpr std::string_view kGroup = "admission.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "AdmissionReview";

    std::optional<AdmissionRequest> request;
    std::optional<AdmissionResponse> response;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionReview&, const AdmissionReview&) = default;
};

}  // namespace sluice::api
