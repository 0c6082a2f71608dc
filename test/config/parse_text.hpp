#pragma once

#include "config/configuration.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::test {

/// Reads a Configuration of that version with these members (JSON without its outer braces).
inline Result<config::Configuration> parse_members(
    std::string_view version, const std::string& members
) {
    const auto text = R"({"apiVersion":"config.kueue.x-k8s.io/)" + std::string(version) +
                      R"(","kind":"Configuration")" + (members.empty() ? "" : ",") + members + "}";
    const auto document = json::parse(text);
    if (!document) {
        return document.error();
    }
    return config::parse_configuration(*document, "sluice-system");
}

}  // namespace sluice::test
