// The problem for which a job gets no Workload or cannot start.
#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The reason why a job gets no Workload or cannot start, with a text for its event.
struct JobProblem {
    enum class Reason : std::uint8_t {
        InvalidSpec,  ///< only a change of the job helps
        WorkloadPriorityClassNotFound,
        PriorityClassNotFound,
        FlavorNotFound,
        PrebuiltWorkloadNotFound,
        OwnerNotFound,  ///< the object that controls the job is unknown
        NestingTooDeep,
        IncompleteGroup,    ///< pods of a group are missing
        InconsistentGroup,  ///< pods of a group contradict each other
        UnreadableGroup,    ///< a pod of a group does not say which group it is in
    };
    Reason reason = Reason::InvalidSpec;
    std::string detail;  ///< the note of the event

    /// Returns true if trying again cannot help.
    bool is_permanent() const {
        return reason == Reason::InvalidSpec || reason == Reason::IncompleteGroup ||
               reason == Reason::InconsistentGroup;
    }
};

/// Returns the reason of the event for the problem; "" if no event is recorded for it.
std::string_view to_string(JobProblem::Reason reason);

/// Called by boost::system::result when a missing value is taken: always a bug, so it aborts.
[[noreturn]] void throw_exception_from_error(
    const JobProblem& problem, const boost::source_location& where
);

template <class T>
using JobResult = boost::system::result<T, JobProblem>;

}  // namespace sluice::controller
