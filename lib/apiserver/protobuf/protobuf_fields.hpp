// The table of protobuf fields of Kubernetes' own kinds, as text.
#pragma once

#include <string_view>

namespace sluice::apiserver {

/// Returns the text of protobuf_fields.txt; generate_protobuf_fields.py describes its format.
std::string_view protobuf_fields();

}  // namespace sluice::apiserver
