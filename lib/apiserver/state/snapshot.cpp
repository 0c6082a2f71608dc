#include "apiserver/state/snapshot.hpp"

#include "apiserver/state/custom_types.hpp"
#include "apiserver/state/deletion_mark.hpp"
#include "base/sha256.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::string_view kMark = "{\"sluiceSnapshot\":";
/// More than the number of writes between two images can be.
constexpr std::int64_t kVersionGap = 1'000'000;
constexpr std::size_t kChecksumSize = 64;
/// Independent of the depth limit of request bodies.
constexpr std::size_t kLineDepthMax = 1024;

Error damaged(std::string detail) {
    return make_invalid(std::move(detail));
}

Result<StoreImage::Entry> parse_entry(std::string_view line) {
    auto read = json::parse(line, {.depth = kLineDepthMax});
    if (!read) {
        return read.error();
    }
    json::Value* object = read->find("object");
    json::Value* metadata = object == nullptr ? nullptr : object->find("metadata");
    StoreImage::Entry entry{
        .collection =
            {std::string(read->string_at("group")), std::string(read->string_at("plural"))},
        .name = {std::string(read->string_at("namespace")), std::string(read->string_at("name"))},
        .object = {}
    };
    const bool is_whole =
        metadata != nullptr && metadata->is_object() && !entry.collection.plural.empty() &&
        !entry.name.name.empty() && metadata->string_at("name") == entry.name.name &&
        !metadata->string_at("uid").empty() && !metadata->string_at("resourceVersion").empty();
    if (!is_whole) {
        return damaged("it is not a stored object");
    }
    entry.object = std::make_shared<const json::Value>(std::move(*object));
    return entry;
}

/// Checks the checksum and returns the lines before it.
Result<std::string_view> check_sum(std::string_view text) {
    if (text.empty() || text.back() != '\n' || text.size() < kChecksumSize + 2) {
        return damaged("it is truncated");
    }
    text.remove_suffix(1);
    const std::size_t start = text.rfind('\n') + 1;
    const std::string_view sum = text.substr(start);
    if (sum.size() != kChecksumSize || sum.starts_with('{')) {
        return damaged("it is truncated");
    }
    const std::string_view lines = text.substr(0, start);
    if (sha256_hex(lines) != sum) {
        return damaged("its checksum does not match, it was damaged or changed");
    }
    return lines;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

}  // namespace

StoreImage take_image(const Store& store) {
    StoreImage image{.version = store.version(), .entries = {}};
    image.entries.reserve(store.size());
    const auto add = [&](const Collection& collection) {
        for (const auto& [name, object] : store.objects(collection)) {
            image.entries.push_back({collection, name, object});
        }
    };
    add(definitions_collection);
    for (const Collection& collection : store.collections()) {
        if (collection != definitions_collection) {
            add(collection);
        }
    }
    return image;
}

std::string print_image(const StoreImage& image) {
    std::string text = fmt::format(
        "{}{},\"version\":{},\"objects\":{}}}\n",
        kMark,
        kFormat,
        image.version,
        image.entries.size()
    );
    for (const StoreImage::Entry& entry : image.entries) {
        text += fmt::format(
            "{{\"group\":{},\"plural\":{},\"namespace\":{},\"name\":{},\"object\":",
            json::print(entry.collection.group),
            json::print(entry.collection.plural),
            json::print(entry.name.ns),
            json::print(entry.name.name)
        );
        text += json::print(*entry.object);
        text += "}\n";
    }
    text += sha256_hex(text);
    text += '\n';
    return text;
}

Result<StoreImage> parse_image(std::string_view text) {
    if (!text.starts_with(kMark)) {
        return damaged(
            kMark.starts_with(text) ? "it is truncated" : "it is not a snapshot of sluice dev"
        );
    }
    auto lines = check_sum(text);
    if (!lines) {
        return lines.error();
    }
    const auto header = json::parse(take_line(*lines));
    const json::Value* format = header ? header->find("sluiceSnapshot") : nullptr;
    const json::Value* version = header ? header->find("version") : nullptr;
    if (format == nullptr || !format->is_int() || version == nullptr || !version->is_int()) {
        return damaged("its first line is not a header");
    }
    if (format->as_int() != kFormat) {
        return damaged(fmt::format(
            "it is of format {}, this version reads format {}", format->as_int(), kFormat
        ));
    }
    StoreImage image{.version = version->as_int(), .entries = {}};
    std::set<std::pair<Collection, ObjectName>> seen;
    for (std::size_t number = 2; !lines->empty(); ++number) {
        auto entry = parse_entry(take_line(*lines));
        if (!entry) {
            return with_context(entry.error(), fmt::format("line {}", number));
        }
        if (!seen.emplace(entry->collection, entry->name).second) {
            return damaged(fmt::format(
                "line {}: {} {} appears twice",
                number,
                entry->collection.plural,
                entry->name.ns.empty() ? entry->name.name : entry->name.ns + "/" + entry->name.name
            ));
        }
        image.entries.push_back(std::move(*entry));
    }
    return image;
}

void restore_image(State& state, StoreImage image) {
    for (const StoreImage::Entry& entry : take_image(state.store).entries) {
        state.store.remove(entry.collection, entry.name);
    }
    // Kinds must be known before their objects are restored.
    std::ranges::stable_partition(image.entries, [](const StoreImage::Entry& entry) {
        return entry.collection == definitions_collection;
    });
    for (StoreImage::Entry& entry : image.entries) {
        if (entry.collection == definitions_collection) {
            follow_definition(state, *entry.object, false);
        }
        state.store.restore(entry.collection, entry.name, std::move(entry.object));
    }
    state.store.set_version(std::max(state.store.version(), image.version) + kVersionGap);
    state.store.compact();
}

}  // namespace sluice::apiserver
