#include "kube/core/watch_line.hpp"

#include "kube/core/raw_json.hpp"

#include <fmt/core.h>

#include <optional>

namespace sluice::kube {
namespace {

std::optional<WatchEventType> parse_type(std::string_view text) {
    if (text == "\"ADDED\"") {
        return WatchEventType::Added;
    }
    if (text == "\"MODIFIED\"") {
        return WatchEventType::Modified;
    }
    if (text == "\"DELETED\"") {
        return WatchEventType::Deleted;
    }
    if (text == "\"BOOKMARK\"") {
        return WatchEventType::Bookmark;
    }
    if (text == "\"ERROR\"") {
        return WatchEventType::Error;
    }
    return std::nullopt;
}

}  // namespace

Result<WatchEvent> decode_watch_line(std::string_view line) {
    const auto members = split_object(line);
    if (!members) {
        return with_context(members.error(), "watch line");
    }
    WatchEvent event;
    std::string_view type_text;
    for (const auto& member : *members) {
        if (member.key == "type") {
            type_text = member.value;
        } else if (member.key == "object") {
            event.object = member.value;
        }
    }
    const auto type = parse_type(type_text);
    if (!type) {
        return make_invalid(
            fmt::format("watch line: unknown event type {}", type_text.substr(0, 40))
        );
    }
    event.type = *type;
    if (event.object.empty() || event.object.front() != '{') {
        return make_invalid("watch line: no object");
    }
    if (event.type == WatchEventType::Error) {
        return event;
    }
    const auto metadata = find_raw(event.object, {"metadata"});
    event.resource_version = find_string(metadata, {"resourceVersion"});
    if (event.resource_version.empty()) {
        return make_invalid("watch line: the object has no metadata.resourceVersion");
    }
    if (event.type == WatchEventType::Bookmark) {
        return event;
    }
    event.key =
        NamespacedName{find_string(metadata, {"namespace"}), find_string(metadata, {"name"})};
    if (event.key.name.empty()) {
        return make_invalid("watch line: the object has no metadata.name");
    }
    return event;
}

}  // namespace sluice::kube
