#include "engine/state/snapshot.hpp"

#include "engine/names/archive.hpp"

#include <cstdint>
#include <utility>

namespace sluice::engine {
namespace {

/// The first bytes of every saved state. The number changes with the members of the state, and
/// with IndexHash: the order of its slots is saved.
constexpr std::string_view kFormat = "sluice engine state 5\n";

std::uint64_t checksum_of(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return hash;
}

}  // namespace

std::string save(const State& state) {
    ArchiveWriter content;
    content(state.options(), state);
    ArchiveWriter header;
    header(checksum_of(content.bytes()));
    return std::string(kFormat) + header.bytes() + content.bytes();
}

std::optional<State> load(std::string_view bytes) {
    std::uint64_t checksum = 0;
    if (!bytes.starts_with(kFormat) || bytes.size() < kFormat.size() + sizeof(checksum)) {
        return std::nullopt;
    }
    bytes.remove_prefix(kFormat.size());
    ArchiveReader header(bytes.substr(0, sizeof(checksum)));
    header(checksum);
    bytes.remove_prefix(sizeof(checksum));
    if (checksum_of(bytes) != checksum) {
        return std::nullopt;
    }
    ArchiveReader content(bytes);
    Options options;
    content(options);
    State made(std::move(options));
    content(made);
    if (!content.is_sound() || !content.is_at_end()) {
        return std::nullopt;
    }
    return made;
}

}  // namespace sluice::engine
