#include "controller/process/runner/failing_objects.hpp"

#include <chrono>

namespace sluice::controller {

namespace {

/// A failure that the next change fixes is not reported.
constexpr int kFailuresMin = 5;
constexpr Duration kTimeMin = std::chrono::minutes(1);
constexpr Duration kReportGap = std::chrono::hours(1);

}  // namespace

std::optional<int> FailingObjects::note_failure(const ObjectKey& key, Instant now) {
    Row& row = rows_.try_emplace(key, Row{.since = now}).first->second;
    ++row.failures;
    const bool is_due = row.reported ? now - *row.reported >= kReportGap
                                     : row.failures >= kFailuresMin && now - row.since >= kTimeMin;
    if (!is_due) {
        return std::nullopt;
    }
    row.reported = now;
    return row.failures;
}

std::map<Kind, std::uint64_t> FailingObjects::count_by_kind() const {
    std::map<Kind, std::uint64_t> counts;
    for (const auto& [key, row] : rows_) {
        if (row.reported) {
            ++counts[key.kind];
        }
    }
    return counts;
}

}  // namespace sluice::controller
