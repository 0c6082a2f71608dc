#include "apiserver/store.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace sluice::apiserver {
namespace {

std::size_t cost_of(const StoreEvent& event) {
    return event.object->body.size();
}

}  // namespace

std::string Stored::make_key(std::string_view namespace_, std::string_view name) {
    std::string key;
    key.reserve(namespace_.size() + 1 + name.size());
    if (!namespace_.empty()) {
        key.append(namespace_).append("/");
    }
    return key.append(name);
}

StoredPtr Collection::find(std::string_view namespace_, std::string_view name) const {
    const auto found = objects_.find(Stored::make_key(namespace_, name));
    return found == objects_.end() ? nullptr : found->second;
}

Result<Collection::Objects> Collection::snapshot(
    std::uint64_t version, std::string_view from_key
) const {
    if (version < compacted_version_) {
        return Error{ErrorCode::Gone, "the history of that version is forgotten", {}};
    }
    Objects then(objects_.lower_bound(from_key), objects_.end());
    for (auto event = log_.rbegin(); event != log_.rend(); ++event) {
        if (event->resource_version <= version) {
            break;
        }
        auto key = event->object->key();
        if (key < from_key) {
            continue;
        }
        if (event->previous == nullptr) {
            then.erase(key);
        } else {
            then.insert_or_assign(std::move(key), event->previous);
        }
    }
    return then;
}

std::optional<std::uint64_t> Collection::sequence_after(std::uint64_t version) const {
    if (version < compacted_version_) {
        return std::nullopt;
    }
    const auto at = std::ranges::upper_bound(log_, version, {}, &StoreEvent::resource_version);
    return first_sequence_ + static_cast<std::uint64_t>(at - log_.begin());
}

std::uint64_t Collection::call_on_event(std::function<void()> function) {
    const auto id = next_waiting_++;
    waiting_.emplace(id, std::move(function));
    return id;
}

void Collection::apply(StoreEvent event) {
    auto key = event.object->key();
    if (event.type == StoreEvent::Type::Deleted) {
        objects_.erase(key);
    } else {
        objects_.insert_or_assign(std::move(key), event.object);
    }
    log_bytes_ += cost_of(event);
    log_.push_back(std::move(event));
    while (log_.size() > limits_.events || (log_bytes_ > limits_.bytes && log_.size() > 1)) {
        drop_front();
    }
    wake();
}

void Collection::drop_front() {
    log_bytes_ -= cost_of(log_.front());
    compacted_version_ = std::max(compacted_version_, log_.front().resource_version);
    log_.pop_front();
    ++first_sequence_;
}

void Collection::forget_before(std::uint64_t version) {
    while (!log_.empty() && log_.front().resource_version <= version) {
        drop_front();
    }
    compacted_version_ = std::max(compacted_version_, version);
}

void Collection::wake() {
    // A function may ask to be called again.
    auto functions = std::exchange(waiting_, {});
    for (auto& [id, function] : functions) {
        function();
    }
}

std::shared_ptr<Collection> Store::collection(const std::string& resource) {
    auto& slot = collections_[resource];
    if (slot == nullptr) {
        slot = std::make_shared<Collection>(limits_);
    }
    return slot;
}

void Store::close(const std::string& resource) {
    const auto found = collections_.find(resource);
    if (found == collections_.end()) {
        return;
    }
    const auto closed = std::move(found->second);
    collections_.erase(found);
    closed->is_closed_ = true;
    closed->wake();
}

void Store::put(const std::string& resource, StoredPtr object) {
    const auto target = collection(resource);
    auto previous = target->find(object->namespace_, object->name);
    if (previous != nullptr) {
        unindex(resource, *previous);
    }
    index(resource, *object);
    const auto type =
        previous == nullptr ? StoreEvent::Type::Added : StoreEvent::Type::Modified;
    const auto version = object->resource_version;
    target->apply({type, version, std::move(object), std::move(previous)});
}

void Store::remove(const std::string& resource, StoredPtr last) {
    const auto target = collection(resource);
    auto previous = target->find(last->namespace_, last->name);
    SLUICE_ASSERT(previous != nullptr);
    unindex(resource, *previous);
    const auto version = last->resource_version;
    target->apply({StoreEvent::Type::Deleted, version, std::move(last), std::move(previous)});
}

void Store::rewrite(const std::string& resource, StoredPtr object) {
    const auto target = collection(resource);
    target->objects_.insert_or_assign(object->key(), std::move(object));
}

void Store::index(const std::string& resource, const Stored& object) {
    Place place{resource, object.key()};
    for (const auto& owner : object.owners) {
        dependents_[owner].insert(place);
    }
    by_uid_.insert_or_assign(object.uid, std::move(place));
}

void Store::unindex(const std::string& resource, const Stored& object) {
    const Place place{resource, object.key()};
    for (const auto& owner : object.owners) {
        const auto found = dependents_.find(owner);
        if (found == dependents_.end()) {
            continue;
        }
        found->second.erase(place);
        if (found->second.empty()) {
            dependents_.erase(found);
        }
    }
    by_uid_.erase(object.uid);
}

const Place* Store::find_uid(std::string_view uid) const {
    const auto found = by_uid_.find(uid);
    return found == by_uid_.end() ? nullptr : &found->second;
}

std::vector<Place> Store::dependents(std::string_view owner_uid) const {
    const auto found = dependents_.find(owner_uid);
    if (found == dependents_.end()) {
        return {};
    }
    return {found->second.begin(), found->second.end()};
}

StoredPtr Store::find(const Place& place) const {
    const auto collection = collections_.find(place.resource);
    if (collection == collections_.end()) {
        return nullptr;
    }
    const auto& objects = collection->second->objects();
    const auto found = objects.find(place.key);
    return found == objects.end() ? nullptr : found->second;
}

void Store::compact(std::uint64_t version) {
    for (auto& [name, collection] : collections_) {
        collection->forget_before(version);
    }
}

}  // namespace sluice::apiserver
