#pragma once

#include "apiserver/cause.hpp"
#include "apiserver/resource.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// What is refused of a CRD besides its metadata; with an old one, of its update.
std::vector<Cause> find_crd_faults(const json::Value& crd, const json::Value* old_crd);

/// What the rules of a custom resource (x-kubernetes-validations) have against an object.
std::vector<Cause> check_rules(
    const ResourceVersion& version, const json::Value& object, const json::Value* old_object
);

}  // namespace sluice::apiserver
