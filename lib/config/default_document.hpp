// The Configuration that applies without a file, as a document.
#pragma once

#include "json/value.hpp"

namespace sluice::config {

/// Returns a v1beta2 Configuration with every setting that applies without a file. Settings that
/// are off unless a file has them are omitted.
json::Value make_default_document();

}  // namespace sluice::config
