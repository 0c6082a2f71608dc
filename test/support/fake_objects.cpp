#include "support/fake_objects.hpp"

#include "kube/core/status_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace sluice::test {

using json::Value;
using kube::ResourcePath;

Error make_status(int code, std::string_view reason, const std::string& message) {
    return kube::make_status_error(code, kube::print_status(code, reason, message), "");
}

Error make_not_found(const ResourcePath& path) {
    return make_status(404, "NotFound", kube::describe(path) + " not found");
}

std::int64_t to_version(std::string_view text) {
    std::int64_t version = 0;
    std::from_chars(text.data(), text.data() + text.size(), version);
    return version;
}

std::string metadata_text(const Value& object, std::string_view field) {
    const auto* metadata = object.find("metadata");
    return metadata == nullptr ? std::string() : std::string(metadata->string_at(field));
}

Value& metadata_of(Value& object) {
    if (object.find("metadata") == nullptr) {
        object.set("metadata", json::Object{});
    }
    return *object.find("metadata");
}

bool has_finalizers(const Value& object) {
    const auto* finalizers = object.find_path({"metadata", "finalizers"});
    return finalizers != nullptr && finalizers->is_array() && !finalizers->as_array().empty();
}

bool is_being_deleted(const Value& object) {
    return !metadata_text(object, "deletionTimestamp").empty();
}

bool matches(const Value& object, std::string_view selector) {
    const auto* labels = object.find_path({"metadata", "labels"});
    while (!selector.empty()) {
        const auto term = selector.substr(0, selector.find(','));
        selector.remove_prefix(std::min(term.size() + 1, selector.size()));
        const auto equal = term.find('=');
        const bool negative = term.starts_with('!') || (equal != std::string_view::npos &&
                                                        equal > 0 && term[equal - 1] == '!');
        auto key = term.substr(0, term.find_first_of("=!", 1));
        if (key.starts_with('!')) {
            key.remove_prefix(1);
        }
        const auto* label = labels == nullptr ? nullptr : labels->find(key);
        const auto wanted = equal == std::string_view::npos
                                ? std::string_view()
                                : term.substr(term.find_last_of('=') + 1);
        const bool holds =
            label != nullptr && (equal == std::string_view::npos || label->as_string() == wanted);
        if (holds == negative) {
            return false;
        }
    }
    return true;
}

bool matches_fields(const Value& object, std::string_view selector) {
    while (!selector.empty()) {
        const auto term = selector.substr(0, selector.find(','));
        selector.remove_prefix(std::min(term.size() + 1, selector.size()));
        const auto equal = std::min(term.find('='), term.size());
        const auto field = term.substr(0, equal);
        const auto wanted = term.substr(term.find_last_of('=') + 1);
        const auto dot = field.find_last_of('.');
        if (metadata_text(object, field.substr(dot + 1)) != wanted) {
            return false;
        }
    }
    return true;
}

bool same_but(const Value& a, const Value& b, std::initializer_list<std::string_view> ignored) {
    auto x = a;
    auto y = b;
    for (const auto& field : ignored) {
        x.erase(field);
        y.erase(field);
    }
    return x == y;
}

std::string print_event(std::string_view type, const Value& object) {
    return fmt::format(R"({{"type":"{}","object":{}}})", type, json::print(object));
}

}  // namespace sluice::test
