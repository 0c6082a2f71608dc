#include "controller/commands/whatif/offline_jobs.hpp"

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/insight/submitted_job.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/process/settings.hpp"
#include "job_kinds/configured.hpp"
#include "job_kinds/frameworks.hpp"
#include "yaml/parse.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::commands {

struct OfflineJobs::Parts {
    controller::Registry registry;
    controller::Settings settings;
    controller::Stores stores;
};

OfflineJobs::OfflineJobs(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
OfflineJobs::~OfflineJobs() = default;

Result<std::unique_ptr<OfflineJobs>> OfflineJobs::make(
    const std::string& config_file, const ScheduleCluster& cluster
) {
    auto configuration = config::default_configuration("kueue-system");
    if (config_file.empty()) {
        auto& frameworks = configuration.integrations.frameworks;
        frameworks.clear();
        for (const config::Framework& framework : job_kinds::known_frameworks()) {
            frameworks.push_back(framework.name);
        }
    } else {
        const auto text = read_file(config_file);
        const auto document =
            text ? yaml::parse_document(*text) : Result<json::Value>(text.error());
        auto read = document ? config::parse_configuration(*document, "")
                             : Result<config::Configuration>(document.error());
        if (!read) {
            return with_context(read.error(), config_file);
        }
        configuration = *std::move(read);
    }
    const auto gates = config::FeatureGates::load("", configuration.feature_gates);
    if (!gates) {
        return gates.error();
    }
    config::Problems problems;
    const auto kinds = job_kinds::configured_kinds(configuration.integrations, problems);
    const auto& frameworks = configuration.integrations.frameworks;
    auto settings = controller::make_settings(configuration, *gates);
    if (!settings) {
        return settings.error();
    }
    auto parts = std::make_unique<Parts>(
        controller::make_registry(
            kinds, std::ranges::find(frameworks, "batch/job") != frameworks.end()
        ),
        *std::move(settings)
    );
    parts->registry.add_stores(parts->stores);
    for (const controller::KindEntry& entry : parts->registry.all()) {
        parts->stores.find(entry.kind)->replace({}, {});
    }
    for (const auto& priority : cluster.priority_classes) {
        parts->stores.of<api::WorkloadPriorityClass>().upsert(
            std::make_shared<const api::WorkloadPriorityClass>(priority)
        );
    }
    return std::unique_ptr<OfflineJobs>(new OfflineJobs(std::move(parts)));
}

Result<api::Workload> OfflineJobs::workload_of(std::string_view job) const {
    return controller::workload_of_submitted(
        parts_->registry.job_kinds(), parts_->stores, parts_->settings, job
    );
}

}  // namespace sluice::commands
