#include "apiserver/storage_validation.hpp"

#include "api/quantity.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kImmutable = "field is immutable";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
/// Members of a volume's spec that say something else than where it is.
constexpr std::array<std::string_view, 9> kNoSources{
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
};

void check_access_modes(
    Causes& causes, const std::string& path, const Value& spec, std::string_view detail
) {
    static const std::vector<std::string> kModes{
        "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"
    };
    const auto& modes = items_of(spec.find("accessModes"));
    if (modes.empty()) {
        causes.push_back(required_value(path, detail));
    }
    bool has_one_pod = false;
    bool has_other = false;
    for (const Value& mode : modes) {
        const bool is_known =
            mode.is_string() && std::ranges::find(kModes, mode.as_string()) != kModes.end();
        if (!is_known) {
            causes.push_back(unsupported_value(path, mode, kModes));
        }
        has_one_pod |= mode == Value("ReadWriteOncePod");
        has_other |= is_known && !(mode == Value("ReadWriteOncePod"));
    }
    if (has_one_pod && has_other) {
        causes.push_back(forbidden(path, "may not use ReadWriteOncePod with other access modes"));
    }
}

std::optional<api::Quantity> amount_in(const Value* amount) {
    if (amount == nullptr || amount->is_null()) {
        return std::nullopt;
    }
    const auto read =
        api::Quantity::parse(amount->is_string() ? amount->as_string() : json::print(*amount));
    return read ? std::optional(*read) : std::nullopt;
}

/// A path on a node; it does not lead upwards.
void check_host_path(Causes& causes, std::string_view path) {
    if (path.empty()) {
        causes.push_back(required_value("spec.hostPath.path"));
    }
    if (leads_upwards(path)) {
        causes.push_back(invalid_value("spec.hostPath.path", path, "must not contain '..'"));
    }
}

/// It is there and more than nothing.
void check_storage_amount(Causes& causes, const std::string& path, const Value* amount) {
    const auto read = amount_in(amount);
    if (!read) {
        causes.push_back(required_value(path));
    } else if (read->sign() <= 0) {
        causes.push_back(invalid_value(path, *amount, "must be greater than zero"));
    }
}

void check_class_name(
    Causes& causes, const std::string& path, const Value& spec, std::string_view member
) {
    if (const std::string_view name = spec.string_at(member); !name.empty()) {
        check_subdomain(causes, fmt::format("{}.{}", path, member), name);
    }
}

/// What a claim is to be filled from.
void check_data_source(Causes& causes, const std::string& path, const Value* source) {
    if (source == nullptr || !source->is_object()) {
        return;
    }
    for (const char* const name : {"name", "kind"}) {
        if (source->string_at(name).empty()) {
            causes.push_back(required_value(fmt::format("{}.{}", path, name)));
        }
    }
    const std::string_view kind = source->string_at("kind");
    if (source->string_at("apiGroup").empty() && kind != "PersistentVolumeClaim") {
        causes.push_back(invalid_value(
            path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        ));
    }
}

void check_same(
    Causes& causes, const Value& object, const Value& old_object, std::string_view name
) {
    const Value& now = member_or_null(object, name);
    if (!(now == member_or_null(old_object, name))) {
        causes.push_back(invalid_value(std::string(name), now, kImmutable));
    }
}

}  // namespace

void check_claim_spec(Causes& causes, const std::string& path, const Value& spec) {
    check_access_modes(causes, path + ".accessModes", spec, "at least 1 access mode is required");
    check_label_selector(causes, path + ".selector", spec.find("selector"));
    check_storage_amount(
        causes, path + ".resources[storage]", spec.find_path({"resources", "requests", "storage"})
    );
    check_class_name(causes, path, spec, "storageClassName");
    check_one_of(causes, path, spec, "volumeMode", {"Block", "Filesystem"});
    check_data_source(causes, path + ".dataSource", spec.find("dataSource"));
    check_data_source(causes, path + ".dataSourceRef", spec.find("dataSourceRef"));
    check_class_name(causes, path, spec, "volumeAttributesClassName");
}

void check_volume_claim(Causes& causes, const Value& claim) {
    check_claim_spec(causes, "spec", member_or_null(claim, "spec"));
}

void check_volume_claim_update(Causes& causes, const Value& claim, const Value& old_claim) {
    Value spec = member_or_null(claim, "spec");
    Value old_spec = member_or_null(old_claim, "spec");
    if (!spec.is_object() || !old_spec.is_object()) {
        return;
    }
    // A volume is chosen once; a claim that has one may ask for more, or for another class of it.
    if (old_spec.string_at("volumeName").empty()) {
        spec.erase("volumeName");
        old_spec.erase("volumeName");
    }
    // A claim without a class may be given one, the one that its annotation says.
    const std::string_view said = text_at(old_claim, {"metadata", "annotations", kClassAnnotation});
    const bool may_have_class = old_spec.find("storageClassName") == nullptr &&
                                (said.empty() || said == spec.string_at("storageClassName"));
    if (may_have_class) {
        spec.erase("storageClassName");
    }
    const bool is_bound = text_at(claim, {"status", "phase"}) == "Bound";
    const Value* requested = spec.find_path({"resources", "requests", "storage"});
    const auto amount = amount_in(requested);
    const auto old_amount = amount_in(old_spec.find_path({"resources", "requests", "storage"}));
    const auto capacity = amount_in(old_claim.find_path({"status", "capacity", "storage"}));
    const bool shrinks = amount && old_amount && *amount < *old_amount;
    if (is_bound) {
        for (Value* each : {&spec, &old_spec}) {
            each->erase("volumeAttributesClassName");
            if (Value* resources = each->find("resources");
                resources != nullptr && resources->is_object()) {
                if (Value* requests = resources->find("requests");
                    requests != nullptr && requests->is_object()) {
                    requests->erase("storage");
                }
            }
        }
    }
    if (!(spec == old_spec)) {
        causes.push_back(forbidden(
            "spec",
            "spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims"
        ));
    }
    if (shrinks && *amount <= capacity.value_or(api::Quantity())) {
        causes.push_back(forbidden(
            "spec.resources.requests.storage", "field can not be less than status.capacity"
        ));
    }
}

void check_volume(Causes& causes, const Value& volume) {
    const Value& spec = member_or_null(volume, "spec");
    check_access_modes(causes, "spec.accessModes", spec, "");
    const auto& capacity = members_of(spec.find("capacity"));
    if (capacity.empty()) {
        causes.push_back(required_value("spec.capacity"));
    }
    const Value* storage = spec.find_path({"capacity", "storage"});
    if (storage == nullptr || capacity.size() > 1) {
        causes.push_back(unsupported_value("spec.capacity", Value(capacity), {"storage"}));
    }
    for (const auto& [name, amount] : capacity) {
        check_storage_amount(causes, fmt::format("spec.capacity[{}]", name), &amount);
    }
    std::size_t sources = 0;
    for (const auto& [name, value] : members_of(&spec)) {
        const bool is_source = std::ranges::find(kNoSources, name) == kNoSources.end();
        if (is_source && !value.is_null() && ++sources > 1) {
            causes.push_back(forbidden("spec." + name, "may not specify more than 1 volume type"));
        }
    }
    if (sources == 0) {
        causes.push_back(required_value("spec", "must specify a volume type"));
    }
    if (const Value* host = spec.find("hostPath"); host != nullptr && host->is_object()) {
        check_host_path(causes, host->string_at("path"));
    }
    check_one_of(
        causes, "spec", spec, "persistentVolumeReclaimPolicy", {"Delete", "Recycle", "Retain"}
    );
    check_class_name(causes, "spec", spec, "storageClassName");
    check_one_of(causes, "spec", spec, "volumeMode", {"Block", "Filesystem"});
}

void check_volume_update(Causes& causes, const Value& volume, const Value& old_volume) {
    Value source = member_or_null(volume, "spec");
    Value old_source = member_or_null(old_volume, "spec");
    if (!source.is_object() || !old_source.is_object()) {
        return;
    }
    for (const std::string_view name : kNoSources) {
        source.erase(name);
        old_source.erase(name);
    }
    if (!(source == old_source)) {
        causes.push_back(forbidden(
            "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"
        ));
    }
    check_same(
        causes, member_or_null(volume, "spec"), member_or_null(old_volume, "spec"), "volumeMode"
    );
}

void check_storage_class(Causes& causes, const Value& storage_class) {
    std::string provisioner(storage_class.string_at("provisioner"));
    if (provisioner.empty()) {
        causes.push_back(required_value("provisioner"));
    } else {
        for (char& c : provisioner) {
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        check_qualified_name(causes, "provisioner", provisioner);
    }
    for (const auto& [name, parameter] : members_of(storage_class.find("parameters"))) {
        if (name.empty()) {
            causes.push_back(invalid_value("parameters", name, "field can not be empty."));
        }
    }
    for (const auto& [name, modes] :
         {std::pair<std::string_view, std::vector<std::string>>{
              "reclaimPolicy", {"Delete", "Retain"}
          },
          {"volumeBindingMode", {"Immediate", "WaitForFirstConsumer"}}}) {
        const std::string_view said = storage_class.string_at(name);
        if (!said.empty() && std::ranges::find(modes, said) == modes.end()) {
            causes.push_back(unsupported_value(std::string(name), said, modes));
        }
    }
}

void check_storage_class_update(
    Causes& causes, const Value& storage_class, const Value& old_storage_class
) {
    for (const char* const name :
         {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
        check_same(causes, storage_class, old_storage_class, name);
    }
}

}  // namespace sluice::apiserver
