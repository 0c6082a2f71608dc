// Reads the settings of a Configuration that affect decisions.
#pragma once

#include "base/error.hpp"
#include "engine/types/options.hpp"
#include "workload/pods/translation_settings.hpp"

#include <string>
#include <string_view>

namespace sluice::commands {

/// The settings that affect decisions, with Kueue's defaults.
struct ScheduleConfiguration {
    workload::TranslationSettings settings;
    engine::Options options;
};

/// Reads the Configuration of config.kueue.x-k8s.io, in either version, that is the text of a file.
/// Errors: Invalid, with the file and the line or the field.
Result<ScheduleConfiguration> read_configuration(std::string_view text, std::string_view file);

/// Reads the Configuration in that file; the defaults if `file` is empty. Errors: Invalid,
/// NotFound.
Result<ScheduleConfiguration> load_schedule_configuration(const std::string& file);

}  // namespace sluice::commands
