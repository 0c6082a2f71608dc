// Compares JSON values and pod templates by their meaning to Kubernetes.
#pragma once

#include "api/core/pod.hpp"
#include "json/value.hpp"

#include <cstdint>

namespace sluice::controller {

/// Returns true if two JSON values mean the same to Kubernetes: absent, null and empty values are
/// equal, and quantities in `requests` and `limits` are compared by value.
bool is_semantically_equal(const json::Value* a, const json::Value* b);

/// Says whether tolerations are compared with the templates; the start of a job adds some.
enum class Tolerations : std::uint8_t { Compared, Ignored };

/// Returns true if two pod templates have equal requests: every field that counts is compared, and
/// tolerations if `tolerations` says so.
bool are_templates_equal(
    const api::PodTemplateSpec& a, const api::PodTemplateSpec& b, Tolerations tolerations
);

}  // namespace sluice::controller
