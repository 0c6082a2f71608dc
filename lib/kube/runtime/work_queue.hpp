// Keys that wait to be reconciled, with delays and a backoff for each key.
#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"
#include "kube/runtime/backoff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sluice::kube {

/// The backoff of keys whose reconcile failed: 5 ms, doubled up to 1000 s, plus up to 10 % jitter.
inline constexpr BackoffOptions kReconcileBackoff{
    std::chrono::milliseconds(5), std::chrono::seconds(1000), 10
};

/// A queue of keys to reconcile. A key waits at most once. A key that is added while it is being
/// processed becomes ready again when it is done, so that no key is processed twice at the same
/// time and no addition is lost. Pure: due times are data; the caller asks next_due() and calls
/// again then.
///
///     queue.add(key, now);
///     while (auto key = queue.take(now)) { … queue.done(*key); }
template <class Key>
class WorkQueue {
  public:
    explicit WorkQueue(std::uint64_t seed, BackoffOptions backoff = kReconcileBackoff)
        : backoff_(backoff), prng_(seed) {}

    /// The time when a key was first added since it was last taken, and the time when it was taken.
    struct Times {
        Instant wanted;
        Instant taken;
    };

    /// Adds the key, to be reconciled as soon as possible; cancels a delayed addition.
    void add(const Key& key, Instant now) {
        remove_delayed(key);
        if (!dirty_.emplace(key, now).second || processing_.contains(key)) {
            return;
        }
        ready_.push_back(key);
    }

    /// Adds the key, to be reconciled when `due` has come. If the key has several due times, the
    /// earliest counts.
    void add_at(const Key& key, Instant due) {
        if (dirty_.contains(key)) {
            return;
        }
        const auto found = due_of_.find(key);
        if (found != due_of_.end()) {
            if (found->second <= due) {
                return;
            }
            delayed_.erase({found->second, key});
        }
        due_of_[key] = due;
        delayed_.insert({due, key});
    }

    /// Adds the key, to be reconciled after its backoff, which grows until forget().
    void add_rate_limited(const Key& key, Instant now) {
        auto& failures = failures_[key];
        const auto delay = backoff_delay(backoff_, failures, prng_);
        failures = std::min(failures + 1, 1000);
        add_at(key, now + delay);
    }

    /// Resets the key's backoff. Call it when its reconcile succeeded.
    void forget(const Key& key) { failures_.erase(key); }
    /// Returns how often the key was added rate limited since it was last forgotten.
    int failures(const Key& key) const {
        const auto found = failures_.find(key);
        return found == failures_.end() ? 0 : found->second;
    }

    /// Returns the next key to process, or nullopt. Pass every key taken to done().
    std::optional<Key> take(Instant now) {
        promote_due(now);
        if (ready_.empty()) {
            return std::nullopt;
        }
        Key key = std::move(ready_.front());
        ready_.pop_front();
        const auto wanted = dirty_.find(key);
        processing_.emplace(key, Times{wanted->second, now});
        dirty_.erase(wanted);
        return key;
    }

    /// Ends the processing of a key. The key is ready again if it was added meanwhile.
    void done(const Key& key) {
        if (processing_.erase(key) > 0 && dirty_.contains(key)) {
            ready_.push_back(key);
        }
    }

    /// Returns when the earliest delayed key is due, or nullopt. Ignores keys that are ready now.
    std::optional<Instant> next_due() const {
        return delayed_.empty() ? std::nullopt : std::optional(delayed_.begin()->first);
    }
    /// The keys that wait now, without delayed ones.
    const std::deque<Key>& ready() const { return ready_; }
    /// The keys that were taken and are not done, with their times.
    const std::map<Key, Times>& processing() const { return processing_; }

  private:
    void remove_delayed(const Key& key) {
        const auto found = due_of_.find(key);
        if (found != due_of_.end()) {
            delayed_.erase({found->second, key});
            due_of_.erase(found);
        }
    }

    void promote_due(Instant now) {
        while (!delayed_.empty() && delayed_.begin()->first <= now) {
            const auto [due, key] = *delayed_.begin();
            add(key, due);
        }
    }

    BackoffOptions backoff_;
    Prng prng_;
    std::deque<Key> ready_;
    std::map<Key, Instant> dirty_;  // since when it waits to be processed; also in ready_ unless it
                                    // is in processing_
    std::map<Key, Times> processing_;  // taken, not done
    std::set<std::pair<Instant, Key>> delayed_;
    std::map<Key, Instant> due_of_;
    std::map<Key, int> failures_;
};

}  // namespace sluice::kube
