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

constexpr std::size_t kOperationsMax = 10'000;

/// The parts of a JSON pointer (RFC 6901); nothing: it is none.
std::optional<std::vector<std::string>> parts_of(std::string_view pointer) {
    std::vector<std::string> parts;
    if (pointer.empty()) {
        return parts;
    }
    if (pointer.front() != '/') {
        return std::nullopt;
    }
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string_view raw = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(raw.size());
        std::string part;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1')) {
                part += raw[++i] == '0' ? '~' : '/';
            } else {
                part += raw[i];
            }
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

std::optional<std::size_t> index_of(const std::string& part, std::size_t end) {
    std::size_t index = 0;
    const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_whole = error == std::errc() && last == part.data() + part.size();
    return is_whole && index < end ? std::optional(index) : std::nullopt;
}

Value* child_of(Value& parent, const std::string& part) {
    if (parent.is_object()) {
        return parent.find(part);
    }
    if (parent.is_array()) {
        const auto index = index_of(part, parent.as_array().size());
        return index ? &parent.as_array()[*index] : nullptr;
    }
    return nullptr;
}

Value* find(Value& target, const std::vector<std::string>& parts, std::size_t count) {
    Value* at = &target;
    for (std::size_t i = 0; i < count && at != nullptr; ++i) {
        at = child_of(*at, parts[i]);
    }
    return at;
}

Result<void> add(Value& target, const std::vector<std::string>& parts, Value value) {
    if (parts.empty()) {
        target = std::move(value);
        return {};
    }
    Value* parent = find(target, parts, parts.size() - 1);
    const std::string& last = parts.back();
    if (parent == nullptr) {
        return make_invalid("doc is missing path");
    }
    if (parent->is_object()) {
        parent->set(last, std::move(value));
        return {};
    }
    if (!parent->is_array()) {
        return make_invalid("doc is missing path");
    }
    Array& list = parent->as_array();
    const auto index = last == "-" ? std::optional(list.size()) : index_of(last, list.size() + 1);
    if (!index) {
        return make_invalid("invalid index referenced");
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
}

Result<Value> remove(Value& target, const std::vector<std::string>& parts) {
    Value* found = parts.empty() ? nullptr : find(target, parts, parts.size());
    if (found == nullptr) {
        return make_invalid("Unable to remove nonexistent key");
    }
    Value removed = *found;
    Value* parent = find(target, parts, parts.size() - 1);
    if (parent->is_object()) {
        parent->erase(parts.back());
    } else {
        Array& list = parent->as_array();
        list.erase(list.begin() + (found - list.data()));
    }
    return removed;
}

Result<void> perform(Value& target, const Value& operation) {
    const std::string_view name = operation.string_at("op");
    const auto path = parts_of(operation.string_at("path"));
    if (!path || operation.find("path") == nullptr) {
        return make_invalid("missing or malformed path");
    }
    const Value* value = operation.find("value");
    const bool needs_value = name == "add" || name == "replace" || name == "test";
    if (needs_value && value == nullptr) {
        return make_invalid("missing value");
    }
    if (name == "add") {
        return add(target, *path, *value);
    }
    if (name == "remove") {
        const auto removed = remove(target, *path);
        return removed ? Result<void>() : Result<void>(removed.error());
    }
    if (name == "replace" || name == "test") {
        Value* found = find(target, *path, path->size());
        if (name == "test") {
            const bool is_same = found == nullptr ? value->is_null() : *found == *value;
            return is_same ? Result<void>() : Result<void>(make_invalid("testing value failed"));
        }
        if (found == nullptr) {
            return make_invalid("doc is missing key");
        }
        *found = *value;
        return {};
    }
    const auto from = parts_of(operation.string_at("from"));
    if ((name != "move" && name != "copy") || !from) {
        return make_invalid(fmt::format("Unexpected kind: {}", name));
    }
    const Value* source = find(target, *from, from->size());
    if (source == nullptr) {
        return make_invalid("doc is missing from path");
    }
    Value moved = *source;
    if (name == "move") {
        if (auto removed = remove(target, *from); !removed) {
            return removed.error();
        }
    }
    return add(target, *path, std::move(moved));
}

}  // namespace

Result<void> apply_json_patch(Value& target, const Array& operations) {
    if (operations.size() > kOperationsMax) {
        return make_invalid(fmt::format(
            "The allowed maximum operations in a JSON patch is {}, got {}",
            kOperationsMax,
            operations.size()
        ));
    }
    for (const Value& operation : operations) {
        const auto done = perform(target, operation);
        if (!done) {
            return with_context(
                done.error(),
                fmt::format(
                    "{} operation of {}", operation.string_at("op"), operation.string_at("path")
                )
            );
        }
    }
    return {};
}

}  // namespace sluice::json
