#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::controller {

/// Why a job gets no Workload or cannot start.
struct JobProblem {
    enum class Reason : std::uint8_t {
        InvalidSpec,  ///< only a change of the job mends it
        WorkloadPriorityClassNotFound,
        PriorityClassNotFound,
        FlavorNotFound,
        PrebuiltWorkloadNotFound,
        OwnerNotFound,  ///< the object that controls the job is not known
        NestingTooDeep,
        IncompleteGroup,    ///< pods of a group are missing
        InconsistentGroup,  ///< pods of a group contradict each other
        UnreadableGroup,    ///< a pod of a group does not say what its group is
    };
    Reason reason = Reason::InvalidSpec;
    std::string detail;  ///< for the reader of an event

    /// Trying again cannot help.
    bool is_permanent() const {
        return reason == Reason::InvalidSpec || reason == Reason::IncompleteGroup ||
               reason == Reason::InconsistentGroup;
    }
};

/// As an event spells it; "": no event tells of it.
std::string_view to_string(JobProblem::Reason reason);

/// Called by boost::system::result when a missing value is taken: always a bug, so it aborts.
[[noreturn]] void throw_exception_from_error(
    const JobProblem& problem, const boost::source_location& where
);

template <class T>
using JobResult = boost::system::result<T, JobProblem>;

}  // namespace sluice::controller
