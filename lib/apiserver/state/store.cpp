#include "apiserver/state/store.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace sluice::apiserver {

namespace {

std::size_t bytes_of(const json::Value& value) {
    std::size_t bytes = sizeof(value);
    if (value.is_string()) {
        bytes += value.as_string().size();
    } else if (value.is_array()) {
        for (const json::Value& item : value.as_array()) {
            bytes += bytes_of(item);
        }
    } else if (value.is_object()) {
        for (const auto& [name, member] : value.as_object()) {
            bytes += sizeof(std::string) + name.size() + bytes_of(member);
        }
    }
    return bytes;
}

}  // namespace

Snapshot Store::find(const Collection& collection, const ObjectName& name) const {
    const Objects& all = objects(collection);
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

const Store::Objects& Store::objects(const Collection& collection) const {
    static const Objects kNone;
    const auto found = kept_.find(collection);
    return found == kept_.end() ? kNone : found->second.objects;
}

std::optional<Store::Objects> Store::objects_at(const Collection& collection, std::int64_t version)
    const {
    const auto found = kept_.find(collection);
    if (found == kept_.end()) {
        return version < compacted_ ? std::nullopt : std::optional(Objects());
    }
    if (log_since(collection, version) == nullptr) {
        return std::nullopt;
    }
    Objects objects = found->second.objects;
    const auto& log = found->second.log;
    for (auto entry = log.rbegin(); entry != log.rend() && entry->version > version; ++entry) {
        if (entry->before) {
            objects[entry->name] = entry->before;
        } else {
            objects.erase(entry->name);
        }
    }
    return objects;
}

Snapshot Store::put(const Collection& collection, const ObjectName& name, json::Value object) {
    Kept& kept = kept_[collection];
    const std::int64_t version = ++version_;
    json::Value* metadata = object.find("metadata");
    SLUICE_ASSERT(metadata != nullptr);
    metadata->set("resourceVersion", std::to_string(version));
    auto after = std::make_shared<const json::Value>(std::move(object));
    Snapshot& place = kept.objects[name];
    LogEntry entry{.version = version, .name = name, .before = place, .after = after, .last = {}};
    place = after;
    note(collection, kept, std::move(entry));
    return after;
}

void Store::restore(const Collection& collection, const ObjectName& name, Snapshot object) {
    Kept& kept = kept_[collection];
    const bool is_new = kept.objects.emplace(name, object).second;
    SLUICE_ASSERT(is_new);
    note(
        collection,
        kept,
        {.version = version_, .name = name, .before = {}, .after = std::move(object), .last = {}}
    );
}

void Store::remove(const Collection& collection, const ObjectName& name) {
    Kept& kept = kept_[collection];
    const auto found = kept.objects.find(name);
    SLUICE_ASSERT(found != kept.objects.end());
    const std::int64_t version = ++version_;
    json::Value last = *found->second;
    last.find("metadata")->set("resourceVersion", std::to_string(version));
    LogEntry entry{
        .version = version,
        .name = name,
        .before = found->second,
        .after = {},
        .last = std::make_shared<const json::Value>(std::move(last))
    };
    kept.objects.erase(found);
    note(collection, kept, std::move(entry));
}

void Store::note(const Collection& collection, Kept& kept, LogEntry entry) {
    entry.bytes = bytes_of(entry.after ? *entry.after : *entry.last);
    kept.log_bytes += entry.bytes;
    kept.log.push_back(std::move(entry));
    while (kept.log.size() > log_max_ || (kept.log_bytes > log_bytes_max_ && kept.log.size() > 1)) {
        kept.log_start = kept.log.front().version;
        kept.log_bytes -= kept.log.front().bytes;
        kept.log.pop_front();
    }
    const LogEntry noted = kept.log.back();
    for (const OnEntry& observer : observers_) {
        observer(collection, noted);
    }
    // A subscriber may be destroyed while it is called.
    std::vector<std::shared_ptr<std::function<void()>>> called;
    std::erase_if(kept.subscribers, [&called](const auto& subscriber) {
        auto held = subscriber.lock();
        if (held) {
            called.push_back(std::move(held));
            return false;
        }
        return true;
    });
    for (const auto& subscriber : called) {
        (*subscriber)();
    }
}

std::vector<Collection> Store::collections() const {
    std::vector<Collection> collections;
    collections.reserve(kept_.size());
    for (const auto& [collection, kept] : kept_) {
        collections.push_back(collection);
    }
    return collections;
}

std::size_t Store::size() const {
    std::size_t size = 0;
    for (const auto& [collection, kept] : kept_) {
        size += kept.objects.size();
    }
    return size;
}

const std::deque<LogEntry>* Store::log_since(const Collection& collection, std::int64_t version)
    const {
    static const std::deque<LogEntry> kNothing;
    const auto found = kept_.find(collection);
    const std::int64_t start =
        std::max(compacted_, found == kept_.end() ? 0 : found->second.log_start);
    if (version < start) {
        return nullptr;
    }
    return found == kept_.end() ? &kNothing : &found->second.log;
}

void Store::compact() {
    compacted_ = version_;
    for (auto& [collection, kept] : kept_) {
        kept.log.clear();
        kept.log_bytes = 0;
        for (const auto& subscriber : kept.subscribers) {
            if (const auto held = subscriber.lock()) {
                (*held)();
            }
        }
    }
}

Store::Subscription Store::subscribe(
    const Collection& collection, std::function<void()> on_change
) {
    auto held = std::make_shared<std::function<void()>>(std::move(on_change));
    kept_[collection].subscribers.push_back(held);
    return held;
}

}  // namespace sluice::apiserver
