// The status of a Job as its controller changes it.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace sluice::sim {

/// A condition that ends a Job, or announces its end.
struct JobEnd {
    std::string type;  ///< SuccessCriteriaMet, Complete, FailureTarget or Failed
    std::string reason;
    std::string message;

    bool is_success() const { return type == "SuccessCriteriaMet" || type == "Complete"; }
};

/// batch/v1 JobStatus as its controller changes it.
struct JobStatus {
    std::int64_t active = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::optional<std::int64_t> ready{};
    std::optional<std::int64_t> terminating{};
    std::optional<std::string> start_time{};
    std::optional<std::string> completion_time{};
    std::string completed_indexes{};
    std::optional<std::string> failed_indexes{};
    std::set<std::string, std::less<>> uncounted_succeeded{};  ///< uids
    std::set<std::string, std::less<>> uncounted_failed{};
    json::Array conditions{};

    static JobStatus read(const json::Value& job);
    json::Value to_value() const;

    const json::Value* find_condition(std::string_view type) const;
    bool is_true(std::string_view type) const;
    /// Sets a condition. Returns true if the condition changed. An absent condition is not set to
    /// False.
    bool set_condition(
        std::string_view type,
        bool status,
        std::string_view reason,
        std::string_view message,
        Time now
    );
    void add(const JobEnd& end, Time now) {
        set_condition(end.type, true, end.reason, end.message, now);
    }
    bool is_finished() const { return is_true("Complete") || is_true("Failed"); }

    friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

}  // namespace sluice::sim
