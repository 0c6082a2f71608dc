// Splits the name of a kind in a configuration, such as `Job.v1.batch`.
#pragma once

#include <string_view>

namespace sluice::config {

/// The parts of `Kind.version.group`, as configurations name kinds. The group is empty for the core
/// group. *Lifetime*: refers to the text.
struct KindArgument {
    std::string_view kind;
    std::string_view version;
    std::string_view group;
};

/// Splits the text. Requires: the text has a version. Example: RayJob.v1.ray.io
constexpr KindArgument split_kind_argument(std::string_view text) {
    const std::size_t kind_end = text.find('.');
    const std::size_t version_end = text.find('.', kind_end + 1);
    const bool has_group = version_end != std::string_view::npos;
    return {
        .kind = text.substr(0, kind_end),
        .version = text.substr(
            kind_end + 1, has_group ? version_end - kind_end - 1 : std::string_view::npos
        ),
        .group = has_group ? text.substr(version_end + 1) : std::string_view(),
    };
}

}  // namespace sluice::config
