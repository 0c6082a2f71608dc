#include "controller/commands/manifests.hpp"

#include "controller/commands/input_files.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::commands {

namespace {

Result<void> add_document(
    const std::string& file, yaml::Document document, std::vector<Manifest>& made
) {
    if (!document.value) {
        return make_invalid(fmt::format("{}:{}", file, document.value.error().detail));
    }
    json::Value object = std::move(*document.value);
    if (object.is_null()) {
        return {};
    }
    Manifest manifest{.file = file, .line = document.line, .object = {}};
    if (const auto missing = find_missing(object)) {
        return make_invalid(fmt::format("{}: {}", to_string(manifest.place()), *missing));
    }
    json::Value* items = object.find("items");
    if (!object.string_at("kind").ends_with("List") || items == nullptr || !items->is_array()) {
        manifest.object = std::move(object);
        made.push_back(std::move(manifest));
        return {};
    }
    for (json::Value& item : items->as_array()) {
        manifest.item = manifest.item ? *manifest.item + 1 : 0;
        if (const auto missing = find_missing(item)) {
            return make_invalid(fmt::format("{}: {}", to_string(manifest.place()), *missing));
        }
        Manifest& one = made.emplace_back(manifest);
        one.object = std::move(item);
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
    for (const InputFile& file : *files) {
        for (yaml::Document& document : yaml::parse_documents(file.text)) {
            if (const auto added = add_document(file.name, std::move(document), made); !added) {
                return added.error();
            }
        }
    }
    return made;
}

}  // namespace sluice::commands
