// Event of events.k8s.io/v1.
#pragma once

#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::api {

/// core/v1 ObjectReference.
struct ObjectReference {
    std::string api_version;
    std::string kind;
    std::string namespace_;
    std::string name;
    std::string uid;
    std::string resource_version;
    std::string field_path;

    static const TypeInfo& type();
    friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};

struct EventSeries {
    std::int32_t count = 0;
    std::optional<MicroTime> last_observed_time;

    static const TypeInfo& type();
    friend bool operator==(const EventSeries&, const EventSeries&) = default;
};

/// events.k8s.io/v1 Event.
struct Event {
    static constexpr std::string_view kGroup = "events.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Event";
    static constexpr std::string_view kPlural = "events";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    std::optional<MicroTime> event_time;
    std::optional<EventSeries> series;
    std::string reporting_controller;
    std::string reporting_instance;
    std::string action;
    std::string reason;
    ObjectReference regarding;
    std::optional<ObjectReference> related;
    std::string note;
    std::string type_;

    static const TypeInfo& type();
    friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace sluice::api
