#include "apiserver/operations/watch.hpp"

#include "apiserver/state/deletion_mark.hpp"
#include "apiserver/types/failures.hpp"

#include <algorithm>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr int kAheadMax = 500;

}  // namespace

bool ObjectFilter::matches(const ObjectName& name, const json::Value& object) const {
    return (ns.empty() || name.ns == ns) && labels.matches(object) && fields.matches(object);
}

Watch::Watch(Store& store, Options options) : store_(store), options_(std::move(options)) {}

void Watch::on_change(std::function<void()> wake) {
    if (options_.is_served) {
        end_subscription_ = store_.subscribe(definitions_collection, wake);
    }
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
    return json::print(json::Object{{"type", "BOOKMARK"}, {"object", options_.form(object)}}) +
           "\n";
}

std::string Watch::bookmark() {
    return options_.allows_bookmarks && !is_over_ ? make_bookmark(false) : std::string();
}

bool Watch::lacks_conversions() const {
    return options_.conversions != nullptr && options_.conversions->are_missing();
}

void Watch::add_initial(std::string& lines) {
    std::string initial;
    for (const auto& [name, object] : store_.objects(options_.collection)) {
        if (options_.filter.matches(name, *object)) {
            add_event(initial, "ADDED", *object);
        }
    }
    if (lacks_conversions()) {
        return;
    }
    lines += initial;
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
        // The object exists but is no longer selected: the event contains its last selected state.
        json::Value last = *entry.before;
        last.find("metadata")->set("resourceVersion", std::to_string(entry.version));
        add_event(lines, "DELETED", last);
    }
}

void Watch::add_failure(std::string& lines, const Error& error) {
    lines +=
        json::print(json::Object{{"type", "ERROR"}, {"object", json::parse(error.status).value()}});
    lines += '\n';
    is_over_ = true;
}

void Watch::add_log(std::string& lines, std::size_t bytes_max) {
    const std::deque<LogEntry>* log = store_.log_since(options_.collection, options_.after);
    if (log == nullptr) {
        add_failure(lines, expired("The resourceVersion for the provided watch is too old."));
        return;
    }
    auto entry = std::ranges::upper_bound(*log, options_.after, {}, &LogEntry::version);
    // Events after one that cannot be shown yet are only rendered to find their missing
    // conversions, so that one call of the webhook covers them too.
    int ahead = 0;
    for (; entry != log->end() && lines.size() < bytes_max && ahead < kAheadMax; ++entry) {
        const std::size_t shown = lines.size();
        add(lines, *entry);
        if (lacks_conversions()) {
            lines.resize(shown);
            ++ahead;
            continue;
        }
        options_.after = entry->version;
    }
    if (entry == log->end() && ahead == 0) {
        options_.after = std::max(options_.after, store_.version());
    }
}

std::string Watch::take(std::size_t bytes_max) {
    std::string lines;
    if (is_over_ || lacks_conversions()) {
        return lines;
    }
    if (failure_) {
        add_failure(lines, *failure_);
        return lines;
    }
    if (options_.sends_initial) {
        add_initial(lines);
    }
    if (!options_.sends_initial) {
        add_log(lines, bytes_max);
    }
    if (options_.conversions != nullptr && !lacks_conversions()) {
        options_.conversions->forget();
    }
    return lines;
}

std::optional<WebhookCall> Watch::next_call() {
    return is_over_ || !lacks_conversions()
               ? std::nullopt
               : std::optional(options_.conversions->make_call(store_));
}

void Watch::take_answer(const Result<json::Value>& review) {
    if (const auto taken = options_.conversions->take_answer(review); !taken) {
        failure_ = taken.error();
    }
}

}  // namespace sluice::apiserver
