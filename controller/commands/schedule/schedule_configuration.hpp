#pragma once

#include "base/error.hpp"
#include "engine/types/options.hpp"
#include "workload/pods/translation_settings.hpp"

#include <string_view>

namespace sluice::commands {

/// What of a Configuration bears on decisions, with upstream's defaults.
struct ScheduleConfiguration {
    workload::TranslationSettings settings;
    engine::Options options;
};

/// Reads a Configuration of config.kueue.x-k8s.io, either version. Errors: Invalid, naming the
/// field.
Result<ScheduleConfiguration> read_configuration(std::string_view text);

}  // namespace sluice::commands
