#include "apiserver/table/cell_row.hpp"

#include "apiserver/objects/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::apiserver {

using json::Value;

std::string join(const std::vector<std::string>& texts) {
    return fmt::format("{}", fmt::join(texts, ","));
}

std::vector<std::string> each(const Value& list, std::string_view name) {
    std::vector<std::string> out;
    for (const auto& item : items_of(&list)) {
        out.emplace_back(item.string_at(name));
    }
    return out;
}

std::string map_text(const Value& map) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : members_of(&map)) {
        texts.push_back(fmt::format("{}={}", name, value.is_string() ? value.as_string() : ""));
    }
    std::ranges::sort(texts);
    return texts.empty() ? "<none>" : join(texts);
}

std::string selector_text(const Value& selector) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : members_of(selector.find("matchLabels"))) {
        texts.push_back(fmt::format("{}={}", name, value.as_string()));
    }
    std::ranges::sort(texts);
    for (const auto& term : items_of(selector.find("matchExpressions"))) {
        const auto key = term.string_at("key");
        const auto op = term.string_at("operator");
        std::vector<std::string> values;
        for (const auto& value : items_of(term.find("values"))) {
            values.push_back(value.as_string());
        }
        if (op == "Exists") {
            texts.emplace_back(key);
        } else if (op == "DoesNotExist") {
            texts.push_back(fmt::format("!{}", key));
        } else {
            texts.push_back(
                fmt::format("{} {} ({})", key, op == "In" ? "in" : "notin", fmt::join(values, ","))
            );
        }
    }
    return texts.empty() ? "<none>" : join(texts);
}

}  // namespace sluice::apiserver
