#pragma once

#include <string_view>

namespace sluice::apiserver {

/// The text of protobuf_fields.txt, whose form generate_protobuf_fields.py describes.
std::string_view protobuf_fields();

}  // namespace sluice::apiserver
