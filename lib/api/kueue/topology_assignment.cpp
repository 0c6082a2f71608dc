#include "api/kueue/topology_assignment.hpp"

#include "api/kueue/hostname_prefix_runs.hpp"
#include "api/meta/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace sluice::api {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();

Error invalid(std::string_view path, std::string_view what) {
    return make_invalid(fmt::format("{}: {}", path, what));
}

Result<std::vector<std::string>> parse_strings(const json::Value* value, std::string_view path) {
    std::vector<std::string> strings;
    if (value == nullptr || value->is_null()) {
        return strings;
    }
    if (!value->is_array()) {
        return invalid(path, "must be a list of strings");
    }
    strings.reserve(value->as_array().size());
    for (const auto& item : value->as_array()) {
        if (!item.is_string()) {
            return invalid(path, "must be a list of strings");
        }
        strings.push_back(item.as_string());
    }
    return strings;
}

Result<std::int64_t> parse_count(const json::Value* value, std::string_view path) {
    if (value == nullptr || !value->is_int() || value->as_int() < 0 ||
        value->as_int() > kCountMax) {
        return invalid(path, "must be a whole number of at least 0");
    }
    return value->as_int();
}

/// Returns the list member with that name; nullptr if it is absent.
Result<const json::Array*> find_list(
    const json::Value& value, std::string_view name, std::string_view path
) {
    const auto* list = value.find(name);
    if (list == nullptr || list->is_null()) {
        return nullptr;
    }
    if (!list->is_array()) {
        return invalid(fmt::format("{}.{}", path, name), "must be a list");
    }
    return &list->as_array();
}

Result<DomainAssignment> parse_levels(const json::Value& value, std::string_view path) {
    if (!value.is_object()) {
        return invalid(path, "must be an object");
    }
    auto levels = parse_strings(value.find("levels"), fmt::format("{}.levels", path));
    if (!levels) {
        return levels.error();
    }
    return DomainAssignment{.levels = std::move(*levels), .domains = {}};
}

/// Adds the values of one level to the domains of one slice.
Result<void> add_level(
    const json::Value& level, std::span<AssignedDomain> domains, const std::string& path
) {
    const auto* universal = level.find("universal");
    const auto* individual = level.find("individual");
    if ((universal == nullptr) == (individual == nullptr)) {
        return invalid(path, "exactly one of universal and individual must be set");
    }
    if (universal != nullptr) {
        if (!universal->is_string()) {
            return invalid(path + ".universal", "must be a string");
        }
        for (auto& domain : domains) {
            domain.values.push_back(universal->as_string());
        }
        return {};
    }
    const auto roots = parse_strings(individual->find("roots"), path + ".individual.roots");
    if (!roots) {
        return roots.error();
    }
    if (roots->size() != domains.size()) {
        return invalid(
            path + ".individual.roots",
            fmt::format("has {} entries for {} domains", roots->size(), domains.size())
        );
    }
    const auto prefix = individual->string_at("prefix");
    const auto suffix = individual->string_at("suffix");
    for (std::size_t i = 0; i < domains.size(); ++i) {
        domains[i].values.push_back(fmt::format("{}{}{}", prefix, (*roots)[i], suffix));
    }
    return {};
}

Result<void> add_pod_counts(
    const json::Value& slice, std::span<AssignedDomain> domains, const std::string& path
) {
    const auto* counts = slice.find("podCounts");
    const auto* universal = counts == nullptr ? nullptr : counts->find("universal");
    const auto* individual = counts == nullptr ? nullptr : counts->find("individual");
    if ((universal == nullptr) == (individual == nullptr)) {
        return invalid(path, "exactly one of universal and individual must be set");
    }
    if (universal != nullptr) {
        const auto count = parse_count(universal, path + ".universal");
        if (!count) {
            return count.error();
        }
        for (auto& domain : domains) {
            domain.count = *count;
        }
        return {};
    }
    if (!individual->is_array() || individual->as_array().size() != domains.size()) {
        return invalid(
            path + ".individual", fmt::format("must be a list of {} numbers", domains.size())
        );
    }
    for (std::size_t i = 0; i < domains.size(); ++i) {
        const auto count = parse_count(&individual->as_array()[i], path + ".individual");
        if (!count) {
            return count.error();
        }
        domains[i].count = *count;
    }
    return {};
}

Result<void> add_slice(
    const json::Value& slice,
    DomainAssignment& assignment,
    const std::string& path,
    std::size_t domains_max
) {
    const auto count = parse_count(slice.find("domainCount"), path + ".domainCount");
    if (!count) {
        return count.error();
    }
    const auto before = assignment.domains.size();
    const auto added = static_cast<std::size_t>(*count);
    if (added > domains_max - before) {
        return invalid(
            path + ".domainCount",
            fmt::format("makes more than {} domains in one object", kDomainsMax)
        );
    }
    const auto levels = find_list(slice, "valuesPerLevel", path);
    if (!levels) {
        return levels.error();
    }
    const auto level_count = *levels == nullptr ? 0 : (*levels)->size();
    if (level_count != assignment.levels.size()) {
        return invalid(
            path + ".valuesPerLevel",
            fmt::format("has {} entries for {} levels", level_count, assignment.levels.size())
        );
    }
    assignment.domains.resize(before + added);
    const auto domains = std::span(assignment.domains).subspan(before);
    for (std::size_t i = 0; i < level_count; ++i) {
        const auto done =
            add_level((**levels)[i], domains, fmt::format("{}.valuesPerLevel[{}]", path, i));
        if (!done) {
            return done.error();
        }
    }
    return add_pod_counts(slice, domains, path + ".podCounts");
}

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The length of the common prefix and suffix of values. Neither cuts a UTF-8 character.
struct CommonEnds {
    std::size_t prefix = 0;
    std::size_t suffix = 0;
    bool all_equal = true;
};

CommonEnds find_common_ends(std::span<const AssignedDomain> domains, std::size_t level) {
    const std::string& first = domains.front().values[level];
    CommonEnds ends{.prefix = first.size(), .suffix = first.size()};
    auto shortest = first.size();
    for (const auto& domain : domains.subspan(1)) {
        const std::string& value = domain.values[level];
        ends.all_equal = ends.all_equal && value == first;
        shortest = std::min(shortest, value.size());
        const auto front = std::ranges::mismatch(first, value).in1 - first.begin();
        ends.prefix = std::min(ends.prefix, static_cast<std::size_t>(front));
        const auto back =
            std::mismatch(first.rbegin(), first.rend(), value.rbegin(), value.rend()).first -
            first.rbegin();
        ends.suffix = std::min(ends.suffix, static_cast<std::size_t>(back));
    }
    while (ends.suffix > 0 && continues_character(first[first.size() - ends.suffix])) {
        --ends.suffix;
    }
    ends.prefix = std::min(ends.prefix, shortest - ends.suffix);
    while (ends.prefix > 0 && ends.prefix < first.size() && continues_character(first[ends.prefix])
    ) {
        --ends.prefix;
    }
    return ends;
}

json::Value make_level(std::span<const AssignedDomain> domains, std::size_t level) {
    const auto ends = find_common_ends(domains, level);
    const std::string& first = domains.front().values[level];
    json::Value made;
    if (ends.all_equal) {
        made.set("universal", first);
        return made;
    }
    json::Value individual;
    if (ends.prefix > 0) {
        individual.set("prefix", first.substr(0, ends.prefix));
    }
    if (ends.suffix > 0) {
        individual.set("suffix", first.substr(first.size() - ends.suffix));
    }
    json::Array roots;
    roots.reserve(domains.size());
    for (const auto& domain : domains) {
        const std::string& value = domain.values[level];
        roots.emplace_back(value.substr(ends.prefix, value.size() - ends.prefix - ends.suffix));
    }
    individual.set("roots", std::move(roots));
    made.set("individual", std::move(individual));
    return made;
}

json::Value make_pod_counts(std::span<const AssignedDomain> domains) {
    json::Value counts;
    const auto first = domains.front().count;
    if (std::ranges::all_of(domains, [first](const auto& d) { return d.count == first; })) {
        counts.set("universal", first);
        return counts;
    }
    json::Array individual;
    individual.reserve(domains.size());
    for (const auto& domain : domains) {
        individual.emplace_back(domain.count);
    }
    counts.set("individual", std::move(individual));
    return counts;
}

json::Value make_slice(std::span<const AssignedDomain> domains, std::size_t level_count) {
    json::Value slice;
    slice.set("domainCount", static_cast<std::int64_t>(domains.size()));
    json::Array levels;
    for (std::size_t i = 0; i < level_count; ++i) {
        levels.push_back(make_level(domains, i));
    }
    slice.set("valuesPerLevel", std::move(levels));
    slice.set("podCounts", make_pod_counts(domains));
    return slice;
}

json::Array to_array(const std::vector<std::string>& strings) {
    return {strings.begin(), strings.end()};
}

}  // namespace

Result<DomainAssignment> parse_domains(
    const json::Value& value, std::string_view path, std::size_t domains_max
) {
    auto assignment = parse_levels(value, path);
    if (!assignment) {
        return assignment.error();
    }
    const auto list = find_list(value, "domains", path);
    if (!list) {
        return list.error();
    }
    if (*list == nullptr) {
        return assignment;
    }
    if ((*list)->size() > domains_max) {
        return invalid(path, fmt::format("makes more than {} domains in one object", kDomainsMax));
    }
    for (std::size_t i = 0; i < (*list)->size(); ++i) {
        const auto& domain = (**list)[i];
        const auto domain_path = fmt::format("{}.domains[{}]", path, i);
        auto values = parse_strings(domain.find("values"), domain_path + ".values");
        if (!values) {
            return values.error();
        }
        if (values->size() != assignment->levels.size()) {
            return invalid(
                domain_path + ".values",
                fmt::format(
                    "has {} entries for {} levels", values->size(), assignment->levels.size()
                )
            );
        }
        const auto count = parse_count(domain.find("count"), domain_path + ".count");
        if (!count) {
            return count.error();
        }
        assignment->domains.push_back({.values = std::move(*values), .count = *count});
    }
    return assignment;
}

Result<DomainAssignment> parse_slices(
    const json::Value& value, std::string_view path, std::size_t domains_max
) {
    auto assignment = parse_levels(value, path);
    if (!assignment) {
        return assignment.error();
    }
    const auto list = find_list(value, "slices", path);
    if (!list) {
        return list.error();
    }
    for (std::size_t i = 0; *list != nullptr && i < (*list)->size(); ++i) {
        const auto added =
            add_slice((**list)[i], *assignment, fmt::format("{}.slices[{}]", path, i), domains_max);
        if (!added) {
            return added.error();
        }
    }
    return assignment;
}

json::Value make_domains(const DomainAssignment& assignment) {
    json::Value made;
    made.set("levels", to_array(assignment.levels));
    json::Array domains;
    domains.reserve(assignment.domains.size());
    for (const auto& domain : assignment.domains) {
        json::Value item;
        item.set("values", to_array(domain.values));
        item.set("count", domain.count);
        domains.push_back(std::move(item));
    }
    made.set("domains", std::move(domains));
    return made;
}

namespace {

json::Value make_runs(
    const DomainAssignment& assignment, std::span<const std::span<const AssignedDomain>> runs
) {
    json::Value made;
    made.set("levels", to_array(assignment.levels));
    json::Array slices;
    for (const auto& run : runs) {
        slices.push_back(make_slice(run, assignment.levels.size()));
    }
    made.set("slices", std::move(slices));
    return made;
}

json::Value make_one_slice(const DomainAssignment& assignment) {
    return make_runs(assignment, split_by_size(assignment.domains));
}

}  // namespace

json::Value make_slices(const DomainAssignment& assignment, AssignmentEncoding encoding) {
    if (encoding == AssignmentEncoding::OneSlice || assignment.levels.empty() ||
        assignment.levels.back() != kHostnameLabel) {
        return make_one_slice(assignment);
    }
    const auto runs = split_by_hostname_prefix(assignment.domains, assignment.levels.size() - 1);
    json::Value by_prefix = make_runs(assignment, runs);
    if (runs.size() < 2 || assignment.domains.size() > kDomainsPerSliceMax) {
        return by_prefix;
    }
    json::Value together = make_one_slice(assignment);
    return json::print(together).size() < json::print(by_prefix).size() ? together : by_prefix;
}

namespace {

/// Returns the value of a level in the domain at that position of its slice; nullopt if the slice
/// has none.
std::optional<std::string> value_at(const TopologyLevelValues& values, std::size_t position) {
    if (values.universal) {
        return values.universal;
    }
    if (!values.individual || position >= values.individual->roots.size()) {
        return std::nullopt;
    }
    const auto& individual = *values.individual;
    return individual.prefix + individual.roots[position] + individual.suffix;
}

/// Appends the domain at that position of the slice. Returns false if the slice has none.
bool append_domain(
    const TopologyAssignmentSlice& slice, std::size_t position, DomainAssignment& into
) {
    if (slice.values_per_level.size() != into.levels.size() || into.levels.empty()) {
        return false;
    }
    AssignedDomain domain;
    for (const TopologyLevelValues& level : slice.values_per_level) {
        auto value = value_at(level, position);
        if (!value) {
            return false;
        }
        domain.values.push_back(*std::move(value));
    }
    const auto& counts = slice.pod_counts;
    if (!counts.universal && position >= counts.individual.size()) {
        return false;
    }
    domain.count = counts.universal ? *counts.universal : counts.individual[position];
    into.domains.push_back(std::move(domain));
    return true;
}

}  // namespace

DomainAssignment decode(const TopologyAssignment& assignment, std::size_t domains_max) {
    DomainAssignment made{.levels = assignment.levels, .domains = {}};
    for (const TopologyAssignmentSlice& slice : assignment.slices) {
        const auto count = static_cast<std::size_t>(std::max(slice.domain_count, 0));
        for (std::size_t i = 0; i < count; ++i) {
            if (made.domains.size() == domains_max || !append_domain(slice, i, made)) {
                return made;
            }
        }
    }
    return made;
}

TopologyAssignment encode(const DomainAssignment& assignment, AssignmentEncoding encoding) {
    return from_value<TopologyAssignment>(make_slices(assignment, encoding)).value();
}

}  // namespace sluice::api
