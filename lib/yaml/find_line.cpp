#include "yaml/find_line.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace sluice::yaml {
namespace {

/// Removes the first step from the path and returns it.
std::string take_step(std::string_view& path) {
    std::string step;
    if (path.front() == '[') {
        const std::size_t end = std::min(path.find(']'), path.size());
        step = path.substr(1, end - 1);
        path.remove_prefix(std::min(end + 1, path.size()));
    } else {
        const std::size_t end = std::min(path.find_first_of(".["), path.size());
        step = path.substr(0, end);
        path.remove_prefix(end);
    }
    if (path.starts_with('.')) {
        path.remove_prefix(1);
    }
    return step;
}

/// A node, and the line of its key or, in a list, of the node itself.
struct Found {
    YAML::Node node;
    int line = 0;
};

std::optional<Found> find_in_list(const YAML::Node& list, const std::string& name) {
    std::size_t place = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), place);
    const bool is_place = read.ec == std::errc() && read.ptr == name.data() + name.size();
    std::size_t at = 0;
    for (const YAML::Node& item : list) {
        if (is_place ? at == place : item.IsScalar() && item.Scalar() == name) {
            return Found{.node = item, .line = item.Mark().line};
        }
        ++at;
    }
    return std::nullopt;
}

std::optional<Found> find_in_map(const YAML::Node& map, const std::string& name) {
    for (const auto& member : map) {
        if (member.first.IsScalar() && member.first.Scalar() == name) {
            return Found{.node = member.second, .line = member.first.Mark().line};
        }
    }
    return std::nullopt;
}

}  // namespace

std::size_t find_line(std::string_view text, std::string_view path) {
    int line = 0;
    try {
        YAML::Node node = YAML::Load(std::string(text));
        line = std::max(node.Mark().line, 0);
        while (!path.empty()) {
            const std::string step = take_step(path);
            std::optional<Found> found;
            if (node.IsSequence()) {
                found = find_in_list(node, step);
            } else if (node.IsMap()) {
                found = find_in_map(node, step);
            }
            if (!found) {
                break;
            }
            line = found->line;
            node.reset(found->node);
        }
    } catch (const YAML::Exception&) {
        // parse_document() also accepts JSON that yaml-cpp cannot read: return the last line that
        // was found.
        return static_cast<std::size_t>(line) + 1;
    }
    return static_cast<std::size_t>(line) + 1;
}

}  // namespace sluice::yaml
