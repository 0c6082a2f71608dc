#include "controller/commands/cluster/cluster_setup.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/schema/crd.hpp"
#include "api/schema/scheme.hpp"
#include "apiserver/fields/last_applied.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "controller/commands/cluster/webhook_manifest.hpp"
#include "controller/commands/controller/process_options.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "job_kinds/frameworks.hpp"
#include "yaml/find_line.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

bool manages_jobs_without_queue(const json::Value& configuration) {
    const json::Value* value = configuration.find("manageJobsWithoutQueueName");
    return value != nullptr && value->is_bool() && value->as_bool();
}

/// Returns true if the webhook reviews objects of a serving kind that name a queue.
bool is_of_serving_kind(std::string_view webhook) {
    constexpr std::array<std::string_view, 3> kKinds{
        "deployment.kb.io", "leaderworkerset.kb.io", "statefulset.kb.io"
    };
    return !webhook.empty() && std::ranges::find(kKinds, webhook.substr(1)) != kKinds.end();
}

/// Widens a webhook for `manageJobsWithoutQueueName`: a webhook of a serving kind reviews objects
/// without a queue too, and a webhook for jobs without a queue reviews updates too.
void ask_about_all(json::Value& webhook) {
    const std::string_view name = webhook.string_at("name");
    if (is_of_serving_kind(name)) {
        webhook.erase("objectSelector");
    }
    if (!name.starts_with("vunqueued")) {
        return;
    }
    for (json::Value& rule : webhook.find("rules")->as_array()) {
        rule.set("operations", json::Array{"CREATE", "UPDATE"});
    }
}

}  // namespace

Result<std::vector<json::Value>> setup_objects(const json::Value& configuration) {
    std::vector<json::Value> objects;
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (kind.group == api::kKueueGroup) {
            objects.push_back(api::make_crd(kind));
        }
    }
    for (const std::string_view manifests :
         {rights_manifests(), webhook_manifest(), policy_manifest()}) {
        for (yaml::Document& document : yaml::parse_documents(manifests)) {
            if (!document.value) {
                return document.value.error();
            }
            if (document.value->is_object()) {
                objects.push_back(std::move(*document.value));
            }
        }
    }
    for (json::Value& object : objects) {
        json::Value* webhooks = object.find("webhooks");
        if (webhooks != nullptr && manages_jobs_without_queue(configuration)) {
            std::ranges::for_each(webhooks->as_array(), ask_about_all);
        }
    }
    return objects;
}

json::Value make_configuration() {
    json::Array frameworks;
    json::Value gates = json::Object();
    for (const config::Framework& framework : job_kinds::known_frameworks()) {
        frameworks.emplace_back(framework.name);
        if (framework.gate) {
            gates.set(to_string(*framework.gate), true);
        }
    }
    gates.set(to_string(config::Feature::VisibilityOnDemand), false);
    return json::Object{
        {"apiVersion", api::kConfigV1beta2},
        {"kind", "Configuration"},
        {"namespace", kEmbeddedNamespace},
        {"health", json::Object{{"healthProbeBindAddress", "0"}}},
        {"metrics", json::Object{{"bindAddress", "0"}}},
        {"leaderElection", json::Object{{"leaderElect", false}}},
        {"clientConnection", json::Object{{"qps", -1}}},
        {"featureGates", std::move(gates)},
        {"integrations", json::Object{{"frameworks", std::move(frameworks)}}}
    };
}

namespace {

/// Reads the user's file. Errors: Invalid if it is not a valid Configuration.
Result<json::Value> read_document(const std::string& file) {
    const auto text = read_file(file);
    if (!text) {
        return text.error();
    }
    auto given = yaml::parse_document(*text);
    if (!given) {
        return yaml::in_file(given.error(), file);
    }
    if (given->string_at("kind") != "Configuration") {
        return make_invalid(file + ": not a Configuration");
    }
    config::Problems found;
    config::read_configuration(*given, kEmbeddedNamespace, found);
    if (const auto problems = found.take(); !problems.empty()) {
        const auto more =
            problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : "";
        const config::Problem& first = problems.front();
        return make_invalid(fmt::format(
            "{}:{}: {}{}", file, yaml::find_line(*text, first.path), to_string(first), more
        ));
    }
    return given;
}

/// Checks the gates of a command line, which the document is to contain with others.
Result<void> check_gates(const std::string& feature_gates) {
    const auto gates = config::FeatureGates::parse(feature_gates);
    if (!gates) {
        return gates.error();
    }
    const auto unsupported = config::unsupported_settings(
        config::default_configuration(""), *gates, config::Command::Controller
    );
    return unsupported.empty() ? Result<void>() : make_invalid(config::to_string(unsupported));
}

/// Checks the whole document as the controller does when it starts.
Result<void> check_start(const json::Value& document) {
    const auto checked = make_process_options({
        .config_file = "",
        .document = document,
        .controllers = "*",
        .feature_gates = "",
        .in_cluster = true,
        .pod_namespace = kEmbeddedNamespace,
    });
    return checked ? Result<void>() : checked.error();
}

/// As check_start(). Errors: Invalid, naming the file or the flag as the source; both if the
/// document would be valid without the flag.
Result<void> check_document(
    const json::Value& document, const std::string& file, const std::string& feature_gates
) {
    const auto checked = check_start(document);
    if (checked) {
        return {};
    }
    const std::string flag = feature_gates.empty() ? "" : config::kFeatureGatesFlag;
    if (file.empty() || flag.empty()) {
        const std::string source = file + flag;
        return source.empty() ? checked.error() : with_context(checked.error(), source);
    }
    json::Value without_flag = document;
    without_flag.set("featureGates", *make_configuration().find("featureGates"));
    const auto of_file = check_start(without_flag);
    return of_file ? with_context(checked.error(), file + " with " + flag)
                   : with_context(of_file.error(), file);
}

}  // namespace

Result<json::Value> read_configuration(const std::string& file, const std::string& feature_gates) {
    auto read = file.empty() ? Result<json::Value>(json::Object()) : read_document(file);
    if (!read) {
        return read.error();
    }
    json::Value given = std::move(*read);
    const json::Value* own_gates = given.find("featureGates");
    if (!feature_gates.empty()) {
        if (own_gates != nullptr) {
            return make_invalid(
                file +
                ": featureGates: feature gates for CLI and configuration cannot both specified"
            );
        }
        if (const auto checked = check_gates(feature_gates); !checked) {
            return checked.error();
        }
    }
    json::Value gates = *make_configuration().find("featureGates");
    for (const auto& [name, is_on] : *config::FeatureGates::read_flag(feature_gates)) {
        gates.set(name, is_on);
    }
    if (own_gates != nullptr && own_gates->is_object()) {
        for (const auto& [name, value] : own_gates->as_object()) {
            gates.set(name, value);
        }
    }
    if (own_gates != nullptr && !own_gates->is_object()) {
        gates = *own_gates;  // the controller reports the error
    }
    json::Value own = make_configuration();
    for (auto& [key, value] : own.as_object()) {
        const bool is_choice = key == "apiVersion" || key == "integrations";
        if (!is_choice || given.find(key) == nullptr) {
            given.set(key, std::move(value));
        }
    }
    given.set("featureGates", std::move(gates));
    if (const auto checked = check_document(given, file, feature_gates); !checked) {
        return checked.error();
    }
    return given;
}

namespace {

/// The identity of an object in its manifest.
struct Named {
    std::string api_version;
    std::string kind;
    std::string group;
    std::string version;
    std::string ns;  ///< empty for a cluster-scoped kind
    std::string name;
    std::string generate_name;
    apiserver::ResourceTable::TypePointer type;
};

Named read_names(const apiserver::ResourceTable& types, const json::Value& object) {
    Named made;
    made.api_version = object.string_at("apiVersion");
    made.kind = object.string_at("kind");
    const std::size_t slash = made.api_version.find('/');
    made.group = slash == std::string::npos ? "" : made.api_version.substr(0, slash);
    made.version =
        slash == std::string::npos ? made.api_version : made.api_version.substr(slash + 1);
    made.type = types.find_kind(made.group, made.version, made.kind);
    if (const json::Value* metadata = object.find("metadata")) {
        made.name = metadata->string_at("name");
        made.generate_name = metadata->string_at("generateName");
        made.ns = metadata->string_at("namespace");
    }
    if (made.type != nullptr && made.type->is_namespaced) {
        made.ns = made.ns.empty() ? "default" : made.ns;
    }
    return made;
}

}  // namespace

std::string full_name(const apiserver::ResourceTable& types, const json::Value& object) {
    const Named names = read_names(types, object);
    const std::string& name = names.name.empty() ? names.generate_name : names.name;
    return names.ns.empty() ? name : names.ns + "/" + name;
}

json::Value with_last_applied(const apiserver::ResourceTable& types, json::Value object) {
    const json::Value* metadata = object.find("metadata");
    const json::Value* annotations = metadata != nullptr ? metadata->find("annotations") : nullptr;
    const bool is_well_formed = metadata != nullptr && metadata->is_object() &&
                                (annotations == nullptr || annotations->is_object());
    if (!is_well_formed) {
        return object;  // the server reports the error
    }
    // kubectl records the namespace, and an empty map if the object has no annotations.
    json::Value noted = object;
    json::Value* noted_metadata = noted.find("metadata");
    if (annotations == nullptr) {
        noted_metadata->set("annotations", json::Object());
    }
    if (const Named names = read_names(types, object); !names.ns.empty()) {
        noted_metadata->set("namespace", names.ns);
    }
    apiserver::note_last_applied(noted, object);
    return object;
}

Result<apiserver::Request> make_apply_request(
    const apiserver::ResourceTable& types, const json::Value& object, std::string_view manager
) {
    const Named names = read_names(types, object);
    if (names.type == nullptr) {
        return make_invalid(fmt::format(
            "no matches for kind \"{}\" in version \"{}\"", names.kind, names.api_version
        ));
    }
    const bool is_created = names.name.empty();
    if (is_created && names.generate_name.empty()) {
        return make_invalid(fmt::format("{} has no metadata.name", names.kind));
    }
    std::string path = names.group.empty() ? "/api/" + names.version : "/apis/" + names.api_version;
    path += names.type->is_namespaced ? "/namespaces/" + names.ns : "";
    path += "/" + names.type->plural + (is_created ? "" : "/" + names.name);
    apiserver::Request request = apiserver::make_request(is_created ? "POST" : "PATCH", path);
    request.query.emplace("fieldManager", manager);
    request.query.emplace("fieldValidation", "Strict");  // as kubectl does
    if (!is_created) {
        request.query.emplace("force", "true");
    }
    request.content_type = is_created ? "application/json" : "application/apply-patch+yaml";
    request.user_agent = manager;
    request.body = json::print(object);
    return request;
}

Result<void> read_answer(const apiserver::Response& response) {
    if (response.status < 400) {
        return {};
    }
    const auto status = json::parse(response.body);
    return make_invalid(std::string(status ? status->string_at("message") : response.body));
}

}  // namespace sluice::commands
