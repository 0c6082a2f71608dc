// The media types that a client accepts (the Accept header).
#pragma once

#include "base/error.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Requires that the client accepts JSON, the form of all answers. Errors: NotAcceptable.
Result<void> check_accept(std::string_view accept);

/// Returns true if the client's first choice is PartialObjectMetadata in protobuf: such a client
/// needs only the metadata of objects.
bool prefers_metadata_in_protobuf(std::string_view accept);

/// Returns true if the client accepts an answer only as a Table or as PartialObjectMetadata.
bool wants_another_form(std::string_view accept);
/// Returns the refusal of a form that the server does not produce.
Error not_acceptable();

}  // namespace sluice::apiserver
