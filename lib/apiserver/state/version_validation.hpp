#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What is wrong with the versions of a CustomResourceDefinition beside their schemas: names,
/// warnings of deprecation, printer columns, selectable fields and the paths of `scale`. As the API
/// server does, what all versions have alike is told of `spec`, and else of each version.
void check_version_contents(Causes& causes, const json::Array& versions);

}  // namespace sluice::apiserver
