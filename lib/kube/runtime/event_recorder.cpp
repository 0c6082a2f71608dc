#include "kube/runtime/event_recorder.hpp"

#include "api/meta/codec.hpp"
#include "base/earlier.hpp"
#include "base/sha1.hpp"
#include "json/value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace sluice::kube {
namespace {

/// The API server's limits on an Event's texts, in bytes.
constexpr std::size_t kNoteMax = 1024;
constexpr std::size_t kActionMax = 128;
/// Minimum time between two reports of dropped events.
constexpr Duration kDroppedGap = std::chrono::minutes(1);

/// Cuts a text without splitting a UTF-8 sequence.
std::string cut(std::string text, std::size_t size_max) {
    if (text.size() <= size_max) {
        return text;
    }
    auto end = size_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    text.resize(end);
    return text;
}

std::string key_text(const api::ObjectReference& reference) {
    return fmt::format(
        "{}|{}|{}|{}|{}|{}|{}",
        reference.api_version,
        reference.kind,
        reference.namespace_,
        reference.name,
        reference.uid,
        reference.resource_version,
        reference.field_path
    );
}

/// Returns a digest that is equal for equal notes, whatever their text.
std::string make_key(const EventNote& note) {
    return sha1_hex(fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}",
        note.type == EventType::Warning,
        note.action,
        note.reason,
        note.reporting_controller,
        key_text(note.regarding),
        note.related ? key_text(*note.related) : std::string()
    ));
}

}  // namespace

EventRecorder::EventRecorder(EventRecorderOptions options, std::uint64_t seed)
    : options_(std::move(options)), prng_(seed) {}

void EventRecorder::record(const EventNote& note, Instant now, Time wall) {
    std::string key = make_key(note);
    const auto found = series_.find(key);
    if (found == series_.end() || now - found->second.last >= options_.series_gap) {
        if (found != series_.end()) {
            forget(found);
        }
        begin(std::move(key), note, now, wall);
        return;
    }
    Entry& entry = found->second;
    entry.last = now;
    uses_.splice(uses_.end(), uses_, entry.use);
    if (entry.series) {
        std::optional<api::EventSeries>& series = entry.series->series;
        if (series) {
            ++series->count;
            series->last_observed_time = api::MicroTime{wall};
        }
        return;
    }
    entry.series = std::make_unique<api::Event>(make_event(note, entry.name, entry.first));
    entry.series->series = api::EventSeries{2, api::MicroTime{wall}};
    entry.written = 2;
    push(Write{Verb::PatchSeries, *entry.series});
}

void EventRecorder::begin(std::string key, const EventNote& note, Instant now, Time wall) {
    if (series_.size() >= options_.series_max) {
        forget(series_.find(uses_.front()));
    }
    // A name is at most 253 bytes: 236 bytes of the object's name, a dot and 16 digits.
    const auto name = fmt::format("{}.{:016x}", cut(note.regarding.name, 236), prng_.next());
    push(Write{Verb::Create, make_event(note, name, wall)});
    Entry entry{.name = name, .first = wall, .last = now, .series = nullptr, .use = {}};
    entry.use = uses_.insert(uses_.end(), key);
    series_.emplace(std::move(key), std::move(entry));
    if (!next_tick_) {
        next_tick_ = now + options_.series_gap;
    }
}

void EventRecorder::forget(std::map<std::string, Entry>::iterator entry) {
    uses_.erase(entry->second.use);
    series_.erase(entry);
}

std::optional<EventRecorder::Write> EventRecorder::take(const std::set<std::string>& names_under_way
) {
    const auto next = std::ranges::find_if(queue_, [&](const Write& write) {
        return !names_under_way.contains(write.event.metadata.name);
    });
    if (next == queue_.end()) {
        return std::nullopt;
    }
    auto write = std::move(*next);
    queue_.erase(next);
    return write;
}

void EventRecorder::tick(Instant now) {
    if (!next_tick_ || now < *next_tick_) {
        return;
    }
    for (auto at = series_.begin(); at != series_.end();) {
        const auto entry = at++;
        auto& [name, first, last, series, written, use] = entry->second;
        const std::int32_t count = series ? series->series.value_or(api::EventSeries{}).count : 0;
        if (count > written) {
            written = count;
            push(Write{Verb::PatchSeries, *series});
        }
        if (now - last >= options_.series_gap) {
            forget(entry);
        }
    }
    next_tick_ = series_.empty() ? std::nullopt : std::optional(now + options_.series_gap);
}

std::optional<Instant> EventRecorder::next_due() const {
    if (dropped_ == dropped_reported_) {
        return next_tick_;
    }
    return earlier(
        next_tick_, dropped_reported_at_ ? *dropped_reported_at_ + kDroppedGap : Instant()
    );
}

std::optional<std::uint64_t> EventRecorder::take_dropped(Instant now) {
    const std::uint64_t news = dropped_ - dropped_reported_;
    if (news == 0 || (dropped_reported_at_ && now - *dropped_reported_at_ < kDroppedGap)) {
        return std::nullopt;
    }
    dropped_reported_ = dropped_;
    dropped_reported_at_ = now;
    return news;
}

void EventRecorder::on_patch_not_found(const api::Event& event) {
    push(Write{Verb::Create, event});
}

api::Event EventRecorder::make_event(const EventNote& note, std::string name, Time wall) const {
    api::Event event;
    // As everywhere in Kubernetes, the events of cluster-scoped objects are in the namespace
    // `default`.
    event.metadata.namespace_ =
        note.regarding.namespace_.empty() ? "default" : note.regarding.namespace_;
    event.metadata.name = std::move(name);
    event.event_time = api::MicroTime{wall};
    event.reporting_controller = note.reporting_controller;
    event.reporting_instance = cut(note.reporting_controller + "-" + options_.hostname, kActionMax);
    event.reason = note.reason;
    event.action = cut(note.action.empty() ? note.reason : note.action, kActionMax);
    event.regarding = note.regarding;
    event.related = note.related;
    event.note = cut(note.note, kNoteMax);
    event.type_ = note.type == EventType::Warning ? "Warning" : "Normal";
    return event;
}

void EventRecorder::push(Write write) {
    if (queue_.size() >= options_.queue_max) {
        queue_.pop_front();
        ++dropped_;
    }
    queue_.push_back(std::move(write));
}

std::string make_series_patch(const api::Event& event) {
    const auto whole = api::to_value(event);
    json::Value patch;
    const auto* series = whole.find("series");
    patch.set("series", series == nullptr ? json::Value() : *series);
    return json::print(patch);
}

}  // namespace sluice::kube
