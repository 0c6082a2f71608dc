// The validation rules (CEL) of the CRD schemas.
#pragma once

#include <string_view>

namespace sluice::api {

/// A rule of the CRD schemas in CEL, and the message for an object that violates it.
struct SchemaRule {
    std::string_view rule;
    std::string_view message;
};

/// Returns the rule that the tables of fields call C<number>, counted from 1.
const SchemaRule& schema_rule(int number);

}  // namespace sluice::api
