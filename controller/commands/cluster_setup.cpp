#include "controller/commands/cluster_setup.hpp"

#include "api/crd.hpp"
#include "api/kueue_names.hpp"
#include "api/scheme.hpp"
#include "config/validation.hpp"
#include "controller/commands/config.hpp"
#include "controller/commands/input_files.hpp"
#include "controller/commands/webhook_manifest.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::commands {

Result<std::vector<json::Value>> setup_objects() {
    std::vector<json::Value> objects;
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (kind.group == api::kKueueGroup) {
            objects.push_back(api::make_crd(kind));
        }
    }
    objects.push_back(json::Object{
        {"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata", json::Object{{"name", kEmbeddedNamespace}}}
    });
    for (yaml::Document& document : yaml::parse_documents(webhook_manifest())) {
        if (!document.value) {
            return document.value.error();
        }
        objects.push_back(std::move(*document.value));
    }
    return objects;
}

json::Value make_configuration() {
    json::Array frameworks;
    for (const config::Framework& framework : config::known_frameworks()) {
        frameworks.emplace_back(framework.name);
    }
    return json::Object{
        {"apiVersion", api::kConfigV1beta2},
        {"kind", "Configuration"},
        {"namespace", kEmbeddedNamespace},
        {"health", json::Object{{"healthProbeBindAddress", "0"}}},
        {"metrics", json::Object{{"bindAddress", "0"}}},
        {"leaderElection", json::Object{{"leaderElect", false}}},
        {"clientConnection", json::Object{{"qps", -1}}},
        {"featureGates",
         json::Object{{"SparkApplicationIntegration", true}, {"VisibilityOnDemand", false}}},
        {"integrations", json::Object{{"frameworks", std::move(frameworks)}}}
    };
}

namespace {

/// The first line of a report that is an error, without that word.
std::string find_first_error(const std::string& report) {
    constexpr std::string_view kMark = ": error: ";
    for (std::string_view rest = report; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (const std::size_t at = line.find(kMark); at != std::string_view::npos) {
            return fmt::format("{}: {}", line.substr(0, at), line.substr(at + kMark.size()));
        }
    }
    return report;
}

/// The user's file, if it has no faults but those of the gates beside it.
Result<json::Value> read_document(const std::string& file) {
    const auto text = read_file(file);
    if (!text) {
        return text.error();
    }
    const ConfigReport report = check_config(file, *text, "");
    if (report.errors > 0) {
        const auto more =
            report.errors > 1 ? fmt::format(" (and {} more)", report.errors - 1) : std::string();
        return make_invalid(find_first_error(report.text) + more);
    }
    auto given = yaml::parse_document(*text);
    if (given && given->string_at("kind") != "Configuration") {
        return make_invalid(file + ": not a Configuration");
    }
    return given;
}

/// Sets `Name=true,Other=false` in an object of gates. Requires: they can be read.
void set_gates(json::Value& gates, std::string_view text) {
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos) {
            const std::string_view value = pair.substr(equals + 1);
            const bool is_on = value == "1" || value.starts_with('t') || value.starts_with('T');
            gates.set(pair.substr(0, equals), is_on);
        }
    }
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
                "featureGates: feature gates for CLI and configuration cannot both specified"
            );
        }
        if (const auto parsed = config::FeatureGates::parse(feature_gates); !parsed) {
            return parsed.error();
        }
    }
    json::Value gates = *make_configuration().find("featureGates");
    set_gates(gates, feature_gates);
    if (own_gates != nullptr && own_gates->is_object()) {
        for (const auto& [name, value] : own_gates->as_object()) {
            gates.set(name, value);
        }
    }
    if (own_gates != nullptr && !own_gates->is_object()) {
        gates = *own_gates;  // the controller says what is wrong with it
    }
    json::Value own = make_configuration();
    for (auto& [key, value] : own.as_object()) {
        const bool is_choice = key == "apiVersion" || key == "integrations";
        if (!is_choice || given.find(key) == nullptr) {
            given.set(key, std::move(value));
        }
    }
    given.set("featureGates", std::move(gates));
    return given;
}

namespace {

/// What a manifest says of its object.
struct Named {
    std::string api_version;
    std::string kind;
    std::string group;
    std::string version;
    std::string ns;  ///< of a kind in namespaces
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

namespace {

/// JSON as Go's encoder writes it: these characters, which stand in strings alone, are escaped.
std::string escape_for_html(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '<' || c == '>' || c == '&') {
            escaped += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
            escaped += c;
        }
    }
    return escaped;
}

}  // namespace

json::Value with_last_applied(const apiserver::ResourceTable& types, json::Value object) {
    constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
    // An object's annotations are 256 KiB at most, and there may be others.
    constexpr std::size_t kMost = std::size_t{128} << 10U;
    json::Value* metadata = object.find("metadata");
    if (metadata == nullptr || !metadata->is_object()) {
        return object;
    }
    const json::Value* given = metadata->find("annotations");
    json::Value annotations = given != nullptr ? *given : json::Value(json::Object());
    if (!annotations.is_object()) {
        return object;
    }
    // To the byte what kubectl makes of the manifest, so that it finds nothing changed.
    const Named names = read_names(types, object);
    metadata->set("annotations", annotations);
    if (!names.ns.empty()) {
        metadata->set("namespace", names.ns);
    }
    std::string text = escape_for_html(json::print_sorted(object)) + "\n";
    if (text.size() <= kMost) {
        annotations.set(kAnnotation, std::move(text));
        metadata->set("annotations", std::move(annotations));
    }
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
        return make_invalid(fmt::format("a {} without metadata.name", names.kind));
    }
    std::string path = names.group.empty() ? "/api/" + names.version : "/apis/" + names.api_version;
    path += names.type->is_namespaced ? "/namespaces/" + names.ns : "";
    path += "/" + names.type->plural + (is_created ? "" : "/" + names.name);
    apiserver::Request request = apiserver::make_request(is_created ? "POST" : "PATCH", path);
    request.query.emplace("fieldManager", manager);
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
