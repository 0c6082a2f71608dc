#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// The probes of a container, and what is done after its start and before its end.
/// `grace_seconds`: how long its pod has to end.
void check_probes(
    Causes& causes,
    const std::string& path,
    const json::Value& container,
    std::int64_t grace_seconds
);

/// Init containers that end have neither.
void check_no_probes(Causes& causes, const std::string& path, const json::Value& container);

}  // namespace sluice::apiserver
