#include "engine/reference_placer.hpp"

#include "engine/reference_placer_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Counting, choosing and descending: sections 6.4 to 6.6.
namespace sluice::reference {
namespace {

/// Hosts as leaves of their domains. The domains have no counts yet.
PlacerDomains grow_domains(const PlacerHosts& hosts) {
    PlacerDomains tops;
    for (const auto& [path, room] : hosts) {
        PlacerDomains* siblings = &tops;
        for (std::size_t depth = 0; depth < path.size(); ++depth) {
            if (siblings->empty() || siblings->back().path.back() != path[depth]) {
                PlacerDomain domain;
                domain.path.assign(path.begin(), path.begin() + std::ptrdiff_t(depth) + 1);
                siblings->push_back(std::move(domain));
            }
            if (depth + 1 == path.size()) {
                siblings->back().pods = room.pods;
                siblings->back().pods_with_leader = room.pods_beside_leader;
                siblings->back().leaders = room.fits_leader ? 1 : 0;
                siblings->back().affinity = room.affinity;
            }
            siblings = &siblings->back().children;
        }
    }
    return tops;
}

}  // namespace

std::int64_t room_of(const PlacerDomain& domain, PlacerUnit unit, bool with_leader) {
    if (unit == PlacerUnit::Slices) {
        return with_leader ? domain.slices_with_leader : domain.slices;
    }
    return with_leader ? domain.pods_with_leader : domain.pods;
}

PlacerDomains children_of_all(const PlacerDomains& parents) {
    PlacerDomains children;
    for (const PlacerDomain& parent : parents) {
        children.insert(children.end(), parent.children.begin(), parent.children.end());
    }
    return children;
}

PlacerDomains domains_of_level(const PlacerDomains& tops, std::size_t level) {
    if (level == 0) {
        return tops;
    }
    PlacerDomains domains;
    for (const PlacerDomain& top : tops) {
        for (PlacerDomain& domain : domains_of_level(top.children, level - 1)) {
            domains.push_back(std::move(domain));
        }
    }
    return domains;
}

SlowPlacer::SlowPlacer(const PlacerHosts& hosts, const engine::PlacementRequest& request)
    : request_(request),
      levels_(hosts.begin()->first.size()),
      wanted_(request.count / request.slices.size),
      leaders_(request.has_leader ? 1 : 0),
      inner_sizes_(levels_, 0),
      tops_(grow_domains(hosts)) {
    std::size_t above = request.slices.level;
    for (const engine::SliceLayer& layer : request.inner_layers) {
        for (std::size_t level = above + 1; level <= layer.level; ++level) {
            inner_sizes_[level] = layer.size;
        }
        above = layer.level;
    }
    for (PlacerDomain& top : tops_) {
        count(top, 0, inner_sizes_);
    }
}

PlacerResult SlowPlacer::place() const {
    if (request_.prefers_balance && !request_.is_required && !request_.is_unconstrained) {
        if (const std::optional<PlacerChoice> even = choose_evenly()) {
            if (const std::optional<PlacerDomains> hosts = descend(*even, true)) {
                return {.shares = shares_of(*hosts), .shortage = std::nullopt};
            }
        }
    }
    const PlacerChoice choice = choose(request_.level);
    if (choice.fitting) {
        return {.shares = {}, .shortage = shortage(choice.level, *choice.fitting)};
    }
    const std::optional<PlacerDomains> hosts = descend(choice, false);
    if (!hosts) {
        throw std::logic_error("a domain has less room than was counted");
    }
    return {.shares = shares_of(*hosts), .shortage = std::nullopt};
}

void SlowPlacer::count(
    PlacerDomain& domain, std::size_t level, const std::vector<std::int64_t>& inner
) const {
    std::int64_t slices = 0;
    std::optional<std::int64_t> fewest_slices_lost;
    if (level + 1 < levels_) {
        std::int64_t pods = 0;
        std::optional<std::int64_t> fewest_pods_lost;
        domain.leaders = 0;
        domain.affinity = 0;
        const std::int64_t size = std::max<std::int64_t>(1, inner[level + 1]);
        for (PlacerDomain& child : domain.children) {
            count(child, level + 1, inner);
            const std::int64_t whole = child.pods / size * size;
            pods += whole;
            slices += child.slices;
            domain.leaders = std::max(domain.leaders, child.leaders);
            domain.affinity += child.affinity;
            if (leaders_ == 0 || child.leaders > 0) {
                const std::int64_t lost = whole - child.pods_with_leader / size * size;
                const std::int64_t slices_lost = child.slices - child.slices_with_leader;
                fewest_pods_lost = std::min(fewest_pods_lost.value_or(lost), lost);
                fewest_slices_lost =
                    std::min(fewest_slices_lost.value_or(slices_lost), slices_lost);
            }
        }
        domain.pods = pods;
        domain.pods_with_leader = fewest_pods_lost ? pods - *fewest_pods_lost : 0;
    }
    domain.slices = 0;
    domain.slices_with_leader = 0;
    if (level == request_.slices.level) {
        domain.slices = domain.pods / request_.slices.size;
        domain.slices_with_leader = domain.pods_with_leader / request_.slices.size;
    } else if (level < request_.slices.level) {
        domain.slices = slices;
        domain.slices_with_leader = fewest_slices_lost ? slices - *fewest_slices_lost : 0;
    }
}

PlacerDomains SlowPlacer::order_for_leader(PlacerDomains domains, bool least_room_first) const {
    std::sort(domains.begin(), domains.end(), [&](const auto& a, const auto& b) {
        if (a.leaders != b.leaders) {
            return a.leaders > b.leaders;
        }
        if (request_.prefers_affinity && a.affinity != b.affinity) {
            return a.affinity > b.affinity;
        }
        if (a.slices_with_leader != b.slices_with_leader) {
            return (a.slices_with_leader < b.slices_with_leader) == least_room_first;
        }
        if (a.pods_with_leader != b.pods_with_leader) {
            return a.pods_with_leader < b.pods_with_leader;
        }
        return a.path < b.path;
    });
    return domains;
}

PlacerDomains SlowPlacer::order(PlacerDomains domains, bool least_room_first) const {
    std::sort(domains.begin(), domains.end(), [&](const auto& a, const auto& b) {
        if (request_.prefers_affinity && a.affinity != b.affinity) {
            return a.affinity > b.affinity;
        }
        if (a.slices != b.slices) {
            return (a.slices < b.slices) == least_room_first;
        }
        if (a.pods != b.pods) {
            return a.pods < b.pods;
        }
        return a.path < b.path;
    });
    return domains;
}

/// The first domain from `first` on with the least room that is enough, within the first run of
/// equal affinity; `first` if none has enough.
std::size_t SlowPlacer::best_fit(
    const PlacerDomains& domains,
    std::size_t first,
    std::int64_t needed,
    std::int64_t leaders,
    PlacerUnit unit
) const {
    std::optional<std::size_t> best;
    for (std::size_t i = first; i < domains.size(); ++i) {
        if (request_.prefers_affinity && domains[i].affinity != domains[first].affinity) {
            break;
        }
        const std::int64_t room = room_of(domains[i], unit, leaders > 0);
        const bool fits = domains[i].leaders >= leaders && room >= needed;
        if (fits && (!best || room < room_of(domains[*best], unit, leaders > 0))) {
            best = i;
        }
    }
    return best.value_or(first);
}

/// Moves the first domain to the front that can host the leader with enough room left in all.
PlacerDomains SlowPlacer::with_leader_first(
    PlacerDomains domains, std::int64_t needed, std::int64_t leaders, PlacerUnit unit
) {
    if (leaders == 0) {
        return domains;
    }
    std::int64_t room = 0;
    for (const PlacerDomain& domain : domains) {
        room += room_of(domain, unit, false);
    }
    for (std::size_t i = 0; i < domains.size(); ++i) {
        const std::int64_t lost =
            room_of(domains[i], unit, false) - room_of(domains[i], unit, true);
        if (domains[i].leaders >= leaders && room - lost >= needed) {
            const PlacerDomain leading = domains[i];
            domains.erase(domains.begin() + std::ptrdiff_t(i));
            domains.insert(domains.begin(), leading);
            return domains;
        }
    }
    return domains;
}

PlacerChoice SlowPlacer::choose(std::size_t level) const {
    PlacerDomains domains =
        order_for_leader(domains_of_level(tops_, level), request_.least_room_first);
    const auto fits = [&](const PlacerDomain& domain) {
        return domain.leaders >= leaders_ &&
               room_of(domain, PlacerUnit::Slices, leaders_ > 0) >= wanted_;
    };
    const auto only = [&](const PlacerDomain& domain) -> PlacerChoice {
        return {.level = level, .domains = {domain}, .fitting = std::nullopt};
    };
    const auto too_few = [&](std::int64_t fitting) -> PlacerChoice {
        return {.level = level, .domains = {}, .fitting = fitting};
    };
    if (request_.least_room_first) {
        for (const PlacerDomain& domain : domains) {
            if (fits(domain)) {
                return only(domain);
            }
        }
        if (request_.is_required) {
            return too_few(domains.back().pods);
        }
    }
    if (fits(domains.front())) {
        return only(domains[best_fit(domains, 0, wanted_, leaders_, PlacerUnit::Slices)]);
    }
    if (request_.is_required) {
        for (std::size_t i = 1; request_.prefers_affinity && i < domains.size(); ++i) {
            if (fits(domains[i])) {
                return only(domains[best_fit(domains, i, wanted_, leaders_, PlacerUnit::Slices)]);
            }
        }
        return too_few(domains.front().slices);
    }
    if (level > 0 && !request_.is_unconstrained) {
        return choose(level - 1);
    }
    return choose_several(level, std::move(domains));
}

PlacerChoice SlowPlacer::choose_several(std::size_t level, PlacerDomains ordered) const {
    PlacerChoice choice = {.level = level, .domains = {}, .fitting = std::nullopt};
    PlacerDomains rest =
        with_leader_first(std::move(ordered), wanted_, leaders_, PlacerUnit::Slices);
    std::int64_t missing = wanted_;
    const auto take = [&](std::size_t first, std::int64_t leaders) {
        const bool is_last = !request_.least_room_first &&
                             room_of(rest[first], PlacerUnit::Slices, leaders > 0) >= missing;
        const std::size_t at =
            is_last ? best_fit(rest, first, missing, leaders, PlacerUnit::Slices) : first;
        choice.domains.push_back(rest[at]);
        missing -= room_of(rest[at], PlacerUnit::Slices, leaders > 0);
    };
    if (leaders_ > 0) {
        if (rest.front().leaders == 0) {
            choice.fitting = 0;
            return choice;
        }
        take(0, leaders_);
        rest.erase(rest.begin());
    }
    rest = order(std::move(rest), request_.least_room_first);
    for (std::size_t i = 0; missing > 0 && i < rest.size(); ++i) {
        take(i, 0);
    }
    if (missing > 0) {
        choice.fitting = wanted_ - missing;
    }
    return choice;
}

engine::PlacementShortage SlowPlacer::shortage(std::size_t level, std::int64_t fitting) const {
    engine::PlacementShortage result;
    result.fitting = fitting;
    result.wanted = wanted_;
    if (!request_.inner_layers.empty()) {
        const PlacerDomains domains = domains_of_level(tops_, level);
        PlacerDomain best = domains.front();
        for (const PlacerDomain& domain : domains) {
            if (domain.slices > best.slices) {
                best = domain;
            }
        }
        std::vector<engine::SliceLayer> layers = request_.inner_layers;
        layers.insert(layers.begin(), request_.slices);
        for (const engine::SliceLayer& layer : layers) {
            std::int64_t sum = 0;
            for (const PlacerDomain& domain : domains_of_level({best}, layer.level - level)) {
                sum += domain.pods / layer.size;
            }
            result.fitting_by_layer.push_back(sum);
        }
    }
    return result;
}

/// Gives units of `size` pods to the domains in turn, as many as each has room for. None: they
/// have not enough room.
std::optional<PlacerDomains> SlowPlacer::fill(
    PlacerDomains ordered,
    std::int64_t missing,
    std::int64_t leaders,
    std::int64_t size,
    PlacerUnit unit
) const {
    const PlacerDomains domains = with_leader_first(std::move(ordered), missing, leaders, unit);
    PlacerDomains filled;
    for (std::size_t i = 0; i < domains.size(); ++i) {
        const bool ends =
            domains[i].leaders >= leaders && room_of(domains[i], unit, leaders > 0) >= missing;
        const bool picks = ends && !request_.least_room_first;
        PlacerDomain domain = domains[picks ? best_fit(domains, i, missing, leaders, unit) : i];
        const std::int64_t given = std::min(missing, room_of(domain, unit, leaders > 0));
        domain.pods = given * size;
        domain.leaders = std::min(domain.leaders, leaders);
        missing -= given;
        leaders -= domain.leaders;
        filled.push_back(std::move(domain));
        if (ends) {
            return filled;
        }
    }
    return std::nullopt;
}

/// The hosts below the chosen domains, with their pods.
std::optional<PlacerDomains> SlowPlacer::descend(const PlacerChoice& choice, bool is_even) const {
    const std::int64_t slice = request_.slices.size;
    std::size_t level = choice.level;
    std::optional<PlacerDomains> domains =
        fill(choice.domains, wanted_, leaders_, slice, PlacerUnit::Slices);
    for (; domains && level < request_.slices.level && !is_even; ++level) {
        PlacerDomains children = order(children_of_all(*domains), request_.least_room_first);
        domains = fill(std::move(children), wanted_, leaders_, slice, PlacerUnit::Slices);
    }
    for (; domains && level + 1 < levels_; ++level) {
        const std::int64_t size = level < request_.slices.level
                                      ? slice
                                      : std::max<std::int64_t>(1, inner_sizes_[level + 1]);
        domains = fill_children(*domains, size);
    }
    return domains;
}

/// Gives each domain's pods to its own children, in units of `size` pods.
std::optional<PlacerDomains> SlowPlacer::fill_children(
    const PlacerDomains& parents, std::int64_t size
) const {
    PlacerDomains result;
    for (const PlacerDomain& parent : parents) {
        PlacerDomains children = order(parent.children, request_.least_room_first);
        if (size > 1) {
            for (PlacerDomain& child : children) {
                child.slices = child.pods / size;
                child.slices_with_leader = child.pods_with_leader / size;
            }
        }
        std::optional<PlacerDomains> filled = fill(
            std::move(children),
            parent.pods / size,
            parent.leaders,
            size,
            size > 1 ? PlacerUnit::Slices : PlacerUnit::Pods
        );
        if (!filled) {
            return std::nullopt;
        }
        for (PlacerDomain& domain : *filled) {
            result.push_back(std::move(domain));
        }
    }
    return result;
}

std::map<std::vector<std::string>, PlacerShare> SlowPlacer::shares_of(const PlacerDomains& hosts) {
    std::map<std::vector<std::string>, PlacerShare> shares;
    for (const PlacerDomain& host : hosts) {
        if (host.pods > 0 || host.leaders > 0) {
            shares[host.path] = {.pods = host.pods, .with_leader = host.leaders > 0};
        }
    }
    return shares;
}

PlacerResult place_slowly(const PlacerHosts& hosts, const engine::PlacementRequest& request) {
    return SlowPlacer(hosts, request).place();
}

}  // namespace sluice::reference
