#pragma once

#include "engine/types/ids.hpp"
#include "workload/explanation/explanation.hpp"

#include <compare>
#include <cstddef>
#include <vector>

namespace sluice::workload {

/// Where a resource could come from: flavors of one group are alternatives, groups are all needed.
struct Source {
    std::size_t pod_set = 0;
    std::size_t group = 0;
    engine::FlavorIndex flavor;
    friend auto operator<=>(const Source&, const Source&) = default;
};

/// Obstacles with what decides how much they bind.
struct Ranked {
    Constraint constraint;
    Source source = {};
    bool is_final = false;      ///< nothing can help under today's policies
    bool is_clearable = false;  ///< evictions that policies allow would free enough
    bool is_choice = false;     ///< of the flavor that it would take
    double want = 0;            ///< the part of the need that is missing
};

/// The most binding first; see Explanations::of().
void sort_by_binding(std::vector<Ranked>& all);

}  // namespace sluice::workload
