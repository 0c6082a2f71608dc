#include "sim/job/index_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace sluice::sim {

namespace {

std::optional<std::int64_t> parse_index(std::string_view text) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index < 0) {
        return std::nullopt;
    }
    return index;
}

}  // namespace

IndexSet IndexSet::parse(std::string_view text, std::int64_t completions) {
    IndexSet set;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const std::size_t dash = part.find('-');
        const auto first = parse_index(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_index(part.substr(dash + 1));
        if (first && last && *first <= *last && *first < completions) {
            set.insert_interval({*first, std::min(*last, completions - 1)});
        }
    }
    return set;
}

void IndexSet::insert(std::int64_t index) {
    insert_interval({index, index});
}

void IndexSet::insert_all(const IndexSet& other) {
    for (const Interval& interval : other.intervals_) {
        insert_interval(interval);
    }
}

void IndexSet::insert_interval(Interval added) {
    // The first interval that overlaps or touches the added one, and the first beyond it.
    const auto begin = std::ranges::lower_bound(
        intervals_, added.first - 1, {}, [](const Interval& interval) { return interval.second; }
    );
    auto end = begin;
    while (end != intervals_.end() && end->first <= added.second + 1) {
        added = {std::min(added.first, end->first), std::max(added.second, end->second)};
        ++end;
    }
    intervals_.insert(intervals_.erase(begin, end), added);
}

bool IndexSet::contains(std::int64_t index) const {
    const auto found = std::ranges::lower_bound(
        intervals_, index, {}, [](const Interval& interval) { return interval.second; }
    );
    return found != intervals_.end() && found->first <= index;
}

std::int64_t IndexSet::size() const {
    std::int64_t size = 0;
    for (const auto& [first, last] : intervals_) {
        size += last - first + 1;
    }
    return size;
}

std::int64_t IndexSet::count_common(const IndexSet& other) const {
    std::int64_t common = 0;
    auto theirs = other.intervals_.begin();
    for (const auto& [first, last] : intervals_) {
        while (theirs != other.intervals_.end() && theirs->second < first) {
            ++theirs;
        }
        for (auto at = theirs; at != other.intervals_.end() && at->first <= last; ++at) {
            common += std::min(last, at->second) - std::max(first, at->first) + 1;
        }
    }
    return common;
}

std::vector<std::int64_t> IndexSet::first_missing(std::int64_t count, std::int64_t completions)
    const {
    std::vector<std::int64_t> missing;
    std::int64_t candidate = 0;
    const auto take_until = [&](std::int64_t end) {
        while (candidate < end && std::ssize(missing) < count) {
            missing.push_back(candidate++);
        }
    };
    for (const auto& [first, last] : intervals_) {
        take_until(std::min(first, completions));
        candidate = std::max(candidate, last + 1);
    }
    take_until(completions);
    return missing;
}

std::string IndexSet::to_string() const {
    std::string text;
    for (const auto& [first, last] : intervals_) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", first);
        if (last > first) {
            text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
        }
    }
    return text;
}

}  // namespace sluice::sim
