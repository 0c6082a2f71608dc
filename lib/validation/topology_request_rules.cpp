#include "validation/topology_request_rules.hpp"

#include "api/kueue/kueue_names.hpp"
#include "json/value.hpp"
#include "validation/go_numbers.hpp"
#include "validation/metadata_rules.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::validation {

namespace {

namespace annotation = api::annotation;

constexpr std::size_t kLayersMax = 3;

/// Returns true for a decimal number of 64 bits without a sign.
bool is_natural_number(std::string_view text) {
    return !text.starts_with('+') && parse_decimal<std::uint64_t>(text).has_value();
}

/// Validates the annotations of one template.
class TopologyAnnotations {
  public:
    TopologyAnnotations(const api::ObjectMeta& pod_template, const std::string& path)
        : pod_template_(pod_template), path_(path + ".annotations") {}

    api::FieldErrors run(const config::FeatureGates& gates) {
        check_number_of_requests();
        for (const char* key :
             {annotation::kPodSetRequiredTopology,
              annotation::kPodSetPreferredTopology,
              annotation::kPodSetSliceRequiredTopology}) {
            if (const std::string* value = find(key)) {
                append(errors_, validate_label_name(*value, at(key)));
            }
        }
        check_group();
        check_boolean();
        check_slice();
        check_layers(gates.is_enabled(config::Feature::TASMultiLayerTopology));
        return std::move(errors_);
    }

  private:
    const std::string* find(const char* key) const { return pod_template_.find_annotation(key); }
    bool has(const char* key) const { return find(key) != nullptr; }
    std::string at(const char* key) const { return fmt::format("{}[{}]", path_, key); }
    void forbid_beside(const char* key, const char* other) {
        if (has(other)) {
            errors_.push_back(api::FieldError::forbidden(
                at(key), fmt::format("may not be set when '{}' is specified", other)
            ));
        }
    }

    void check_number_of_requests() {
        const int count = static_cast<int>(has(annotation::kPodSetRequiredTopology)) +
                          static_cast<int>(has(annotation::kPodSetPreferredTopology)) +
                          static_cast<int>(has(annotation::kPodSetUnconstrainedTopology));
        if (count > 1) {
            errors_.push_back({
                api::FieldError::Class::Invalid,
                path_,
                std::nullopt,
                fmt::format(
                    "must not contain more than one topology annotation: [\"{}\", \"{}\", \"{}\"]",
                    annotation::kPodSetRequiredTopology,
                    annotation::kPodSetPreferredTopology,
                    annotation::kPodSetUnconstrainedTopology
                ),
            });
        }
    }

    void check_boolean() {
        const std::string* text = find(annotation::kPodSetUnconstrainedTopology);
        if (text != nullptr && !parse_boolean(*text)) {
            errors_.push_back(api::FieldError::invalid(
                at(annotation::kPodSetUnconstrainedTopology), *text, "must be a boolean value"
            ));
        }
    }

    void check_group() {
        const char* const key = annotation::kPodSetGroupName;
        const std::string* name = find(key);
        if (name == nullptr) {
            return;
        }
        if (is_natural_number(*name)) {
            errors_.push_back(api::FieldError::invalid(at(key), *name, "must not be a number"));
        }
        forbid_beside(key, annotation::kPodSetSliceSize);
        forbid_beside(key, annotation::kPodSetSliceRequiredTopology);
        if (!has(annotation::kPodSetPreferredTopology) &&
            !has(annotation::kPodSetRequiredTopology)) {
            errors_.push_back(api::FieldError::forbidden(
                at(key),
                fmt::format(
                    "may not be set when neither '{}' nor '{}' is specified",
                    annotation::kPodSetPreferredTopology,
                    annotation::kPodSetRequiredTopology
                )
            ));
        }
    }

    void check_slice() {
        const char* const key = annotation::kPodSetSliceSize;
        const std::string* text = find(key);
        if (text != nullptr) {
            const auto size = parse_decimal<std::int32_t>(*text);
            if (!size) {
                errors_.push_back(
                    api::FieldError::invalid(at(key), *text, "must be a numeric value")
                );
            } else if (*size < 1) {
                errors_.push_back(
                    api::FieldError::invalid(at(key), *text, "must be greater than or equal to 1")
                );
            }
        }
        const char* const topology = annotation::kPodSetSliceRequiredTopology;
        if (has(topology) && text == nullptr) {
            errors_.push_back(api::FieldError::required(
                at(key), fmt::format("must be set when '{}' is specified", topology)
            ));
        }
        if (!has(topology) && text != nullptr) {
            errors_.push_back(api::FieldError::forbidden(
                at(key), fmt::format("may not be set when '{}' is not specified", topology)
            ));
        }
    }

    void check_layers(bool is_enabled) {
        const char* const key = annotation::kPodSetSliceRequiredTopologyConstraints;
        const std::string* text = find(key);
        if (text == nullptr) {
            return;
        }
        if (!is_enabled) {
            errors_.push_back(api::FieldError::forbidden(
                at(key),
                "the TASMultiLayerTopology feature gate must be enabled to use this annotation"
            ));
            return;
        }
        forbid_beside(key, annotation::kPodSetSliceRequiredTopology);
        forbid_beside(key, annotation::kPodSetSliceSize);
        if (has(annotation::kPodSetGroupName)) {
            forbid_beside(annotation::kPodSetGroupName, key);
        }
        const auto layers = parse_topology_constraints(*text);
        if (!layers) {
            errors_.push_back(api::FieldError::invalid(
                at(key), *text, "must be a valid JSON array: " + layers.error().detail
            ));
        } else if (layers->empty() || layers->size() > kLayersMax) {
            errors_.push_back(api::FieldError::invalid(
                at(key),
                *text,
                fmt::format(
                    "topology constraints must contain between 1 and {} entries", kLayersMax
                )
            ));
        } else {
            check_each_layer(*layers, at(key));
        }
    }

    void check_each_layer(
        const std::vector<api::SliceTopologyConstraint>& layers, const std::string& path
    ) {
        std::map<std::string_view, std::size_t> seen;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const std::string entry = fmt::format("{}[{}]", path, i);
            append(errors_, validate_label_name(layers[i].topology, entry + ".topology"));
            if (layers[i].size < 1) {
                errors_.push_back(api::FieldError::invalid(
                    entry + ".size", layers[i].size, "must be greater than or equal to 1"
                ));
            }
            const auto [first, is_new] = seen.emplace(layers[i].topology, i);
            if (!is_new) {
                errors_.push_back(api::FieldError::duplicate(
                    entry + ".topology",
                    fmt::format("{} (also at index {})", layers[i].topology, first->second)
                ));
            }
            if (i > 0 && layers[i].size > 0 && layers[i - 1].size % layers[i].size != 0) {
                errors_.push_back(api::FieldError::invalid(
                    entry + ".size",
                    layers[i].size,
                    fmt::format("must evenly divide the parent layer size {}", layers[i - 1].size)
                ));
            }
        }
    }

    const api::ObjectMeta& pod_template_;
    std::string path_;
    api::FieldErrors errors_;
};

}  // namespace

Result<std::vector<api::SliceTopologyConstraint>> parse_topology_constraints(const std::string& text
) {
    const auto document = json::parse(text);
    if (!document) {
        return document.error();
    }
    if (!document->is_array()) {
        return make_invalid("it is not a list");
    }
    std::vector<api::SliceTopologyConstraint> layers;
    for (const auto& item : document->as_array()) {
        if (!item.is_object()) {
            return make_invalid("an item is not an object");
        }
        api::SliceTopologyConstraint layer;
        if (const auto* topology = item.find("topology"); topology != nullptr) {
            if (!topology->is_string()) {
                return make_invalid("topology is not a string");
            }
            layer.topology = topology->as_string();
        }
        if (const auto* size = item.find("size"); size != nullptr) {
            const auto number = size->is_int() ? size->as_int() : std::int64_t{-1} << 40U;
            if (number < std::numeric_limits<std::int32_t>::min() ||
                number > std::numeric_limits<std::int32_t>::max()) {
                return make_invalid("size is not a 32-bit integer");
            }
            layer.size = static_cast<std::int32_t>(number);
        }
        layers.push_back(std::move(layer));
    }
    return layers;
}

api::FieldErrors validate_topology_annotations(
    const api::ObjectMeta& pod_template, const std::string& path, const config::FeatureGates& gates
) {
    return TopologyAnnotations(pod_template, path).run(gates);
}

std::string find_request_problem(const api::ObjectMeta& pod_template) {
    const auto find = [&pod_template](const char* key) {
        return pod_template.find_annotation(key);
    };
    const std::string* unconstrained = find(annotation::kPodSetUnconstrainedTopology);
    if (find(annotation::kPodSetRequiredTopology) == nullptr &&
        find(annotation::kPodSetPreferredTopology) == nullptr && unconstrained != nullptr &&
        !parse_boolean(*unconstrained)) {
        return boolean_problem(*unconstrained);
    }
    const std::string* size = find(annotation::kPodSetSliceSize);
    if (find(annotation::kPodSetSliceRequiredTopology) != nullptr && size != nullptr &&
        !parse_decimal<std::int32_t>(*size)) {
        return number_problem(*size, "ParseInt");
    }
    return {};
}

api::FieldErrors validate_slice_sizes(
    const api::ObjectMeta& pod_template, const std::string& path, std::int32_t pod_count
) {
    api::FieldErrors errors;
    const auto at = [&path](const char* key) {
        return fmt::format("{}.annotations[{}]", path, key);
    };
    const std::string detail = fmt::format("must not be greater than pod set count {}", pod_count);
    const char* key = annotation::kPodSetSliceSize;
    if (const std::string* text = pod_template.find_annotation(key)) {
        const auto size = parse_decimal<std::int32_t>(*text);
        if (size && *size > pod_count) {
            errors.push_back(api::FieldError::invalid(at(key), *text, detail));
        }
    }
    key = annotation::kPodSetSliceRequiredTopologyConstraints;
    if (const std::string* text = pod_template.find_annotation(key)) {
        const auto layers = parse_topology_constraints(*text);
        if (layers && !layers->empty() && layers->front().size > pod_count) {
            errors.push_back(api::FieldError::invalid(at(key), layers->front().size, detail));
        }
    }
    return errors;
}

}  // namespace sluice::validation
