#pragma once

#include "base/error.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Whether JSON, in which all answers are, is among what the client takes (the Accept header).
/// Errors: NotAcceptable.
Result<void> check_accept(std::string_view accept);

/// Whether the client takes the metadata of objects in protobuf before any other form, as clients
/// do that need no more of objects.
bool prefers_metadata_in_protobuf(std::string_view accept);

/// Whether the client takes an answer only as a table or as metadata.
bool wants_another_form(std::string_view accept);
/// The refusal of a form in which there is no answer.
Error not_acceptable();

}  // namespace sluice::apiserver
