// Validates parts that many kinds have: labels, annotations, selectors and conditions.
#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Rules of Kubernetes for parts that many kinds have. `path`: the field that errors name.
namespace sluice::validation {

/// Validates a label key.
api::FieldErrors validate_label_name(std::string_view name, const std::string& path);
/// Validates keys and values of labels. All errors name the path of the map.
api::FieldErrors validate_labels(const api::StringMap& labels, const std::string& path);
/// Validates keys of annotations, in any case, and their total size.
api::FieldErrors validate_annotations(const api::StringMap& annotations, const std::string& path);
/// Validates the labels and requirements of a selector.
api::FieldErrors validate_label_selector(
    const api::LabelSelector& selector, const std::string& path
);
/// Validates conditions: unique types, and the type, status, time, reason and message of each.
api::FieldErrors validate_conditions(
    const std::vector<api::Condition>& conditions, const std::string& path
);
/// Validates a DNS-1123 subdomain. Several messages are joined by a comma.
api::FieldErrors validate_subdomain(std::string_view name, const std::string& path);

}  // namespace sluice::validation
