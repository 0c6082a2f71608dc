// Sorts the obstacles of a pending workload, the most binding first.
#pragma once

#include "engine/types/ids.hpp"
#include "workload/explanation/explanation.hpp"

#include <compare>
#include <cstddef>
#include <vector>

namespace sluice::workload {

/// Identifies where a resource could come from. Flavors of one resource group are alternatives;
/// every group is needed.
struct Source {
    std::size_t pod_set = 0;
    std::size_t group = 0;
    engine::FlavorIndex flavor;
    friend auto operator<=>(const Source&, const Source&) = default;
};

/// An obstacle with the measures that decide how much it binds.
struct Ranked {
    Constraint constraint;
    Source source = {};
    bool is_final = false;      ///< no eviction or release helps under today's policies
    bool is_clearable = false;  ///< the policies allow enough evictions to free what is missing
    bool is_choice = false;     ///< concerns the flavor that the workload would take
    double want = 0;            ///< the missing part of the need, from 0 to 1
};

/// Sorts the most binding obstacle to the front, as Explanations::of() describes.
void sort_by_binding(std::vector<Ranked>& all);

}  // namespace sluice::workload
