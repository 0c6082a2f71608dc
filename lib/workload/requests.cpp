#include "workload/requests.hpp"

#include "workload/amounts.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

namespace sluice::workload {
namespace {

using api::ResourceList;

void keep_first(ResourceList& kept, const ResourceList& added) {
    kept.insert(added.begin(), added.end());
}

void add(ResourceList& sum, const ResourceList& added) {
    for (const auto& [resource, quantity] : added) {
        const auto [at, is_new] = sum.emplace(resource, quantity);
        if (!is_new) {
            at->second += quantity;
        }
    }
}

void keep_most(ResourceList& kept, const ResourceList& other) {
    for (const auto& [resource, quantity] : other) {
        const auto [at, is_new] = kept.emplace(resource, quantity);
        if (!is_new && at->second < quantity) {
            at->second = quantity;
        }
    }
}

Resources with_defaults(
    const api::ResourceRequirements& given, const LimitRangeSummary::Item* defaults
) {
    Resources made{.limits = given.limits, .requests = given.requests};
    if (defaults != nullptr) {
        keep_first(made.limits, defaults->default_limits);
        keep_first(made.requests, defaults->default_requests);
    }
    keep_first(made.requests, made.limits);
    return made;
}

/// The product in billionths, rounded up (away from zero) once; saturates with the range of int64
/// for whole units.
api::Quantity product(std::initializer_list<api::Quantity> factors) {
    using boost::multiprecision::cpp_int;
    constexpr std::int64_t kNano = 1'000'000'000;
    cpp_int exact = 1;
    cpp_int unit = 1;
    for (const auto& factor : factors) {
        exact *= cpp_int(factor.billionths());
        unit *= kNano;
    }
    const bool is_negative = exact < 0;
    unit /= kNano;  // what is left is in billionths
    const cpp_int nano = ((is_negative ? -exact : exact) + unit - 1) / unit;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const api::Quantity size = nano > cpp_int(kMost) * kNano
                                   ? api::Quantity(kMost)
                                   : api::Quantity::parse(nano.str() + "n").value();
    return is_negative ? -size : size;
}

/// The resources that pod-level requests may name (KEP-2837).
bool may_be_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

}  // namespace

PodResources make_pod_resources(
    const api::PodSpec& pod,
    const api::ResourceList* runtime_class_overhead,
    const LimitRangeSummary& limits
) {
    PodResources made;
    const auto* for_containers = limits.find("Container");
    for (const auto& container : pod.init_containers) {
        made.init_containers.push_back(
            {.resources = with_defaults(container.resources, for_containers),
             .is_sidecar = container.restart_policy == "Always"}
        );
    }
    for (const auto& container : pod.containers) {
        made.containers.push_back(with_defaults(container.resources, for_containers));
    }
    if (pod.resources) {
        made.pod_level = with_defaults(*pod.resources, limits.find("Pod"));
    }
    if (pod.overhead && !pod.overhead->empty()) {
        made.overhead = *pod.overhead;
    } else if (runtime_class_overhead != nullptr) {
        made.overhead = *runtime_class_overhead;
    }
    return made;
}

api::ResourceList pod_requests(const PodResources& pod) {
    ResourceList total;
    for (const auto& container : pod.containers) {
        add(total, container.requests);
    }
    ResourceList sidecars;
    ResourceList init_peak;
    for (const auto& [resources, is_sidecar] : pod.init_containers) {
        ResourceList step = sidecars;
        add(step, resources.requests);
        if (is_sidecar) {
            add(total, resources.requests);
            sidecars = step;
        }
        keep_most(init_peak, step);
    }
    keep_most(total, init_peak);
    if (pod.pod_level) {
        for (const auto& [resource, quantity] : pod.pod_level->requests) {
            if (may_be_pod_level(resource)) {
                total[resource] = quantity;
            }
        }
    }
    add(total, pod.overhead);
    return total;
}

api::ResourceList transformed(api::ResourceList requests, const TranslationSettings& settings) {
    std::erase_if(requests, [&](const auto& entry) {
        return std::ranges::any_of(
            settings.exclude_resource_prefixes,
            [&](const std::string& prefix) { return entry.first.starts_with(prefix); }
        );
    });
    ResourceList retained;
    ResourceList generated;
    for (const auto& [resource, quantity] : requests) {
        const auto rule = settings.transformations.find(resource);
        if (rule == settings.transformations.end()) {
            retained.emplace(resource, quantity);
            continue;
        }
        // What the outputs are computed from is scaled; a retained input is not.
        const auto factor = requests.find(rule->second.multiply_by);
        const api::Quantity times = factor == requests.end() ? api::Quantity(1) : factor->second;
        ResourceList outputs;
        for (const auto& [output, per_unit] : rule->second.outputs) {
            outputs.emplace(output, product({quantity, times, per_unit}));
        }
        add(generated, outputs);
        if (rule->second.strategy == TransformationStrategy::Retain) {
            retained.emplace(resource, quantity);
        }
    }
    for (auto& [resource, quantity] : generated) {
        if (quantity.sign() < 0) {
            quantity = api::Quantity();
        }
    }
    add(retained, generated);
    return retained;
}

std::vector<engine::ResourceRequest> to_engine_requests(const api::ResourceList& requests) {
    std::vector<engine::ResourceRequest> made;
    made.reserve(requests.size());
    for (const auto& [resource, quantity] : requests) {
        made.push_back({resource, max(engine::Amount(), request_amount(resource, quantity))});
    }
    return made;
}

}  // namespace sluice::workload
