#include "controller/reconcile/workload_name.hpp"

#include "base/sha1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sluice::controller {

std::string workload_name(
    std::string_view kind,
    std::string_view group,
    std::string_view owner,
    std::string_view uid,
    std::size_t limit,
    std::string_view part
) {
    std::string name(kind);
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    name += fmt::format("-{}", owner);
    constexpr std::size_t kHashLength = 5;
    name.resize(std::min(name.size(), limit - kHashLength - 1));
    std::string hashed = fmt::format("{}\n{}\n{}\n{}", kind, group, owner, uid);
    if (!part.empty()) {
        hashed += fmt::format("\n{}", part);
    }
    const std::string hash = sha1_hex(hashed);
    return fmt::format("{}-{}", name, std::string_view(hash).substr(0, kHashLength));
}

}  // namespace sluice::controller
