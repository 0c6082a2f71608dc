// All objects of a server at one moment, printed to a text with a checksum and parsed back.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// All objects of a server at one moment. The image shares them with the store and they never
/// change: an image is cheap to take, and another thread may print it.
struct StoreImage {
    struct Entry {
        Collection collection;
        ObjectName name;
        Snapshot object;
    };
    std::int64_t version = 0;
    std::vector<Entry> entries;  ///< CustomResourceDefinitions first
};

/// Returns an image of all objects of the store.
StoreImage take_image(const Store& store);

/// Prints the image as lines of JSON with a checksum at the end.
std::string print_image(const StoreImage& image);
/// Parses a printed image. Errors: Invalid for a text that is not an image, is in another format or
/// is truncated.
Result<StoreImage> parse_image(std::string_view text);

/// Replaces the objects of a server by those of an image, with their uids and resourceVersions. The
/// log starts at the image: earlier watches, even those that saw writes later than the image, are
/// answered that they must list again. Requires: the server has no watches yet.
void restore_image(State& state, StoreImage image);

}  // namespace sluice::apiserver
