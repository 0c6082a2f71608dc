#include "json/patch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::json {
namespace {

std::string_view go_type(const Value& value) {
    if (value.is_bool()) {
        return "bool";
    }
    if (value.is_number()) {
        return "number";
    }
    if (value.is_string()) {
        return "string";
    }
    return value.is_array() ? "array" : "object";
}

/// Removes the escapes from a part of a JSON pointer (RFC 6901).
std::string unescaped(std::string_view part) {
    std::string text;
    for (std::size_t i = 0; i < part.size(); ++i) {
        const bool escapes = part[i] == '~' && i + 1 < part.size();
        if (escapes && (part[i + 1] == '0' || part[i + 1] == '1')) {
            text += part[++i] == '0' ? '~' : '/';
        } else {
            text += part[i];
        }
    }
    return text;
}

/// Splits a JSON pointer into its parts. Text before the first slash is ignored, as in the API
/// server.
std::vector<std::string> parts_of(std::string_view pointer) {
    std::vector<std::string> parts;
    auto slash = pointer.find('/');
    while (slash != std::string_view::npos) {
        pointer.remove_prefix(slash + 1);
        slash = pointer.find('/');
        parts.push_back(unescaped(pointer.substr(0, slash)));
    }
    return parts;
}

/// Returns the index in a list of `size` items. Negative indices count from the end. nullopt if the
/// text is not an integer or is out of range.
std::optional<std::size_t> place_of(std::string_view text, std::size_t size) {
    std::int64_t place = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), place);
    if (fault != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    const auto count = static_cast<std::int64_t>(size);
    place += place < 0 ? count : 0;
    if (place < 0 || place >= count) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(place);
}

Value* child_of(Value& container, const std::string& key) {
    if (!container.is_array()) {
        return container.find(key);
    }
    const auto place = place_of(key, container.as_array().size());
    return place ? &container.as_array()[*place] : nullptr;
}

/// Applies the operations of one patch to a document.
class Application {
  public:
    explicit Application(Value document) : document_(std::move(document)) {}

    Result<void> run(const Value& operation) {
        const auto kind = operation.string_at("op");
        const Value* path = operation.find("path");
        if (path == nullptr || !path->is_string()) {
            return make_invalid(fmt::format("the operation {} has no path", kind));
        }
        const auto& text = path->as_string();
        const Value* value = operation.find("value");
        if (kind == "add") {
            return add(text, value == nullptr ? Value() : *value);
        }
        if (kind == "remove") {
            return remove(text);
        }
        if (kind == "replace") {
            return replace(text, value == nullptr ? Value() : *value);
        }
        if (kind == "move" || kind == "copy") {
            return move_or_copy(operation, text, kind == "move");
        }
        if (kind == "test") {
            return test(text, value == nullptr ? Value() : *value);
        }
        return make_invalid(fmt::format("unexpected kind: {}", kind));
    }

    Value take() { return std::move(document_); }

  private:
    static Error missing(std::string_view kind, std::string_view path) {
        return make_invalid(
            fmt::format("{} operation does not apply: doc is missing path: {}", kind, path)
        );
    }

    struct Place {
        Value* container;
        std::string key;
    };
    /// Returns the container that the pointer leads into, and the last part of the pointer. nullopt
    /// if the container does not exist.
    std::optional<Place> find(std::string_view pointer) {
        auto parts = parts_of(pointer);
        if (parts.empty()) {
            return std::nullopt;
        }
        Value* at = &document_;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            at = child_of(*at, parts[i]);
            if (at == nullptr) {
                return std::nullopt;
            }
        }
        if (!at->is_array() && !at->is_object()) {
            return std::nullopt;
        }
        return Place{at, std::move(parts.back())};
    }

    Result<void> add(std::string_view path, Value value) {
        const auto place = find(path);
        if (!place) {
            return missing("add", path);
        }
        if (place->container->is_object()) {
            place->container->set(place->key, std::move(value));
            return {};
        }
        auto& items = place->container->as_array();
        // `add` also accepts the index after the last item.
        const auto at = place->key == "-" ? std::optional(items.size())
                                          : place_of(place->key, items.size() + 1);
        if (!at) {
            return missing("add", path);
        }
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(*at), std::move(value));
        return {};
    }

    Result<void> remove(std::string_view path) {
        const auto place = find(path);
        if (!place || child_of(*place->container, place->key) == nullptr) {
            return missing("remove", path);
        }
        if (place->container->is_object()) {
            place->container->erase(place->key);
        } else {
            auto& items = place->container->as_array();
            if (const auto at = place_of(place->key, items.size())) {
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
            }
        }
        return {};
    }

    Result<void> replace(std::string_view path, Value value) {
        if (path.empty()) {
            document_ = std::move(value);
            return {};
        }
        const auto place = find(path);
        if (!place) {
            return missing("replace", path);
        }
        if (place->container->is_object()) {
            place->container->set(place->key, std::move(value));
            return {};
        }
        Value* item = child_of(*place->container, place->key);
        if (item == nullptr) {
            return missing("replace", path);
        }
        *item = std::move(value);
        return {};
    }

    Result<void> move_or_copy(const Value& operation, std::string_view path, bool moves) {
        const Value* from = operation.find("from");
        const auto kind = moves ? "move" : "copy";
        const auto place =
            from != nullptr && from->is_string() ? find(from->as_string()) : std::nullopt;
        if (!place) {
            return missing(kind, path);
        }
        const Value* found = child_of(*place->container, place->key);
        if (found == nullptr && (moves || place->container->is_array())) {
            return missing(kind, from->as_string());
        }
        Value value = found == nullptr ? Value() : *found;
        if (!moves) {
            copied_bytes_ += print(value).size();
            if (copied_bytes_ > kJsonPatchCopiedBytesMax) {
                return make_invalid("the copy operations of the patch copy too much");
            }
            return add(path, std::move(value));
        }
        if (const auto removed = remove(from->as_string()); !removed) {
            return removed;
        }
        return add(path, std::move(value));
    }

    Result<void> test(std::string_view path, const Value& value) {
        const Value* found = &document_;
        if (!parts_of(path).empty()) {
            const auto place = find(path);
            if (!place) {
                return missing("test", path);
            }
            found = child_of(*place->container, place->key);
            if (found == nullptr && place->container->is_array()) {
                return missing("test", path);
            }
        }
        if (!((found == nullptr ? Value() : *found) == value)) {
            return make_invalid(fmt::format("testing value {} failed", path));
        }
        return {};
    }

    Value document_;
    std::size_t copied_bytes_ = 0;
};

}  // namespace

Result<void> check_json_patch(const Value& patch) {
    constexpr std::string_view kRefusal =
        "error decoding patch: json: cannot unmarshal {} into Go {}";
    if (patch.is_null()) {
        return {};
    }
    if (!patch.is_array()) {
        return make_invalid(
            fmt::format(kRefusal, go_type(patch), "value of type []handlers.jsonPatchOp")
        );
    }
    for (const auto& operation : patch.as_array()) {
        if (!operation.is_object()) {
            return make_invalid(
                fmt::format(kRefusal, go_type(operation), "value of type handlers.jsonPatchOp")
            );
        }
        for (const auto* name : {"op", "path", "from"}) {
            const Value* member = operation.find(name);
            if (member != nullptr && !member->is_string() && !member->is_null()) {
                const auto where = fmt::format("struct field jsonPatchOp.{} of type string", name);
                return make_invalid(fmt::format(kRefusal, go_type(*member), where));
            }
        }
    }
    return {};
}

Result<Value> apply_json_patch(Value document, const Value& patch) {
    Application application(std::move(document));
    if (patch.is_array()) {
        if (patch.as_array().size() > kJsonPatchOperationsMax) {
            return make_invalid(fmt::format(
                "The allowed maximum operations in a JSON patch is {}, got {}",
                kJsonPatchOperationsMax,
                patch.as_array().size()
            ));
        }
        for (const auto& operation : patch.as_array()) {
            if (const auto done = application.run(operation); !done) {
                return done.error();
            }
        }
    }
    return application.take();
}

}  // namespace sluice::json
