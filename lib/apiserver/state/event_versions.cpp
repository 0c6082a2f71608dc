#include "apiserver/state/event_versions.hpp"

#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Pairs of field names: in events.k8s.io/v1 and in core/v1.
constexpr std::pair<std::string_view, std::string_view> kFields[] = {
    {"note", "message"},
    {"regarding", "involvedObject"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
};

void rename(json::Value& object, std::string_view from, std::string_view to) {
    if (const json::Value* value = object.find(from)) {
        json::Value moved = *value;
        object.erase(from);
        object.set(to, std::move(moved));
    }
}

}  // namespace

json::Value to_core_event(json::Value event) {
    for (const auto& [newer, core] : kFields) {
        rename(event, newer, core);
    }
    event.set("apiVersion", "v1");
    for (const std::string_view name : {"firstTimestamp", "lastTimestamp"}) {
        if (event.find(name) == nullptr) {
            event.set(name, nullptr);
        }
    }
    if (event.find("source") == nullptr) {
        event.set("source", json::Object());
    }
    return event;
}

json::Value to_new_event(const json::Value& core) {
    json::Value event = core;
    for (const auto& [newer, name] : kFields) {
        rename(event, name, newer);
    }
    event.set("apiVersion", "events.k8s.io/v1");
    return event;
}

}  // namespace sluice::apiserver
