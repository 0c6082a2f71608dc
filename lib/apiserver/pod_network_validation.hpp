#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// How a pod finds others: its dnsConfig and its hostAliases. `path`: of its spec.
void check_pod_network(Causes& causes, const std::string& path, const json::Value& spec);

}  // namespace sluice::apiserver
