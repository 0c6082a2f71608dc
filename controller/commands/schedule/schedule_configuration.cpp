#include "controller/commands/schedule/schedule_configuration.hpp"

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "job_kinds/frameworks.hpp"
#include "workload/translation/options.hpp"
#include "yaml/parse.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace sluice::commands {
namespace {

/// Loads the gates of the file. A gate that the file does not name is off if it depends on a gate
/// that is off. The controller rejects such a file; for decisions, the dependent gate has no
/// meaning then.
Result<config::FeatureGates> load_gates(std::optional<std::map<std::string, bool>> named) {
    if (named) {
        const auto is_off = [&](config::Feature feature) {
            const auto at = named->find(std::string(config::to_string(feature)));
            return at != named->end() && !at->second;
        };
        for (std::size_t i = 0; i < config::kFeatures.size(); ++i) {
            const auto feature = static_cast<config::Feature>(i);
            if (std::ranges::any_of(config::dependencies_of(feature), is_off)) {
                named->emplace(config::kFeatures[i].name, false);
            }
        }
    }
    return config::FeatureGates::load("", named);
}

Result<ScheduleConfiguration> decision_settings_of(const json::Value& document) {
    const auto configuration = config::parse_configuration(document, "");
    if (!configuration) {
        return configuration.error();
    }
    const auto gates = load_gates(configuration->feature_gates);
    if (!gates) {
        return gates.error();
    }
    const auto wrong = config::validate(*configuration, *gates, job_kinds::known_frameworks());
    if (!wrong.empty()) {
        return make_invalid(config::to_string(wrong));
    }
    const auto unsupported =
        config::unsupported_settings(*configuration, *gates, config::Command::Schedule);
    if (!unsupported.empty()) {
        return make_invalid(config::to_string(unsupported));
    }
    return ScheduleConfiguration{
        .settings = workload::make_translation_settings(*configuration, *gates),
        .options = workload::make_engine_options(*configuration, *gates),
    };
}

}  // namespace

Result<ScheduleConfiguration> read_configuration(std::string_view text, std::string_view file) {
    const auto document = yaml::parse_document(text);
    if (!document) {
        return yaml::in_file(document.error(), file);
    }
    auto made = decision_settings_of(*document);
    return made ? made : with_context(made.error(), file);
}

Result<ScheduleConfiguration> load_schedule_configuration(const std::string& file) {
    if (file.empty()) {
        return ScheduleConfiguration{};
    }
    const auto text = read_file(file);
    if (!text) {
        return text.error();
    }
    return read_configuration(*text, file);
}

}  // namespace sluice::commands
