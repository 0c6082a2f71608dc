#include "api/meta/status.hpp"

namespace sluice::api {

const TypeInfo& StatusCause::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatusCause::reason>("reason"),
                field<&StatusCause::message>("message"),
                field<&StatusCause::field_>("field"),
            },
    };
    return kInfo;
}

const TypeInfo& StatusDetails::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatusDetails::name>("name"),
                field<&StatusDetails::group>("group"),
                field<&StatusDetails::kind>("kind"),
                field<&StatusDetails::uid>("uid"),
                field<&StatusDetails::causes>("causes"),
                field<&StatusDetails::retry_after_seconds>("retryAfterSeconds"),
            },
    };
    return kInfo;
}

const TypeInfo& Status::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Status::metadata>("metadata", "P"),
                field<&Status::status>("status"),
                field<&Status::message>("message"),
                field<&Status::reason>("reason"),
                field<&Status::details>("details"),
                field<&Status::code>("code"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

}  // namespace sluice::api
