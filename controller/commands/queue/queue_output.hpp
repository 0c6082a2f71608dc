// Prints the workloads of queues as tables.
#pragma once

#include "api/insight/explanation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// The columns of the table.
struct QueueColumns {
    bool ns = false;     ///< NAMESPACE
    bool order = false;  ///< the keys of the queue's order
    bool wide = false;   ///< WORKLOAD and FLAVORS
};

/// Prints a row for each workload; a sentence without any.
std::string print_queue(const std::vector<api::Explanation>& rows, const QueueColumns& columns);

/// Sorts the rows: those with quota first, then those that wait by queue and position, then the
/// others. `by`: "position" for that order, "age" for the oldest first, "priority" for the highest.
void sort_queue(std::vector<api::Explanation>& rows, std::string_view by);

}  // namespace sluice::commands
