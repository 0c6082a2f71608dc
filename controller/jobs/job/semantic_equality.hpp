#pragma once

#include "api/core/pod.hpp"
#include "json/value.hpp"

#include <cstdint>

namespace sluice::controller {

/// Whether two JSON values mean the same to Kubernetes: absent, null and empty are equal, and the
/// amounts of `requests` and `limits` are compared by value.
bool is_semantically_equal(const json::Value* a, const json::Value* b);

/// Whether tolerations count when templates are compared; the start of a job adds some.
enum class Tolerations : std::uint8_t { Compared, Ignored };

/// Returns true if two pod templates ask for the same: in every field that counts, and in
/// tolerations.
bool are_templates_equal(
    const api::PodTemplateSpec& a, const api::PodTemplateSpec& b, Tolerations tolerations
);

}  // namespace sluice::controller
