#include "api/core/lease.hpp"

namespace sluice::api {

const TypeInfo& LeaseSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LeaseSpec::holder_identity>("holderIdentity"),
                field<&LeaseSpec::lease_duration_seconds>("leaseDurationSeconds"),
                field<&LeaseSpec::acquire_time>("acquireTime"),
                field<&LeaseSpec::renew_time>("renewTime"),
                field<&LeaseSpec::lease_transitions>("leaseTransitions"),
            },
    };
    return kInfo;
}

const TypeInfo& Lease::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Lease::metadata>("metadata"),
                field<&Lease::spec>("spec"),
            },
        .kind = kKind,
        .api_version = "coordination.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
