#include "workload/pods/amounts.hpp"
#include "workload/pods/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::workload {
namespace {

using api::ResourceList;

constexpr std::string_view kAboveLimits = "requests must not exceed its limits";
constexpr std::string_view kBelowContainers = "requests must not be below those of its containers";
constexpr std::string_view kAboveMax = "requests must not be above the limitRange max";
constexpr std::string_view kNegative = "must be greater than or equal to 0";
constexpr std::string_view kBelowMin = "requests must not be below the limitRange min";

/// Returns the names of resources in both lists of which `a` has more than `b`.
std::vector<std::string> greater_in(const ResourceList& a, const ResourceList& b) {
    std::vector<std::string> greater;
    for (const auto& [resource, quantity] : a) {
        const auto other = b.find(resource);
        if (other != b.end() &&
            request_amount(resource, quantity) > request_amount(resource, other->second)) {
            greater.push_back(resource);
        }
    }
    return greater;
}

/// Collects violations in the order found, without duplicates, and prints them as Kubernetes prints
/// an aggregate error.
class Violations {
  public:
    void add(
        const std::string& path, const std::vector<std::string>& resources, std::string_view rule
    ) {
        if (resources.empty()) {
            return;
        }
        std::string sentence = fmt::format(
            "{}: Invalid value: [\"{}\"]: {}", path, fmt::join(resources, "\",\""), rule
        );
        if (std::ranges::find(sentences_, sentence) == sentences_.end()) {
            sentences_.push_back(std::move(sentence));
        }
    }
    std::optional<std::string> text(std::string_view heading) const {
        if (sentences_.empty()) {
            return std::nullopt;
        }
        const std::string all = fmt::format("{}", fmt::join(sentences_, ", "));
        return fmt::format(
            "{}: {}{}{}",
            heading,
            sentences_.size() > 1 ? "[" : "",
            all,
            sentences_.size() > 1 ? "]" : ""
        );
    }

  private:
    std::vector<std::string> sentences_;
};

/// Calls `check(path, resources)` for each container of the pod set, init containers first.
template <class Check>
void for_each_container(const PodResources& pod, std::size_t index, const Check& check) {
    const std::string spec = fmt::format("spec.podSets[{}].template.spec", index);
    for (std::size_t i = 0; i < pod.init_containers.size(); ++i) {
        check(fmt::format("{}.initContainers[{}]", spec, i), pod.init_containers[i].resources);
    }
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
        check(fmt::format("{}.containers[{}]", spec, i), pod.containers[i]);
    }
}

enum class Extreme : std::uint8_t { Lowest, Highest };

/// Returns the lower or higher quantity of each resource that is in at least one of the lists.
ResourceList extremes(const ResourceList& a, const ResourceList& b, Extreme wanted) {
    ResourceList made = a;
    for (const auto& [resource, quantity] : b) {
        const auto [at, is_new] = made.emplace(resource, quantity);
        if (!is_new &&
            (wanted == Extreme::Highest ? at->second < quantity : quantity < at->second)) {
            at->second = quantity;
        }
    }
    return made;
}

std::optional<std::string> find_inconsistent(const std::vector<PodResources>& pods) {
    Violations violations;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        for_each_container(pods[i], i, [&](const std::string& path, const Resources& resources) {
            violations.add(path, greater_in(resources.requests, resources.limits), kAboveLimits);
        });
        if (const auto& resources = pods[i].pod_level) {
            const std::string path = fmt::format("spec.podSets[{}].template.spec.resources", i);
            violations.add(path, greater_in(resources->requests, resources->limits), kAboveLimits);
            violations.add(
                path, api::pod_level_requests_below_containers(pods[i]), kBelowContainers
            );
        }
    }
    return violations.text("resources validation failed");
}

std::optional<std::string> find_outside_limit_ranges(
    const std::vector<PodResources>& pods, const LimitRangeSummary& limits
) {
    Violations violations;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        if (const auto* bounds = limits.find("Container")) {
            for_each_container(
                pods[i],
                i,
                [&](const std::string& path, const Resources& resources) {
                    const ResourceList highest =
                        extremes(resources.requests, resources.limits, Extreme::Highest);
                    const ResourceList lowest =
                        extremes(resources.requests, resources.limits, Extreme::Lowest);
                    violations.add(path, greater_in(highest, bounds->max), kAboveMax);
                    violations.add(path, greater_in(bounds->min, lowest), kBelowMin);
                }
            );
        }
        if (const auto* bounds = limits.find("Pod")) {
            const std::string path = fmt::format("spec.podSets[{}].template.spec", i);
            const ResourceList total = pod_requests(pods[i]);
            violations.add(path, greater_in(total, bounds->max), kAboveMax);
            violations.add(path, greater_in(bounds->min, total), kBelowMin);
        }
    }
    return violations.text("resources didn't satisfy LimitRange constraints");
}

/// Appends "FIELD: Invalid value: "-1": …" for each negative quantity.
void find_negative(
    const ResourceList& quantities, const std::string& place, std::vector<std::string>& found
) {
    for (const auto& [resource, quantity] : quantities) {
        if (quantity.sign() < 0) {
            found.push_back(fmt::format(
                "{}[{}]: Invalid value: \"{}\": {}",
                place,
                resource,
                quantity.to_string(),
                kNegative
            ));
        }
    }
}

void find_negative(
    const api::ResourceRequirements& resources,
    const std::string& place,
    std::vector<std::string>& found
) {
    find_negative(resources.requests, place + ".requests", found);
    find_negative(resources.limits, place + ".limits", found);
}

}  // namespace

std::optional<std::string> find_negative_requests(const api::Workload& workload) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < workload.spec.pod_sets.size(); ++i) {
        const auto& pod = workload.spec.pod_sets[i].template_->spec;
        const std::string spec = fmt::format("spec.podSets[{}].template.spec", i);
        const auto find_in = [&](const auto& containers, std::string_view name) {
            for (std::size_t c = 0; c < containers.size(); ++c) {
                find_negative(
                    containers[c].resources,
                    fmt::format("{}.{}[{}].resources", spec, name, c),
                    found
                );
            }
        };
        find_in(pod.init_containers, "initContainers");
        find_in(pod.containers, "containers");
        if (pod.resources) {
            find_negative(*pod.resources, spec + ".resources", found);
        }
        if (pod.overhead) {
            find_negative(*pod.overhead, spec + ".overhead", found);
        }
    }
    if (found.empty()) {
        return std::nullopt;
    }
    return fmt::format("{}", fmt::join(found, "; "));
}

std::optional<std::string> find_invalid_requests(
    const std::vector<PodResources>& pods, const LimitRangeSummary& limits
) {
    if (auto violation = find_inconsistent(pods)) {
        return violation;
    }
    return find_outside_limit_ranges(pods, limits);
}

}  // namespace sluice::workload
