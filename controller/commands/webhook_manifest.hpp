#pragma once

#include <string_view>

namespace sluice::commands {

/// The webhook configurations of examples/deploy, YAML.
std::string_view webhook_manifest();

}  // namespace sluice::commands
