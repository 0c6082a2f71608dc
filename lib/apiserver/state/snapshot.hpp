#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// All objects of a server at one moment. They are shared with its store and never change, so that
/// taking an image costs little, and printing it may be left to another thread.
struct StoreImage {
    struct Entry {
        Collection collection;
        ObjectName name;
        Snapshot object;
    };
    std::int64_t version = 0;
    std::vector<Entry> entries;  ///< definitions first
};

StoreImage take_image(const Store& store);

/// The image as lines of JSON with a checksum at their end.
std::string print_image(const StoreImage& image);
/// Reads it back. Errors: Invalid for what is no image, is of another format, or has not all the
/// bytes that were written.
Result<StoreImage> parse_image(std::string_view text);

/// Gives a server the objects of an image in place of its own, with their uids and versions. Its
/// log begins there: watches that began before are told to list again, also those that saw writes
/// later than the image. Requires: nobody watches yet.
void restore_image(State& state, StoreImage image);

}  // namespace sluice::apiserver
