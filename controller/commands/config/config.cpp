#include "controller/commands/config/config.hpp"

#include "base/printable.hpp"
#include "config/configuration.hpp"
#include "config/default_document.hpp"
#include "config/feature_gates.hpp"
#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "controller/commands/config/job_kinds_check.hpp"
#include "controller/commands/config/job_object.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/process/webhooks/tls_settings.hpp"
#include "job_kinds/configured.hpp"
#include "job_kinds/frameworks.hpp"
#include "yaml/find_line.hpp"
#include "yaml/parse.hpp"
#include "yaml/print.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kUnreadable = 2;

/// Collects the lines of a report.
class Reporter {
  public:
    Reporter(std::string_view file, std::string_view text) : file_(file), text_(text) {}

    void error(const config::Problem& problem) {
        write(place_of(problem.path), "error", to_string(problem));
        ++report_.errors;
    }
    void error_at(std::size_t line, std::string_view what) {
        write(place_at(line), "error", what);
        ++report_.errors;
    }
    void flag_error(std::string_view what) {
        write("", "error", what);
        ++report_.errors;
    }
    void warn(const config::Problem& problem) {
        write(place_of(problem.path), "warning", to_string(problem));
        ++report_.warnings;
    }
    bool has_errors() const { return report_.errors > 0; }
    ConfigReport take() { return std::move(report_); }

  private:
    std::string place_at(std::size_t line) const { return fmt::format("{}:{}: ", file_, line); }

    /// Returns the place in the file; "" for the path of a flag.
    std::string place_of(std::string_view path) const {
        return path == config::kFeatureGatesFlag ? "" : place_at(yaml::find_line(text_, path));
    }

    void write(std::string_view place, std::string_view severity, std::string_view what) {
        report_.text += fmt::format("{}{}: {}\n", place, severity, printable(what));
    }

    std::string_view file_;
    std::string_view text_;
    ConfigReport report_;
};

void check_support(
    Reporter& reporter,
    const config::Configuration& configuration,
    const config::FeatureGates& gates
) {
    for (const auto& problem :
         config::unsupported_settings(configuration, gates, config::Command::Controller)) {
        reporter.error(problem);
    }
    for (const std::string& name : gates.removed()) {
        reporter.warn(gates.problem_of(name, "no longer has an effect"));
    }
}

/// Reports all faults. A fault that depends on the controller's namespace is an error if the
/// namespace is known (`is_place_known`), otherwise a warning.
void check_values(
    Reporter& reporter,
    const config::Configuration& configuration,
    const config::FeatureGates& gates,
    bool is_place_known
) {
    // A namespace that is not the controller's and that every selector is checked against.
    config::Configuration elsewhere = configuration;
    elsewhere.namespace_ = "kube-system";
    const auto& frameworks = job_kinds::known_frameworks();
    std::set<std::string> everywhere;
    for (const config::Problem& problem : config::validate(elsewhere, gates, frameworks)) {
        everywhere.insert(to_string(problem));
    }
    for (config::Problem& problem : config::validate(configuration, gates, frameworks)) {
        if (is_place_known || everywhere.contains(to_string(problem))) {
            reporter.error(problem);
            continue;
        }
        problem.why += fmt::format(
            ", if the controller runs in {} (--namespace names another one)",
            configuration.namespace_
        );
        reporter.warn(problem);
    }
}

/// Removes and returns the line number at the beginning of an error of the YAML reader, such as
/// "12: duplicate key"; otherwise returns 1.
std::size_t take_line(std::string_view& detail) {
    std::size_t line = 0;
    std::size_t at = 0;
    while (at < detail.size() && detail[at] >= '0' && detail[at] <= '9' && line < 100'000'000) {
        line = line * 10 + static_cast<std::size_t>(detail[at] - '0');
        ++at;
    }
    if (at == 0 || !detail.substr(at).starts_with(": ")) {
        return 1;
    }
    detail.remove_prefix(at + 2);
    return line;
}

/// Returns the configuration of a valid document: the document itself, or the defaults with the
/// kinds of jobs that a ConfigMap describes.
config::Configuration configuration_of(const json::Value& document) {
    if (is_config_map(document)) {
        config::Configuration made = config::default_configuration("");
        made.integrations.job_kinds = check_job_kinds(document).descriptions;
        return made;
    }
    config::Problems none;
    return config::read_configuration(document, "", none);
}

/// Prints how the controller would treat the object in a file, with a valid configuration.
int show_object(
    const std::string& object_file, std::string_view config_text, const std::string& feature_gates
) {
    const auto text = read_file(object_file);
    if (!text) {
        fmt::print(stderr, "error: {}\n", text.error().detail);
        return kUnreadable;
    }
    const auto object = yaml::parse_document(*text);
    if (!object) {
        fmt::print(stderr, "error: {}\n", yaml::in_file(object.error(), object_file).detail);
        return 1;
    }
    const config::Configuration configuration =
        configuration_of(*yaml::parse_document(config_text));
    const auto gates = config::FeatureGates::load(feature_gates, configuration.feature_gates);
    const auto shown = explain_job(*object, configuration, *gates);
    if (!shown) {
        fmt::print(stderr, "error: {}: {}\n", object_file, shown.error().detail);
        return 1;
    }
    fmt::print("{}", *shown);
    return 0;
}

int run_check(
    const std::string& file,
    const std::string& feature_gates,
    const std::string& object_file,
    const std::string& own_namespace
) {
    const auto text = read_file(file);
    if (!text) {
        fmt::print(stderr, "error: {}\n", text.error().detail);
        return kUnreadable;
    }
    const ConfigReport report = check_config(file, *text, feature_gates, own_namespace);
    fmt::print("{}", report.text);
    const auto document = yaml::parse_document(*text);
    const bool is_map = document && is_config_map(*document);
    if (report.errors > 0) {
        const char* what = is_map ? "error: sluice controller would ignore kinds in {}\n"
                                  : "error: sluice controller would not start with {}\n";
        fmt::print(stderr, fmt::runtime(what), file);
        return 1;
    }
    if (!object_file.empty()) {
        return show_object(object_file, *text, feature_gates);
    }
    if (is_map) {
        fmt::print("{}: no errors found\n", file);
        return 0;
    }
    std::vector<std::string_view> missing;
    const auto need = [&](std::string_view name, std::initializer_list<std::string_view> path) {
        const json::Value* value = document ? document->find_path(path) : nullptr;
        if (value == nullptr || !value->is_string() || value->as_string().empty()) {
            missing.push_back(name);
        }
    };
    need("webhook.host", {"webhook", "host"});
    need("leaderElection.resourceNamespace", {"leaderElection", "resourceNamespace"});
    if (missing.empty()) {
        fmt::print("{}: no errors found\n", file);
    } else {
        fmt::print(
            "{}: no errors found; outside a cluster, also set {}\n",
            file,
            fmt::join(missing, " and ")
        );
    }
    return 0;
}

}  // namespace

ConfigReport check_config(
    std::string_view file,
    std::string_view text,
    std::string_view feature_gates,
    std::string_view own_namespace
) {
    Reporter reporter(file, text);
    const auto document = yaml::parse_document(text);
    if (!document) {
        const Error failure = document.error();
        std::string_view detail = failure.detail;
        const std::size_t line = take_line(detail);
        reporter.error_at(line, detail);
        return reporter.take();
    }
    if (is_config_map(*document)) {
        const JobKindsReport report = check_job_kinds(*document);
        for (const config::Problem& problem : report.errors) {
            reporter.error(problem);
        }
        for (const config::Problem& problem : report.warnings) {
            reporter.warn(problem);
        }
        if (const auto gates = config::FeatureGates::parse(feature_gates); !gates) {
            reporter.flag_error(gates.error().detail);
        }
        return reporter.take();
    }
    config::Problems problems;
    const config::Configuration configuration =
        config::read_configuration(*document, own_namespace, problems);
    for (const config::Problem& problem : problems.take()) {
        reporter.error(problem);
    }
    const auto gates = config::FeatureGates::load(feature_gates, configuration.feature_gates);
    if (!gates && configuration.feature_gates) {
        reporter.error_at(yaml::find_line(text, "featureGates"), gates.error().detail);
    } else if (!gates) {
        reporter.flag_error(gates.error().detail);
    }
    if (reporter.has_errors()) {
        return reporter.take();
    }
    const bool is_place_known = !own_namespace.empty() || document->find("namespace") != nullptr;
    check_values(reporter, configuration, *gates, is_place_known);
    job_kinds::configured_kinds(configuration.integrations, problems);
    for (const config::Problem& problem : problems.take()) {
        reporter.error(problem);
    }
    if (const auto tls = controller::check_tls(configuration.tls); !tls) {
        const std::string& detail = tls.error().detail;
        const std::size_t path_end = detail.find(':');
        reporter.error({.path = detail.substr(0, path_end), .why = detail.substr(path_end + 2)});
    }
    check_support(reporter, configuration, *gates);
    return reporter.take();
}

void add_config(CLI::App& app, int& exit_code) {
    struct Options {
        std::string file;
        std::string feature_gates;
        std::string object;
        std::string own_namespace;
    };
    auto options = std::make_shared<Options>();
    CLI::App* config = app.add_subcommand("config", "Check a Configuration, or print the defaults");
    config->require_subcommand(1);
    CLI::App* check = config->add_subcommand(
        "check",
        "Report, with lines, the errors that `sluice controller` would find in a Configuration, or "
        "in a ConfigMap that describes kinds of jobs"
    );
    check
        ->add_option(
            "FILE", options->file, "Configuration or ConfigMap, YAML or JSON; - for standard input"
        )
        ->required();
    check->add_option(
        "--feature-gates",
        options->feature_gates,
        "Feature gates of the controller's command line: Name=true,Other=false"
    );
    check->add_option(
        "--object",
        options->object,
        "File with one job, YAML or JSON: also print its pod sets, their requests, and the "
        "changes that start it"
    );
    check->add_option(
        "--namespace",
        options->own_namespace,
        "Namespace of the controller, if the file sets none (default: kueue-system)"
    );
    check->callback([options, &exit_code] {
        exit_code = run_check(
            options->file, options->feature_gates, options->object, options->own_namespace
        );
    });
    config->add_subcommand("defaults", "Print the Configuration that applies without a file")
        ->callback([] { fmt::print("{}", yaml::print(config::make_default_document())); });
}

}  // namespace sluice::commands
