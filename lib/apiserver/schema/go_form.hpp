#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Brings an object of a built-in kind into the form in which the API server prints it after
/// reading it into Go types: no nulls and no empty optional lists and maps, members that are always
/// printed, canonical quantities, the defaults that its OpenAPI document tells.
void bring_to_go_form(const Schema& schema, json::Value& object);

}  // namespace sluice::apiserver
