#include "apiserver/pod_volume_validation.hpp"

#include "api/quantity.hpp"
#include "apiserver/environment_validation.hpp"
#include "apiserver/storage_validation.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::int64_t kModeMost = 0777;
constexpr std::int64_t kTokenSecondsLeast = 600;

void check_present(
    Causes& causes, const std::string& path, const Value& object, std::string_view name
) {
    if (object.string_at(name).empty()) {
        causes.push_back(required_value(fmt::format("{}.{}", path, name)));
    }
}

void check_mode(
    Causes& causes, const std::string& path, const Value& object, std::string_view name
) {
    const Value* mode = object.find(name);
    if (mode != nullptr && mode->is_int() && (mode->as_int() < 0 || mode->as_int() > kModeMost)) {
        causes.push_back(invalid_value(
            fmt::format("{}.{}", path, name),
            *mode,
            "must be a number between 0 and 0777 (octal), both inclusive"
        ));
    }
}

/// A path within the volume.
void check_inner_path(Causes& causes, const std::string& field, std::string_view path) {
    if (path.empty()) {
        causes.push_back(required_value(field));
        return;
    }
    if (path.starts_with('/')) {
        causes.push_back(invalid_value(field, path, "must be a relative path"));
    }
    if (leads_upwards(path)) {
        causes.push_back(invalid_value(field, path, "must not contain '..'"));
    } else if (path.starts_with("..")) {
        causes.push_back(invalid_value(field, path, "must not start with '..'"));
    }
}

/// Which keys of a ConfigMap or Secret are there, and where.
void check_key_paths(Causes& causes, const std::string& path, const Value& source) {
    const auto& items = items_of(source.find("items"));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = element_path(path + ".items", i);
        check_present(causes, item, items[i], "key");
        check_inner_path(causes, item + ".path", items[i].string_at("path"));
        check_mode(causes, item, items[i], "mode");
    }
}

void check_empty_dir(Causes& causes, const std::string& path, const Value& source) {
    const Value* limit = source.find("sizeLimit");
    if (limit == nullptr) {
        return;
    }
    const auto amount =
        api::Quantity::parse(limit->is_string() ? limit->as_string() : json::print(*limit));
    if (amount && amount->sign() < 0) {
        causes.push_back(
            forbidden(path + ".sizeLimit", "SizeLimit field must be a valid resource quantity")
        );
    }
}

void check_host_path_source(Causes& causes, const std::string& path, const Value& source) {
    const std::string_view place = source.string_at("path");
    if (place.empty()) {
        causes.push_back(required_value(path + ".path"));
    } else if (leads_upwards(place)) {
        causes.push_back(invalid_value(path + ".path", place, "must not contain '..'"));
    }
    check_one_of(
        causes,
        path,
        source,
        "type",
        {"",
         "BlockDevice",
         "CharDevice",
         "Directory",
         "DirectoryOrCreate",
         "File",
         "FileOrCreate",
         "Socket"}
    );
}

void check_nfs(Causes& causes, const std::string& path, const Value& source) {
    check_present(causes, path, source, "server");
    check_present(causes, path, source, "path");
    const std::string_view place = source.string_at("path");
    if (!place.starts_with('/')) {
        causes.push_back(invalid_value(path + ".path", place, "must be an absolute path"));
    }
}

void check_secret_source(Causes& causes, const std::string& path, const Value& source) {
    check_present(causes, path, source, "secretName");
    check_mode(causes, path, source, "defaultMode");
    check_key_paths(causes, path, source);
}

void check_config_map_source(Causes& causes, const std::string& path, const Value& source) {
    check_present(causes, path, source, "name");
    check_mode(causes, path, source, "defaultMode");
    check_key_paths(causes, path, source);
}

void check_downward_api(Causes& causes, const std::string& path, const Value& source) {
    check_mode(causes, path, source, "defaultMode");
    for (const Value& item : items_of(source.find("items"))) {
        check_inner_path(causes, path + ".path", item.string_at("path"));
        check_mode(causes, path, item, "mode");
        const Value* field = item.find("fieldRef");
        const Value* resource = item.find("resourceFieldRef");
        if (field != nullptr) {
            check_field_reference(causes, path + ".fieldRef", *field, FieldUse::Volume);
            if (resource != nullptr) {
                causes.push_back(invalid_value(
                    path,
                    "resource",
                    "fieldRef and resourceFieldRef can not be specified simultaneously"
                ));
            }
        } else if (resource != nullptr) {
            check_resource_reference(
                causes, path + ".resourceFieldRef", *resource, FieldUse::Volume
            );
        } else {
            causes.push_back(
                required_value(path, "one of fieldRef and resourceFieldRef is required")
            );
        }
    }
}

void check_claim_source(Causes& causes, const std::string& path, const Value& source) {
    check_present(causes, path, source, "claimName");
}

void check_driver_source(Causes& causes, const std::string& path, const Value& source) {
    check_present(causes, path, source, "driver");
}

/// A template may leave its image to others.
void check_image_source(Causes& causes, const std::string& path, const Value& source) {
    if (path.starts_with("spec.volumes[")) {
        check_present(causes, path, source, "reference");
    }
}

void check_ephemeral(Causes& causes, const std::string& path, const Value& source) {
    const Value* claim = source.find("volumeClaimTemplate");
    if (claim == nullptr || !claim->is_object()) {
        causes.push_back(required_value(path + ".volumeClaimTemplate"));
        return;
    }
    check_claim_spec(causes, path + ".volumeClaimTemplate.spec", member_or_null(*claim, "spec"));
}

void check_token_source(
    Causes& causes, const std::string& path, const std::string& whole, const Value& source
) {
    const Value* seconds = source.find("expirationSeconds");
    if (seconds != nullptr && seconds->is_int() && seconds->as_int() < kTokenSecondsLeast) {
        causes.push_back(invalid_value(
            path + ".expirationSeconds", *seconds, "may not specify a duration less than 10 minutes"
        ));
    }
    // The API server names the whole volume here.
    check_present(causes, whole, source, "path");
}

void check_projected(Causes& causes, const std::string& path, const Value& source) {
    check_mode(causes, path, source, "defaultMode");
    const auto& sources = items_of(source.find("sources"));
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string here = element_path(path + ".sources", i);
        std::size_t count = 0;
        for (const auto& [name, part] : members_of(&sources[i])) {
            if (part.is_null()) {
                continue;
            }
            const std::string of_part = fmt::format("{}.{}", here, name);
            if (++count > 1) {
                causes.push_back(
                    forbidden(here, "may not specify more than 1 volume type per source")
                );
            } else if (name == "secret" || name == "configMap") {
                check_present(causes, of_part, part, "name");
                check_key_paths(causes, of_part, part);
            } else if (name == "downwardAPI") {
                check_downward_api(causes, of_part, part);
            } else if (name == "serviceAccountToken") {
                check_token_source(causes, of_part, path, part);
            }
        }
    }
}

using CheckSource = void (*)(Causes& causes, const std::string& path, const Value& source);

struct SourceCheck {
    std::string_view name;
    CheckSource check;
};
/// In the order in which the API server looks at them.
constexpr SourceCheck kSources[] = {
    {"emptyDir", check_empty_dir},
    {"hostPath", check_host_path_source},
    {"secret", check_secret_source},
    {"nfs", check_nfs},
    {"configMap", check_config_map_source},
    {"downwardAPI", check_downward_api},
    {"persistentVolumeClaim", check_claim_source},
    {"projected", check_projected},
    {"csi", check_driver_source},
    {"ephemeral", check_ephemeral},
    {"image", check_image_source},
    // Of these nothing is checked.
    {"awsElasticBlockStore", nullptr},
    {"azureDisk", nullptr},
    {"azureFile", nullptr},
    {"cephfs", nullptr},
    {"cinder", nullptr},
    {"fc", nullptr},
    {"flexVolume", nullptr},
    {"flocker", nullptr},
    {"gcePersistentDisk", nullptr},
    {"gitRepo", nullptr},
    {"glusterfs", nullptr},
    {"iscsi", nullptr},
    {"photonPersistentDisk", nullptr},
    {"portworxVolume", nullptr},
    {"quobyte", nullptr},
    {"rbd", nullptr},
    {"scaleIO", nullptr},
    {"storageos", nullptr},
    {"vsphereVolume", nullptr},
};

void check_source_of(Causes& causes, const std::string& path, const Value& volume) {
    std::size_t count = 0;
    for (const auto& [name, check] : kSources) {
        const Value* source = volume.find(name);
        if (source == nullptr || !source->is_object()) {
            continue;
        }
        const std::string field = fmt::format("{}.{}", path, name);
        if (++count > 1) {
            causes.push_back(forbidden(field, "may not specify more than 1 volume type"));
        } else if (check != nullptr) {
            check(causes, field, *source);
        }
    }
}

}  // namespace

void check_pod_volumes(Causes& causes, const std::string& path, const Value* volumes) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < items_of(volumes).size(); ++i) {
        const Value& volume = items_of(volumes)[i];
        const std::string name(volume.string_at("name"));
        const std::string here = element_path(path, i);
        check_source_of(causes, here, volume);
        if (name.empty()) {
            causes.push_back(required_value(here + ".name"));
            continue;
        }
        check_label(causes, here + ".name", name);
        if (!names.insert(name).second) {
            causes.push_back(duplicate_value(here + ".name", name));
        }
    }
}

}  // namespace sluice::apiserver
