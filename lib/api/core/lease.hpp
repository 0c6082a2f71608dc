// Lease of coordination.k8s.io/v1, which leader election uses.
#pragma once

#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::api {

struct LeaseSpec {
    std::string holder_identity;
    std::optional<std::int32_t> lease_duration_seconds;
    std::optional<MicroTime> acquire_time;
    std::optional<MicroTime> renew_time;
    std::optional<std::int32_t> lease_transitions;

    static const TypeInfo& type();
    friend bool operator==(const LeaseSpec&, const LeaseSpec&) = default;
};

/// coordination.k8s.io/v1 Lease.
struct Lease {
    static constexpr std::string_view kGroup = "coordination.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Lease";
    static constexpr std::string_view kPlural = "leases";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    LeaseSpec spec;

    static const TypeInfo& type();
    friend bool operator==(const Lease&, const Lease&) = default;
};

}  // namespace sluice::api
