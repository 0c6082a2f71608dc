#include "apiserver/security_validation.hpp"

#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

void check_id(Causes& causes, const std::string& field, const Value* id) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (id != nullptr && id->is_int() && (id->as_int() < 0 || id->as_int() > kMost)) {
        causes.push_back(invalid_value(field, *id, "must be between 0 and 2147483647, inclusive"));
    }
}

/// `named`: how messages name the mechanism.
void check_profile(
    Causes& causes, const std::string& path, const Value* profile, std::string_view named
) {
    if (profile == nullptr || !profile->is_object()) {
        return;
    }
    static const std::vector<std::string> kTypes{"Localhost", "RuntimeDefault", "Unconfined"};
    const std::string type(profile->string_at("type"));
    const Value* local = profile->find("localhostProfile");
    const std::string field = path + ".localhostProfile";
    if (type == "Localhost") {
        const std::string_view place = profile->string_at("localhostProfile");
        if (local == nullptr || place.empty()) {
            causes.push_back(
                required_value(field, fmt::format("must be set when {} type is Localhost", named))
            );
        } else if (place.starts_with('/')) {
            causes.push_back(invalid_value(field, place, "must be a relative path"));
        } else if (leads_upwards(place)) {
            causes.push_back(invalid_value(field, place, "must not contain '..'"));
        }
        return;
    }
    if (local != nullptr) {
        const Value shown = json::Object{{"Type", type}, {"LocalhostProfile", *local}};
        const auto detail = fmt::format("can only be set when {} type is Localhost", named);
        causes.push_back(invalid_value(field, shown, detail));
        // The API server prints the type before the rest.
        causes.back().message = fmt::format("Invalid value: {}: {}", json::print(shown), detail);
    }
    if (type.empty()) {
        causes.push_back(
            required_value(path + ".type", "type is required when seccompProfile is set")
        );
    } else if (std::ranges::find(kTypes, type) == kTypes.end()) {
        causes.push_back(unsupported_value(path + ".type", type, kTypes));
    }
}

/// The context as the API server prints its own form of it.
std::string print_context(const Value& context) {
    const auto shown = [&context](std::string_view name) { return member_or_null(context, name); };
    Value capabilities;
    if (const Value* said = context.find("capabilities")) {
        capabilities = json::Object{
            {"Add", member_or_null(*said, "add")}, {"Drop", member_or_null(*said, "drop")}
        };
    }
    const Value whole = json::Object{
        {"Capabilities", std::move(capabilities)},
        {"Privileged", shown("privileged")},
        {"SELinuxOptions", shown("seLinuxOptions")},
        {"WindowsOptions", shown("windowsOptions")},
        {"RunAsUser", shown("runAsUser")},
        {"RunAsGroup", shown("runAsGroup")},
        {"RunAsNonRoot", shown("runAsNonRoot")},
        {"ReadOnlyRootFilesystem", shown("readOnlyRootFilesystem")},
        {"AllowPrivilegeEscalation", shown("allowPrivilegeEscalation")},
        {"ProcMount", shown("procMount")},
        {"SeccompProfile", shown("seccompProfile")},
        {"AppArmorProfile", shown("appArmorProfile")},
    };
    return json::print(whole);
}

/// What gives more rights than a container may have that gains none.
void check_escalation(Causes& causes, const std::string& path, const Value& context) {
    const Value* allows = context.find("allowPrivilegeEscalation");
    if (allows == nullptr || *allows != Value(false)) {
        return;
    }
    const auto refuse = [&](std::string_view what) {
        const auto detail =
            fmt::format("cannot set `allowPrivilegeEscalation` to false and {}", what);
        causes.push_back(invalid_value(path, "", detail));
        causes.back().message =
            fmt::format("Invalid value: {}: {}", print_context(context), detail);
    };
    if (is_true(context, "privileged")) {
        refuse("`privileged` to true");
    }
    for (const Value& added : items_of(context.find_path({"capabilities", "add"}))) {
        if (added == Value("CAP_SYS_ADMIN")) {
            refuse("`capabilities.Add` CAP_SYS_ADMIN");
        }
    }
}

}  // namespace

void check_container_security(
    Causes& causes, const std::string& path, const Value& container, const Value& spec
) {
    const Value* context = container.find("securityContext");
    if (context == nullptr || !context->is_object()) {
        return;
    }
    const std::string field = path + ".securityContext";
    check_id(causes, field + ".runAsUser", context->find("runAsUser"));
    check_id(causes, field + ".runAsGroup", context->find("runAsGroup"));
    check_one_of(causes, field, *context, "procMount", {"Default", "Unmasked"});
    const Value* own_users = spec.find("hostUsers");
    if (context->string_at("procMount") == "Unmasked" &&
        (own_users == nullptr || *own_users != Value(false))) {
        causes.push_back(invalid_value(
            field + ".procMount", "Unmasked", "`hostUsers` must be false to use `Unmasked`"
        ));
    }
    check_profile(causes, field + ".seccompProfile", context->find("seccompProfile"), "seccomp");
    check_escalation(causes, field, *context);
    check_profile(causes, field + ".appArmorProfile", context->find("appArmorProfile"), "AppArmor");
}

void check_pod_security(Causes& causes, const std::string& path, const Value& spec) {
    const std::string field = path + ".securityContext";
    if (is_true(spec, "shareProcessNamespace") && is_true(spec, "hostPID")) {
        causes.push_back(invalid_value(
            field + ".shareProcessNamespace",
            Value(true),
            "ShareProcessNamespace and HostPID cannot both be enabled"
        ));
    }
    if (const Value* users = spec.find("hostUsers"); users != nullptr && *users == Value(false)) {
        for (const char* const name : {"hostNetwork", "hostPID", "hostIPC"}) {
            if (is_true(spec, name)) {
                causes.push_back(
                    forbidden(fmt::format("{}.{}", path, name), "when `hostUsers` is false")
                );
            }
        }
    }
    const Value* context = spec.find("securityContext");
    if (context == nullptr || !context->is_object()) {
        return;
    }
    for (const char* const name : {"fsGroup", "runAsUser", "runAsGroup"}) {
        check_id(causes, fmt::format("{}.{}", field, name), context->find(name));
    }
    const auto& groups = items_of(context->find("supplementalGroups"));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        check_id(causes, element_path(field + ".supplementalGroups", i), &groups[i]);
    }
    check_one_of(causes, field, *context, "fsGroupChangePolicy", {"Always", "OnRootMismatch"});
    check_profile(causes, field + ".seccompProfile", context->find("seccompProfile"), "seccomp");
    check_one_of(causes, field, *context, "supplementalGroupsPolicy", {"Merge", "Strict"});
    check_profile(causes, field + ".appArmorProfile", context->find("appArmorProfile"), "AppArmor");
}

}  // namespace sluice::apiserver
