#include "apiserver/watch.hpp"

#include "apiserver/failures.hpp"

#include <algorithm>
#include <utility>

namespace sluice::apiserver {

bool ObjectFilter::matches(const ObjectName& name, const json::Value& object) const {
    return (ns.empty() || name.ns == ns) && labels.matches(object) && fields.matches(object);
}

Watch::Watch(Store& store, Options options) : store_(store), options_(std::move(options)) {}

void Watch::on_change(std::function<void()> wake) {
    subscription_ = store_.subscribe(options_.collection, std::move(wake));
}

void Watch::add_event(std::string& lines, std::string_view type, const json::Value& object) const {
    lines += json::print(json::Object{{"type", type}, {"object", options_.render(object)}});
    lines += '\n';
}

std::string Watch::make_bookmark(bool ends_initial) const {
    json::Value metadata = json::Object{{"resourceVersion", std::to_string(options_.after)}};
    if (ends_initial) {
        metadata.set("annotations", json::Object{{"k8s.io/initial-events-end", "true"}});
    }
    const ResourceType& type = *options_.filter.type;
    const json::Value object = json::Object{
        {"kind", type.kind}, {"apiVersion", type.api_version()}, {"metadata", std::move(metadata)}
    };
    return json::print(json::Object{{"type", "BOOKMARK"}, {"object", object}}) + "\n";
}

std::string Watch::bookmark() {
    return options_.allows_bookmarks && !is_over_ ? make_bookmark(false) : std::string();
}

void Watch::add_initial(std::string& lines) {
    for (const auto& [name, object] : store_.objects(options_.collection)) {
        if (options_.filter.matches(name, *object)) {
            add_event(lines, "ADDED", *object);
        }
    }
    options_.after = store_.version();
    options_.sends_initial = false;
    if (options_.marks_initial) {
        lines += make_bookmark(true);
    }
}

void Watch::add(std::string& lines, const LogEntry& entry) {
    const bool was = entry.before && options_.filter.matches(entry.name, *entry.before);
    const bool is = entry.after && options_.filter.matches(entry.name, *entry.after);
    if (is) {
        add_event(lines, was ? "MODIFIED" : "ADDED", *entry.after);
    } else if (was && entry.last) {
        add_event(lines, "DELETED", *entry.last);
    } else if (was) {
        // It is there, but is none of those that are watched any more: shown as it was.
        json::Value last = *entry.before;
        last.find("metadata")->set("resourceVersion", std::to_string(entry.version));
        add_event(lines, "DELETED", last);
    }
}

std::string Watch::take(std::size_t bytes_max) {
    std::string lines;
    if (is_over_) {
        return lines;
    }
    if (options_.sends_initial) {
        add_initial(lines);
    }
    const std::deque<LogEntry>* log = store_.log_since(options_.collection, options_.after);
    if (log == nullptr) {
        const Error error = expired("The resourceVersion for the provided watch is too old.");
        lines += json::print(
            json::Object{{"type", "ERROR"}, {"object", json::parse(error.status).value()}}
        );
        lines += '\n';
        is_over_ = true;
        return lines;
    }
    auto entry = std::ranges::upper_bound(*log, options_.after, {}, &LogEntry::version);
    for (; entry != log->end() && lines.size() < bytes_max; ++entry) {
        add(lines, *entry);
        options_.after = entry->version;
    }
    if (entry == log->end()) {
        options_.after = std::max(options_.after, store_.version());
    }
    return lines;
}

}  // namespace sluice::apiserver
