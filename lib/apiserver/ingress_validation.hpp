#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What is wrong with an Ingress: its hosts, its paths and where they lead.
void check_ingress(Causes& causes, const json::Value& ingress);
/// The same of a new one: its class is said once.
void check_new_ingress(Causes& causes, const json::Value& ingress);

}  // namespace sluice::apiserver
