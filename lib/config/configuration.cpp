#include "config/configuration.hpp"

#include "api/kueue/kueue_names.hpp"
#include "config/keys.hpp"
#include "config/strict_reader.hpp"

#include <fmt/core.h>

namespace sluice::config {

Configuration default_configuration(std::string_view own_namespace) {
    Configuration made;
    if (!own_namespace.empty()) {
        made.namespace_ = own_namespace;
    }
    made.managed_jobs_namespace_selector.match_expressions = {
        {.key = "kubernetes.io/metadata.name",
         .operator_ = "NotIn",
         .values = {"kube-system", made.namespace_}}
    };
    return made;
}

Configuration read_configuration(
    const json::Value& document, std::string_view own_namespace, Problems& problems
) {
    const auto version = document.string_at("apiVersion");
    if (document.string_at("kind") != "Configuration" ||
        (version != api::kConfigV1beta1 && version != api::kConfigV1beta2)) {
        const auto what = fmt::format(
            "expected kind Configuration of {} or {}, not \"{}\" of \"{}\"",
            api::kConfigV1beta2,
            api::kConfigV1beta1,
            document.string_at("kind"),
            version
        );
        problems.add("", what);
        return default_configuration(own_namespace);
    }
    const auto* named = document.find("namespace");
    const bool is_named = named != nullptr && named->is_string() && !named->as_string().empty();
    auto made = default_configuration(is_named ? named->as_string() : own_namespace);
    StrictReader reader(document, "", problems);
    reader.take("apiVersion");
    reader.take("kind");
    const bool is_old = version == api::kConfigV1beta1;
    read_keys(
        configuration_keys(), reader, made, is_old ? ApiVersion::V1beta1 : ApiVersion::V1beta2
    );
    return made;
}

Result<Configuration> parse_configuration(
    const json::Value& document, std::string_view own_namespace
) {
    Problems problems;
    auto made = read_configuration(document, own_namespace, problems);
    if (!problems.empty()) {
        return make_invalid(to_string(problems.take()));
    }
    return made;
}

}  // namespace sluice::config
