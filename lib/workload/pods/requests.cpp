#include "workload/pods/requests.hpp"

#include "workload/pods/amounts.hpp"

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

/// Fills in the defaults of LimitRanges of one type. `defaults`: nullptr if the namespace has none.
void apply_defaults(Resources& resources, const LimitRangeSummary::Item* defaults) {
    if (defaults != nullptr) {
        keep_first(resources.limits, defaults->default_limits);
        keep_first(resources.requests, defaults->default_requests);
        // The API server gives a LimitRange with a default limit the same default request.
        keep_first(resources.requests, resources.limits);
    }
}

/// Returns the product in billionths, rounded once, away from zero. Saturates at the range of int64
/// in whole units.
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
    unit /= kNano;  // now in billionths
    const cpp_int nano = ((is_negative ? -exact : exact) + unit - 1) / unit;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const api::Quantity size = nano > cpp_int(kMost) * kNano
                                   ? api::Quantity(kMost)
                                   : api::Quantity::parse(nano.str() + "n").value();
    return is_negative ? -size : size;
}

}  // namespace

PodResources make_pod_resources(
    const api::PodSpec& pod,
    const api::ResourceList* runtime_class_overhead,
    const LimitRangeSummary& limits
) {
    PodResources made = api::effective_resources(pod);
    if (made.pod_level) {
        apply_defaults(*made.pod_level, limits.find("Pod"));
    }
    const auto* for_containers = limits.find("Container");
    for (auto& container : made.init_containers) {
        apply_defaults(container.resources, for_containers);
    }
    for (auto& container : made.containers) {
        apply_defaults(container, for_containers);
    }
    if (made.overhead.empty() && runtime_class_overhead != nullptr) {
        made.overhead = *runtime_class_overhead;
    }
    return made;
}

api::ResourceList transformed(
    const api::ResourceList& requests, const TranslationSettings& settings
) {
    // Exclusion decides only what is charged: transformations read every request.
    const auto is_excluded = [&](const std::string& resource) {
        return std::ranges::any_of(
            settings.exclude_resource_prefixes,
            [&](const std::string& prefix) { return resource.starts_with(prefix); }
        );
    };
    ResourceList retained;
    ResourceList generated;
    for (const auto& [resource, quantity] : requests) {
        const auto rule = settings.transformations.find(resource);
        const bool is_transformed = rule != settings.transformations.end();
        const bool is_kept =
            !is_transformed || rule->second.strategy == TransformationStrategy::Retain;
        if (is_kept && !is_excluded(resource)) {
            retained.emplace(resource, quantity);
        }
        if (!is_transformed) {
            continue;
        }
        // multiplyBy scales the outputs; an input that is retained is not scaled.
        const auto factor = requests.find(rule->second.multiply_by);
        const api::Quantity times = factor == requests.end() ? api::Quantity(1) : factor->second;
        ResourceList outputs;
        for (const auto& [output, per_unit] : rule->second.outputs) {
            outputs.emplace(output, product({quantity, times, per_unit}));
        }
        add(generated, outputs);
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
