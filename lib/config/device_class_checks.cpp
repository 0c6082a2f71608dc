#include "api/meta/names.hpp"
#include "config/checks.hpp"
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

void check_key(const Checking& at, std::string_view key) {
    if (api::check_qualified_name(key)) {
        at.add(fmt::format("\"{}\" is not a valid label key", key));
    }
    if (key.size() > kNameMax) {
        at.add(fmt::format("must not exceed {} characters", kNameMax));
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

void check_device(const Checking& at, const DeviceSource& source) {
    if (source.driver.empty()) {
        at.inside("driver").add("must be specified");
    } else if (source.driver.size() > kDriverMax || api::check_dns1123_subdomain(source.driver)) {
        at.inside("driver").add(
            fmt::format("\"{}\" is not a DNS-1123 subdomain of at most 63", source.driver)
        );
    }
    if (source.expression.empty()) {
        at.inside("deviceSelector.cel.expression").add("must be specified");
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

void check_source(const Checking& at, const DeviceClassSource& source) {
    if (source.counter.has_value() == source.capacity.has_value()) {
        at.add("exactly one of counter and capacity must be set");
        return;
    }
    if (source.counter) {
        const auto counter = at.inside("counter");
        if (!at.gates.is_enabled(Feature::KueueDRAIntegrationPartitionableDevices)) {
            counter.add("requires gate KueueDRAIntegrationPartitionableDevices");
            return;
        }
        if (api::check_dns1123_label(source.counter->name)) {
            counter.inside("name").add(
                fmt::format("\"{}\" is not a DNS-1123 label", source.counter->name)
            );
        }
        check_device(counter, *source.counter);
        return;
    }
    const auto capacity = at.inside("capacity");
    if (!at.gates.is_enabled(Feature::KueueDRAIntegrationConsumableCapacity)) {
        capacity.add("requires gate KueueDRAIntegrationConsumableCapacity");
        return;
    }
    if (!is_qualified_name(source.capacity->name)) {
        capacity.inside("name").add(
            fmt::format("\"{}\" is not a qualified name", source.capacity->name)
        );
    }
    check_device(capacity, *source.capacity);
}

void check_sources(const Checking& at, const DeviceClassMapping& mapping) {
    bool has_counter = false;
    bool has_capacity = false;
    for (std::size_t i = 0; i < mapping.sources.size(); ++i) {
        const auto& source = mapping.sources[i];
        check_source(at.item(i), source);
        has_counter = has_counter || (source.counter && !source.capacity);
        has_capacity = has_capacity || (source.capacity && !source.counter);
    }
    if (has_counter && has_capacity) {
        at.add("cannot mix counter and capacity sources in the same mapping");
    }
}

void check_classes(
    const Checking& at, const DeviceClassMapping& mapping, std::map<std::string_view, Use>& uses
) {
    const auto counter = counter_of(mapping);
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < mapping.device_class_names.size(); ++i) {
        const std::string_view name = mapping.device_class_names[i];
        const auto item = at.item(i);
        check_key(item, name);
        if (!seen.insert(name).second) {
            item.add(fmt::format("\"{}\" is there twice", name));
        }
        const auto [use, is_new] =
            uses.try_emplace(name, Use{.resource = mapping.name, .counters = {}});
        auto& [resource, counters] = use->second;
        if (!is_new && resource == mapping.name) {
            continue;
        }
        if (!is_new && (counter.empty() || counters.empty())) {
            item.add(fmt::format("device class already mapped to resource {}", resource));
        } else if (!is_new && counters.contains(counter)) {
            item.add(fmt::format("device class already has a source for \"{}\"", counter));
        } else if (!counter.empty()) {
            counters.insert(counter);
        }
    }
}

}  // namespace

void check_device_class_mappings(
    const Checking& at, const std::vector<DeviceClassMapping>& mappings
) {
    if (mappings.size() > kMappingsMax) {
        at.add(fmt::format("at most {} mappings are allowed", kMappingsMax));
    }
    std::set<std::string_view> names;
    std::map<std::string_view, Use> uses;
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        const auto& mapping = mappings[i];
        const auto item = at.item(i);
        const auto named = item.inside("name");
        const auto classes = item.inside("deviceClassNames");
        check_key(named, mapping.name);
        if (!names.insert(mapping.name).second) {
            named.add(fmt::format("\"{}\" is there twice", mapping.name));
        }
        const auto count = mapping.device_class_names.size();
        if (count == 0 || count > kClassesMax) {
            classes.add(fmt::format("must name 1 to {} device classes", kClassesMax));
        }
        check_classes(classes, mapping, uses);
        check_sources(item.inside("sources"), mapping);
    }
}

}  // namespace sluice::config
