#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// What a field of the pod is for: a variable of a container, or a file in a volume.
enum class FieldUse : std::uint8_t { Variable, Volume };

/// The variables of a container: each (`env`), and those of whole ConfigMaps and Secrets
/// (`envFrom`). `path`: of the container.
void check_environment(Causes& causes, const std::string& path, const json::Value& container);

/// A fieldRef: a field of the pod that can be had there.
void check_field_reference(
    Causes& causes, const std::string& path, const json::Value& reference, FieldUse use
);
/// A resourceFieldRef: an amount of a container, and what it is divided by. In a volume the
/// container must be named.
void check_resource_reference(
    Causes& causes, const std::string& path, const json::Value& reference, FieldUse use
);

}  // namespace sluice::apiserver
