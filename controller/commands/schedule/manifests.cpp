#include "controller/commands/schedule/manifests.hpp"

#include "controller/commands/schedule/input_files.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::commands {

namespace {

/// Adds an object, or the items of a list, including lists in it.
Result<void> add_object(const Manifest& place, json::Value object, std::vector<Manifest>& made) {
    if (object.is_null()) {
        return {};
    }
    if (const auto missing = find_missing(object)) {
        return make_invalid(fmt::format("{}: {}", to_string(place.place()), *missing));
    }
    json::Value* items = object.find("items");
    Manifest manifest = place;
    if (!object.string_at("kind").ends_with("List") || items == nullptr || !items->is_array()) {
        manifest.object = std::move(object);
        made.push_back(std::move(manifest));
        return {};
    }
    for (std::size_t i = 0; i < items->as_array().size(); ++i) {
        manifest.item = i;
        if (auto added = add_object(manifest, std::move(items->as_array()[i]), made); !added) {
            return added;
        }
    }
    return {};
}

}  // namespace

std::string to_string(const ManifestPlace& place) {
    const auto item = place.item ? fmt::format(": items[{}]", *place.item) : std::string();
    return fmt::format("{}:{}{}", place.file, place.line, item);
}

std::string describe(const ManifestPlace& place, const json::Value& object) {
    const json::Value* metadata = object.find("metadata");
    const auto text_at = [metadata](std::string_view key) {
        return metadata != nullptr ? metadata->string_at(key) : std::string_view();
    };
    const auto ns = text_at("namespace");
    const auto name = text_at("name").empty() ? text_at("generateName") : text_at("name");
    return fmt::format(
        "{}: {}{}{}{}{}",
        to_string(place),
        object.string_at("kind"),
        ns.empty() && name.empty() ? "" : " ",
        ns,
        ns.empty() || name.empty() ? "" : "/",
        name
    );
}

std::optional<std::string> find_missing(const json::Value& object) {
    const bool has_kind = !object.string_at("kind").empty();
    const bool has_version = !object.string_at("apiVersion").empty();
    if (has_kind && has_version) {
        return std::nullopt;
    }
    return fmt::format(
        "not an object: {} missing",
        has_version ? "kind is"
        : has_kind  ? "apiVersion is"
                    : "apiVersion and kind are"
    );
}

Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names) {
    const auto files = read_input_files(names);
    if (!files) {
        return files.error();
    }
    std::vector<Manifest> made;
    for (std::size_t number = 0; number < files->size(); ++number) {
        const InputFile& file = (*files)[number];
        for (yaml::Document& document : yaml::parse_documents(file.text)) {
            if (!document.value) {
                return yaml::in_file(document.value.error(), file.name);
            }
            const Manifest place{
                .file = file.name, .number = number, .line = document.line, .object = {}
            };
            if (const auto added = add_object(place, std::move(*document.value), made); !added) {
                return added.error();
            }
        }
    }
    return made;
}

}  // namespace sluice::commands
