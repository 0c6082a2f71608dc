#include "controller/commands/controller/process_options.hpp"

#include "base/prng.hpp"
#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "controller/commands/controller/controller.hpp"
#include "controller/process/settings.hpp"
#include "controller/process/webhooks/conversion_publication.hpp"
#include "controller/process/webhooks/tls_settings.hpp"
#include "job_kinds/configured.hpp"
#include "job_kinds/frameworks.hpp"
#include "kube/client/client_config.hpp"
#include "yaml/parse.hpp"

#include <array>
#include <optional>
#include <unistd.h>
#include <utility>

namespace sluice::commands {

namespace {

Result<json::Value> load_yaml(const std::string& file) {
    const auto text = kube::read_small_file(file);
    if (!text) {
        return text.error();
    }
    auto document = yaml::parse_document(*text);
    if (!document) {
        return yaml::in_file(document.error(), file);
    }
    return document;
}

/// Loads the Configuration.
Result<config::Configuration> load_configuration(
    const ProcessArguments& options, const std::string& own_namespace
) {
    const std::string& file = options.config_file;
    if (file.empty() && options.document.is_null()) {
        return config::default_configuration(own_namespace);
    }
    const auto document = file.empty() ? Result<json::Value>(options.document) : load_yaml(file);
    if (!document) {
        return document.error();
    }
    auto configuration = config::parse_configuration(*document, own_namespace);
    if (!configuration && !file.empty()) {
        return with_context(configuration.error(), file);
    }
    return configuration;
}

/// Adds the source of the settings to an error.
Error in_settings(const ProcessArguments& options, const Error& error) {
    if (options.config_file.empty()) {
        return options.feature_gates.empty() ? error
                                             : with_context(error, config::kFeatureGatesFlag);
    }
    return with_context(
        error, options.config_file + (options.feature_gates.empty() ? "" : " with --feature-gates")
    );
}

Result<void> check(
    const ProcessArguments& options,
    const config::Configuration& configuration,
    const config::FeatureGates& gates
) {
    const auto violations = config::validate(configuration, gates, job_kinds::known_frameworks());
    if (!violations.empty()) {
        return in_settings(options, make_invalid(config::to_string(violations)));
    }
    const auto unsupported =
        config::unsupported_settings(configuration, gates, config::Command::Controller);
    if (unsupported.empty()) {
        return {};
    }
    const Error error = make_invalid(config::to_string(unsupported));
    const bool is_of_file = unsupported.front().path != config::kFeatureGatesFlag;
    return is_of_file && !options.config_file.empty() ? with_context(error, options.config_file)
                                                      : error;
}

std::string hostname() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                          : std::string("localhost");
}

}  // namespace

Result<controller::ProcessOptions> make_process_options(const ProcessArguments& options) {
    const std::string& own_namespace = options.pod_namespace;
    auto configuration = load_configuration(options, own_namespace);
    if (!configuration) {
        return configuration.error();
    }
    const auto gates =
        config::FeatureGates::load(options.feature_gates, configuration->feature_gates);
    if (!gates) {
        // Without gates in the file, the error names the flag.
        return configuration->feature_gates ? in_settings(options, gates.error()) : gates.error();
    }
    if (const auto checked = check(options, *configuration, *gates); !checked) {
        return checked.error();
    }
    const bool in_cluster =
        options.in_cluster ||
        (!own_namespace.empty() && !controller::names_own_address(configuration->webhook));
    const auto has_host = controller::check_webhook_host(configuration->webhook, in_cluster);
    if (!has_host) {
        return in_settings(options, has_host.error());
    }
    const auto controllers = parse_controllers(options.controllers);
    if (!controllers) {
        return with_context(controllers.error(), "--controllers");
    }
    if (const auto tls = controller::check_tls(configuration->tls); !tls) {
        return in_settings(options, tls.error());
    }
    auto settings = controller::make_settings(*configuration, *gates);
    if (!settings) {
        return in_settings(options, settings.error());
    }
    config::Problems problems;
    controller::ProcessOptions made;
    made.job_kinds = job_kinds::configured_kinds(configuration->integrations, problems);
    if (!problems.empty()) {
        return in_settings(options, make_invalid(config::to_string(problems.take())));
    }
    made.gates = *gates;
    made.settings = std::move(*settings);
    made.controllers = *controllers;
    made.controllers.erase(std::string(kSchedulerController));
    made.with_scheduler = controllers->contains(std::string(kSchedulerController));
    made.in_cluster = in_cluster;
    const config::LeaderElection& election = configuration->leader_election;
    made.lease_namespace =
        election.resource_namespace.empty() ? own_namespace : election.resource_namespace;
    if (election.leader_elect && made.lease_namespace.empty()) {
        const Error error =
            make_invalid("leaderElection.resourceNamespace must be set outside a cluster");
        return in_settings(options, error);
    }
    made.hostname = hostname();
    made.seed = random_seed();
    made.configuration = std::move(*configuration);
    return made;
}

}  // namespace sluice::commands
