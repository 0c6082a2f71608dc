#include "controller/process/writes/awaited_echoes.hpp"

#include <charconv>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kEchoTimeout = std::chrono::seconds(30);

}  // namespace

std::uint64_t version_number(std::string_view resource_version) {
    std::uint64_t number = 0;
    std::from_chars(
        resource_version.data(), resource_version.data() + resource_version.size(), number
    );
    return number;
}

void AwaitedEchoes::begin(const ObjectKey& key) {
    UnderWay& under_way = under_way_[key];
    ++under_way.writes;
    if (const api::ObjectMeta* stored = stores_.find_metadata(key)) {
        under_way.stored_uid = stored->uid;
    }
}

bool AwaitedEchoes::was_stored(const ObjectKey& key, const std::string& uid) const {
    const api::ObjectMeta* stored = stores_.find_metadata(key);
    if (stored != nullptr) {
        return stored->uid == uid;
    }
    // The deletion may be seen before the response to a write that happened just before it.
    const auto found = under_way_.find(key);
    return found != under_way_.end() && !uid.empty() && found->second.stored_uid == uid;
}

void AwaitedEchoes::end(const ObjectKey& key) {
    const auto found = under_way_.find(key);
    if (found != under_way_.end() && --found->second.writes == 0) {
        under_way_.erase(found);
    }
}

void AwaitedEchoes::expect(const ObjectKey& key, Written written) {
    const Instant overdue_at = clock_.instant() + kEchoTimeout;
    const bool is_known = was_stored(key, written.uid);
    awaited_[key] = Awaited{
        .written = std::move(written),
        .write = ++writes_,
        .was_stored = is_known,
        .overdue_at = overdue_at,
    };
    overdue_.insert({overdue_at, key});
}

bool AwaitedEchoes::is_seen(const ObjectKey& key, const Awaited& awaited) const {
    const api::ObjectMeta* stored = stores_.find_metadata(key);
    if (awaited.written.is_end) {
        return stored == nullptr || stored->uid != awaited.written.uid ||
               stored->deletion_timestamp;
    }
    if (stored == nullptr) {
        return awaited.was_stored;
    }
    return version_number(stored->resource_version) >= awaited.written.version;
}

bool AwaitedEchoes::is_settled(const ObjectKey& key) const {
    if (under_way_.contains(key)) {
        return false;
    }
    const auto found = awaited_.find(key);
    if (found == awaited_.end()) {
        return true;
    }
    if (!is_seen(key, found->second)) {
        return false;
    }
    awaited_.erase(found);
    return true;
}

void AwaitedEchoes::drop_settled() {
    while (!overdue_.empty()) {
        const auto& [at, key] = *overdue_.begin();
        const auto found = awaited_.find(key);
        const bool is_awaited = found != awaited_.end() && found->second.overdue_at == at;
        if (is_awaited && !is_seen(key, found->second)) {
            return;
        }
        if (is_awaited) {
            awaited_.erase(found);
        }
        overdue_.erase(overdue_.begin());
    }
}

std::optional<AwaitedEchoes::Question> AwaitedEchoes::take_overdue() {
    drop_settled();
    if (overdue_.empty() || overdue_.begin()->first > clock_.instant()) {
        return std::nullopt;
    }
    const ObjectKey key = overdue_.begin()->second;
    overdue_.erase(overdue_.begin());
    Awaited& awaited = awaited_[key];
    awaited.overdue_at = clock_.instant() + kEchoTimeout;
    overdue_.insert({awaited.overdue_at, key});
    return Question{.object = key, .write = awaited.write};
}

std::optional<Instant> AwaitedEchoes::next_overdue() {
    drop_settled();
    return overdue_.empty() ? std::nullopt : std::optional(overdue_.begin()->first);
}

std::map<ObjectKey, AwaitedEchoes::Awaited>::iterator AwaitedEchoes::find_asked(
    const Question& question
) {
    const auto found = awaited_.find(question.object);
    const bool is_same = found != awaited_.end() && found->second.write == question.write;
    return is_same ? found : awaited_.end();
}

void AwaitedEchoes::confirm(const Question& question, const Answer& answer) {
    const auto found = find_asked(question);
    if (found == awaited_.end()) {
        return;
    }
    Written& written = found->second.written;
    if (written.is_end && answer.uid == written.uid && !answer.is_ending) {
        awaited_.erase(found);
    } else if (answer.version < written.version) {
        written.version = answer.version;
    }
}

void AwaitedEchoes::gone(const Question& question) {
    const auto found = find_asked(question);
    if (found != awaited_.end()) {
        found->second.was_stored = true;
    }
}

}  // namespace sluice::controller
