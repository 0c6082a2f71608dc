#include "config/leader_election_validation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace sluice::config {
namespace {

/// Lease.spec.leaseDurationSeconds has 32 bits.
constexpr auto kLeaseMax = std::chrono::seconds(std::numeric_limits<std::int32_t>::max());

/// Replicas that retry more often would do nothing else.
constexpr auto kRetryMin = std::chrono::milliseconds(10);

bool check_positive(Problems& out, std::string_view path, Duration value) {
    if (value <= Duration::zero()) {
        out.add(path, "must be greater than 0");
        return false;
    }
    return true;
}

void check_lease_duration(Problems& out, const LeaderElection& election) {
    constexpr std::string_view kPath = "leaderElection.leaseDuration";
    if (election.lease_duration > kLeaseMax) {
        out.add(kPath, fmt::format("must be at most {}s", kLeaseMax.count()));
        return;
    }
    const auto written = std::chrono::floor<std::chrono::seconds>(election.lease_duration);
    if (written < std::chrono::seconds(1)) {
        out.add(kPath, "counts as 0s and must be at least 1s");
    } else if (written <= election.renew_deadline) {
        out.add(
            kPath,
            fmt::format("counts as {}s and must be greater than renewDeadline", written.count())
        );
    }
}

}  // namespace

void check_leader_election(Problems& out, const LeaderElection& election) {
    if (!election.leader_elect) {
        return;
    }
    const bool has_lease =
        check_positive(out, "leaderElection.leaseDuration", election.lease_duration);
    const bool has_deadline =
        check_positive(out, "leaderElection.renewDeadline", election.renew_deadline);
    const bool has_period =
        check_positive(out, "leaderElection.retryPeriod", election.retry_period);
    if (has_period && election.retry_period < kRetryMin) {
        out.add(
            "leaderElection.retryPeriod", fmt::format("must be at least {}ms", kRetryMin.count())
        );
    }
    if (has_lease && has_deadline) {
        check_lease_duration(out, election);
    }
    if (has_deadline && has_period &&
        election.renew_deadline <= election.retry_period + election.retry_period / 5) {
        out.add("leaderElection.renewDeadline", "must be greater than 1.2 times retryPeriod");
    }
    if (election.resource_lock != "leases") {
        out.add(
            "leaderElection.resourceLock",
            fmt::format("\"{}\" is not one of leases", election.resource_lock)
        );
    }
}

}  // namespace sluice::config
