#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Rules of Kubernetes that hold for parts of many kinds.
namespace sluice::validation {

/// A label key.
api::FieldErrors validate_label_name(std::string_view name, const std::string& path);
/// Keys and values of labels, all told at the path of the map.
api::FieldErrors validate_labels(const api::StringMap& labels, const std::string& path);
/// Keys of annotations, whatever their case, and their size in all.
api::FieldErrors validate_annotations(const api::StringMap& annotations, const std::string& path);
/// Labels and requirements of a selector.
api::FieldErrors validate_label_selector(
    const api::LabelSelector& selector, const std::string& path
);
/// Types that are there once; type, status, time, reason and message of each as the API wants it.
api::FieldErrors validate_conditions(
    const std::vector<api::Condition>& conditions, const std::string& path
);
/// A DNS-1123 subdomain; several sentences are joined by a comma.
api::FieldErrors validate_subdomain(std::string_view name, const std::string& path);

}  // namespace sluice::validation
