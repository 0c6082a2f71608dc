#include "controller/jobs/job/topology_request.hpp"

#include "api/kueue/kueue_names.hpp"
#include "validation/go_numbers.hpp"
#include "validation/topology_request_rules.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

namespace {

namespace annotation = api::annotation;

using Request = api::PodSetTopologyRequest;

Error problem(const char* key, std::string_view what) {
    return make_invalid(fmt::format("annotation {}: {}", key, what));
}

std::optional<std::string> copy(const api::ObjectMeta& pod_template, const char* key) {
    const std::string* text = pod_template.find_annotation(key);
    return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// Returns true if the annotations request a topology. The first form that is present counts.
Result<bool> read_topology(const api::ObjectMeta& pod_template, Request& into) {
    into.required = copy(pod_template, annotation::kPodSetRequiredTopology);
    if (into.required) {
        return true;
    }
    into.preferred = copy(pod_template, annotation::kPodSetPreferredTopology);
    if (into.preferred) {
        return true;
    }
    constexpr const char* kUnconstrained = annotation::kPodSetUnconstrainedTopology;
    const std::string* text = pod_template.find_annotation(kUnconstrained);
    if (text == nullptr) {
        return false;
    }
    into.unconstrained = validation::parse_boolean(*text);
    return into.unconstrained ? Result<bool>(true)
                              : problem(kUnconstrained, validation::boolean_problem(*text));
}

/// Returns true if the annotations request slices within slices. Like Kueue, takes the annotation
/// as a request even where the gate is off.
Result<bool> read_layers(const api::ObjectMeta& pod_template, bool is_enabled, Request& into) {
    constexpr std::size_t kLayersMax = 3;
    const char* const key = annotation::kPodSetSliceRequiredTopologyConstraints;
    const std::string* text = pod_template.find_annotation(key);
    if (text == nullptr || !is_enabled) {
        return text != nullptr;
    }
    auto layers = validation::parse_topology_constraints(*text);
    if (!layers) {
        return problem(key, layers.error().detail);
    }
    if (layers->empty() || layers->size() > kLayersMax) {
        return problem(key, fmt::format("it must have 1 to {} entries", kLayersMax));
    }
    into.podset_slice_required_topology_constraints = std::move(*layers);
    return true;
}

/// Returns true if the annotations request slices.
Result<bool> read_slices(const api::ObjectMeta& pod_template, Request& into) {
    if (!into.podset_slice_required_topology_constraints.empty()) {
        return true;
    }
    const std::string* size = pod_template.find_annotation(annotation::kPodSetSliceSize);
    auto topology = copy(pod_template, annotation::kPodSetSliceRequiredTopology);
    if (size == nullptr || !topology) {
        return false;
    }
    into.pod_set_slice_size = validation::parse_decimal<std::int32_t>(*size);
    if (!into.pod_set_slice_size) {
        return problem(annotation::kPodSetSliceSize, validation::number_problem(*size));
    }
    into.pod_set_slice_required_topology = std::move(topology);
    return true;
}

}  // namespace

Result<std::optional<Request>> make_topology_request(
    const api::ObjectMeta& pod_template, const RankLabels& labels, const Settings& settings
) {
    Request request;
    const auto topology = read_topology(pod_template, request);
    if (!topology) {
        return topology.error();
    }
    const auto layers = read_layers(pod_template, settings.multi_layer_topology, request);
    if (!layers) {
        return layers.error();
    }
    const auto slices = read_slices(pod_template, request);
    if (!slices) {
        return slices.error();
    }
    request.pod_index_label = if_not_empty(labels.pod_index);
    request.sub_group_index_label = if_not_empty(labels.sub_group_index);
    request.sub_group_count = labels.sub_group_count;
    if (!*topology && !*layers && !*slices && !request.pod_index_label &&
        !request.sub_group_index_label) {
        return std::optional<Request>();
    }
    if (request.required || request.preferred) {
        request.pod_set_group_name = copy(pod_template, annotation::kPodSetGroupName);
    }
    return std::optional(std::move(request));
}

}  // namespace sluice::controller
