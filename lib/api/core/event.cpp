#include "api/core/event.hpp"

namespace sluice::api {

const TypeInfo& ObjectReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ObjectReference::api_version>("apiVersion"),
                field<&ObjectReference::kind>("kind"),
                field<&ObjectReference::namespace_>("namespace"),
                field<&ObjectReference::name>("name"),
                field<&ObjectReference::uid>("uid"),
                field<&ObjectReference::resource_version>("resourceVersion"),
                field<&ObjectReference::field_path>("fieldPath"),
            },
    };
    return kInfo;
}

const TypeInfo& EventSeries::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&EventSeries::count>("count", "R"),
                field<&EventSeries::last_observed_time>("lastObservedTime", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& Event::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Event::metadata>("metadata"),
                field<&Event::event_time>("eventTime"),
                field<&Event::series>("series"),
                field<&Event::reporting_controller>("reportingController"),
                field<&Event::reporting_instance>("reportingInstance"),
                field<&Event::action>("action"),
                field<&Event::reason>("reason"),
                field<&Event::regarding>("regarding"),
                field<&Event::related>("related"),
                field<&Event::note>("note"),
                field<&Event::type_>("type"),
            },
        .kind = kKind,
        .api_version = "events.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
