#include "config/device_class_validation.hpp"

#include "api/meta/names.hpp"
#include "config/name_rules.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice::config {
namespace {

constexpr std::size_t kMappingsMax = 16;
constexpr std::size_t kClassesMax = 8;
constexpr std::size_t kNameMax = 253;
constexpr std::size_t kDriverMax = 63;
constexpr std::size_t kIdentifierMax = 32;

/// The resource and the counters that earlier mappings use for a device class.
struct Use {
    std::string_view resource;
    std::set<std::string_view> counters;
};

void check_key(Problems& out, const std::string& path, std::string_view key) {
    if (api::check_qualified_name(key)) {
        out.add(path, fmt::format("\"{}\" is not a valid label key", key));
    }
    if (key.size() > kNameMax) {
        out.add(path, fmt::format("must not exceed {} characters", kNameMax));
    }
}

/// Returns the counter of the first source, the only one that distinguishes two mappings of one
/// class.
std::string_view counter_of(const DeviceClassMapping& mapping) {
    if (mapping.sources.empty()) {
        return {};
    }
    const auto& counter = mapping.sources.front().counter;
    return counter ? std::string_view(counter->name) : std::string_view();
}

void check_device(Problems& out, const std::string& path, const DeviceSource& source) {
    if (source.driver.empty()) {
        out.add(path + ".driver", "must be specified");
    } else if (source.driver.size() > kDriverMax || api::check_dns1123_subdomain(source.driver)) {
        out.add(
            path + ".driver",
            fmt::format("\"{}\" is not a DNS-1123 subdomain of at most 63", source.driver)
        );
    }
    if (source.expression.empty()) {
        out.add(path + ".deviceSelector.cel.expression", "must be specified");
    }
}

/// Returns true for an identifier, or a domain, '/' and an identifier.
bool is_qualified_name(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return text.size() <= kIdentifierMax && is_c_identifier(text);
    }
    const auto name = text.substr(slash + 1);
    return slash <= kDriverMax && !api::check_dns1123_subdomain(text.substr(0, slash)) &&
           name.size() <= kIdentifierMax && is_c_identifier(name);
}

void check_source(
    Problems& out,
    const std::string& path,
    const DeviceClassSource& source,
    const FeatureGates& gates
) {
    if (source.counter.has_value() == source.capacity.has_value()) {
        out.add(path, "exactly one of counter and capacity must be set");
        return;
    }
    if (source.counter) {
        if (!gates.is_enabled(Feature::KueueDRAIntegrationPartitionableDevices)) {
            out.add(path + ".counter", "requires gate KueueDRAIntegrationPartitionableDevices");
            return;
        }
        if (api::check_dns1123_label(source.counter->name)) {
            out.add(
                path + ".counter.name",
                fmt::format("\"{}\" is not a DNS-1123 label", source.counter->name)
            );
        }
        check_device(out, path + ".counter", *source.counter);
        return;
    }
    if (!gates.is_enabled(Feature::KueueDRAIntegrationConsumableCapacity)) {
        out.add(path + ".capacity", "requires gate KueueDRAIntegrationConsumableCapacity");
        return;
    }
    if (!is_qualified_name(source.capacity->name)) {
        out.add(
            path + ".capacity.name",
            fmt::format("\"{}\" is not a qualified name", source.capacity->name)
        );
    }
    check_device(out, path + ".capacity", *source.capacity);
}

void check_sources(
    Problems& out,
    const std::string& path,
    const DeviceClassMapping& mapping,
    const FeatureGates& gates
) {
    bool has_counter = false;
    bool has_capacity = false;
    for (std::size_t i = 0; i < mapping.sources.size(); ++i) {
        const auto& source = mapping.sources[i];
        check_source(out, fmt::format("{}[{}]", path, i), source, gates);
        has_counter = has_counter || (source.counter && !source.capacity);
        has_capacity = has_capacity || (source.capacity && !source.counter);
    }
    if (has_counter && has_capacity) {
        out.add(path, "cannot mix counter and capacity sources in the same mapping");
    }
}

void check_classes(
    Problems& out,
    const std::string& path,
    const DeviceClassMapping& mapping,
    std::map<std::string_view, Use>& uses
) {
    const auto counter = counter_of(mapping);
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < mapping.device_class_names.size(); ++i) {
        const std::string_view name = mapping.device_class_names[i];
        const auto item = fmt::format("{}[{}]", path, i);
        check_key(out, item, name);
        if (!seen.insert(name).second) {
            out.add(item, fmt::format("\"{}\" is there twice", name));
        }
        const auto [use, is_new] =
            uses.try_emplace(name, Use{.resource = mapping.name, .counters = {}});
        auto& [resource, counters] = use->second;
        if (!is_new && resource == mapping.name) {
            continue;
        }
        if (!is_new && (counter.empty() || counters.empty())) {
            out.add(item, fmt::format("device class already mapped to resource {}", resource));
        } else if (!is_new && counters.contains(counter)) {
            out.add(item, fmt::format("device class already has a source for \"{}\"", counter));
        } else if (!counter.empty()) {
            counters.insert(counter);
        }
    }
}

}  // namespace

void check_device_class_mappings(
    Problems& out, const std::vector<DeviceClassMapping>& mappings, const FeatureGates& gates
) {
    const std::string all = "resources.deviceClassMappings";
    if (mappings.size() > kMappingsMax) {
        out.add(all, fmt::format("at most {} mappings are allowed", kMappingsMax));
    }
    std::set<std::string_view> names;
    std::map<std::string_view, Use> uses;
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        const auto& mapping = mappings[i];
        const auto path = fmt::format("{}[{}]", all, i);
        check_key(out, path + ".name", mapping.name);
        if (!names.insert(mapping.name).second) {
            out.add(path + ".name", fmt::format("\"{}\" is there twice", mapping.name));
        }
        const auto count = mapping.device_class_names.size();
        if (count == 0 || count > kClassesMax) {
            out.add(
                path + ".deviceClassNames",
                fmt::format("must name 1 to {} device classes", kClassesMax)
            );
        }
        check_classes(out, path + ".deviceClassNames", mapping, uses);
        check_sources(out, path + ".sources", mapping, gates);
    }
}

}  // namespace sluice::config
