// Objects of built-in kinds in the form in which Go prints them.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Brings an object of a built-in kind into the form in which the API server prints it after it has
/// decoded the object into Go types: without nulls and empty optional lists and maps, with members
/// that are always printed, with canonical quantities, and with the defaults that the OpenAPI
/// document contains.
void bring_to_go_form(const Schema& schema, json::Value& object);

}  // namespace sluice::apiserver
