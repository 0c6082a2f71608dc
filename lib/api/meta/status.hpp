// Status of metav1: the API server's report of an outcome, such as an error.
#pragma once

#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct StatusCause {
    std::string reason;
    std::string message;
    std::string field_;

    static const TypeInfo& type();
    friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

struct StatusDetails {
    std::string name;
    std::string group;
    std::string kind;
    std::string uid;
    std::vector<StatusCause> causes;
    std::int32_t retry_after_seconds = 0;

    static const TypeInfo& type();
    friend bool operator==(const StatusDetails&, const StatusDetails&) = default;
};

/// metav1.Status: the API server's report of an outcome that is not an object.
struct Status {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Status";

    ListMeta metadata;
    std::string status;  ///< Success or Failure
    std::string message;
    std::string reason;
    std::optional<StatusDetails> details;
    std::int32_t code = 0;

    static const TypeInfo& type();
    friend bool operator==(const Status&, const Status&) = default;
};

}  // namespace sluice::api
