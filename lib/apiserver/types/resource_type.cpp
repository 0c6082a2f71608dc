#include "apiserver/types/resource_type.hpp"

#include "apiserver/types/builtin_types.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace sluice::apiserver {

namespace {

/// Returns the stability (2: v1, 1: beta, 0: alpha, -1: any other form), the major and the minor
/// number of a version.
std::tuple<int, int, int> rank(std::string_view version) {
    const auto number = [&version](std::string_view prefix) {
        int value = 0;
        if (!version.starts_with(prefix)) {
            return -1;
        }
        const char* begin = version.data() + prefix.size();
        const auto [end, error] = std::from_chars(begin, version.data() + version.size(), value);
        version.remove_prefix(static_cast<std::size_t>(end - version.data()));
        return error == std::errc() ? value : -1;
    };
    const int major = number("v");
    if (major < 0) {
        return {-1, 0, 0};
    }
    if (version.empty()) {
        return {2, major, 0};
    }
    if (const int minor = number("beta"); minor >= 0) {
        return {1, major, minor};
    }
    if (const int minor = number("alpha"); minor >= 0) {
        return {0, major, minor};
    }
    return {-1, 0, 0};
}

}  // namespace

bool is_preferred(std::string_view a, std::string_view b) {
    const auto rank_a = rank(a);
    const auto rank_b = rank(b);
    return rank_a != rank_b ? rank_a > rank_b : a < b;
}

ResourceTable::ResourceTable() {
    for (ResourceType& type : builtin_types()) {
        add(std::move(type));
    }
}

void ResourceTable::add(ResourceType type) {
    auto& versions = types_[{type.group, type.plural}];
    std::erase_if(versions, [&type](const TypePointer& old) {
        return old->version == type.version;
    });
    versions.push_back(std::make_shared<const ResourceType>(std::move(type)));
    std::ranges::sort(versions, [](const TypePointer& a, const TypePointer& b) {
        return is_preferred(a->version, b->version);
    });
}

void ResourceTable::remove(std::string_view group, std::string_view plural) {
    types_.erase({std::string(group), std::string(plural)});
}

ResourceTable::TypePointer ResourceTable::find(
    std::string_view group, std::string_view version, std::string_view plural
) const {
    const auto found = types_.find({std::string(group), std::string(plural)});
    if (found != types_.end()) {
        for (const TypePointer& type : found->second) {
            if (type->version == version) {
                return type;
            }
        }
    }
    return nullptr;
}

ResourceTable::TypePointer ResourceTable::find_kind(
    std::string_view group, std::string_view version, std::string_view kind
) const {
    for (const auto& [key, versions] : types_) {
        for (const TypePointer& type : versions) {
            if (type->group == group && type->version == version && type->kind == kind) {
                return type;
            }
        }
    }
    return nullptr;
}

ResourceTable::TypePointer ResourceTable::find_stored(
    std::string_view group, std::string_view plural
) const {
    const auto found = types_.find({std::string(group), std::string(plural)});
    if (found != types_.end()) {
        for (const TypePointer& type : found->second) {
            if (type->is_storage_version) {
                return type;
            }
        }
    }
    return nullptr;
}

std::vector<ResourceTable::TypePointer> ResourceTable::equivalents(const ResourceType& type) const {
    std::vector<TypePointer> found;
    const auto add_versions = [&](const std::string& group) {
        if (const auto versions = types_.find({group, type.plural}); versions != types_.end()) {
            found.insert(found.end(), versions->second.begin(), versions->second.end());
        }
    };
    if (type.kind == "Event" && !type.is_custom) {
        add_versions("");
        add_versions("events.k8s.io");
    } else {
        add_versions(type.group);
    }
    std::ranges::stable_sort(found, {}, [](const TypePointer& each) { return each->place; });
    return found;
}

std::vector<ResourceTable::TypePointer> ResourceTable::all() const {
    std::vector<TypePointer> types;
    for (const auto& [key, versions] : types_) {
        types.insert(types.end(), versions.begin(), versions.end());
    }
    std::ranges::stable_sort(types, {}, [](const TypePointer& type) {
        return std::tuple(type->group, type->version);
    });
    return types;
}

std::vector<std::string> ResourceTable::versions(std::string_view group) const {
    std::vector<std::string> versions;
    for (const auto& [key, types] : types_) {
        for (const TypePointer& type : types) {
            const bool is_known = std::ranges::find(versions, type->version) != versions.end();
            if (type->group == group && !is_known) {
                versions.push_back(type->version);
            }
        }
    }
    std::ranges::sort(versions, is_preferred);
    return versions;
}

}  // namespace sluice::apiserver
