#include "workload/explanation/binding_order.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sluice::workload {
namespace {

/// Distance of a flavor from serving the workload: the worst of its obstacles.
struct Distance {
    bool is_final = false;
    bool is_other = true;  ///< the workload would not take this flavor
    double want = 0;
    std::size_t found_at = 0;
    bool is_clearable = true;
    friend auto operator<=>(const Distance&, const Distance&) = default;
};

}  // namespace

void sort_by_binding(std::vector<Ranked>& all) {
    std::map<Source, Distance> sources;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Distance& distance = sources.emplace(all[i].source, Distance{.found_at = i}).first->second;
        distance.is_final = distance.is_final || all[i].is_final;
        distance.is_other = distance.is_other && !all[i].is_choice;
        distance.want = std::max(distance.want, all[i].want);
        distance.is_clearable = distance.is_clearable && all[i].is_clearable;
    }
    std::map<std::pair<std::size_t, std::size_t>, Source> nearest;
    for (const auto& [source, distance] : sources) {
        const auto [at, is_new] = nearest.emplace(std::pair(source.pod_set, source.group), source);
        if (!is_new && distance < sources.at(at->second)) {
            at->second = source;
        }
    }
    const auto rank = [&](const Ranked& ranked) {
        const Source& source = ranked.source;
        const bool binds = nearest.at(std::pair(source.pod_set, source.group)) == source;
        const Distance& distance = sources.at(source);
        // Sorts obstacles that bind by the worst group first, and obstacles of other flavors by the
        // nearest flavor first.
        return binds ? std::tuple(
                           0,
                           !distance.is_final,
                           distance.is_clearable,
                           -distance.want,
                           distance.found_at
                       )
                     : std::tuple(1, distance.is_final, false, distance.want, distance.found_at);
    };
    std::ranges::stable_sort(all, [&](const Ranked& a, const Ranked& b) {
        const auto rank_a =
            std::tuple_cat(rank(a), std::tuple(!a.is_final, a.is_clearable, -a.want));
        const auto rank_b =
            std::tuple_cat(rank(b), std::tuple(!b.is_final, b.is_clearable, -b.want));
        return rank_a < rank_b;
    });
}

}  // namespace sluice::workload
