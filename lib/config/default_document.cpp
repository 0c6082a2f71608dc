#include "config/default_document.hpp"

#include "api/kueue/kueue_names.hpp"
#include "config/go_duration.hpp"
#include "config/keys.hpp"

#include <cstdint>
#include <utility>

namespace sluice::config {

json::Value print_value(double value) {
    return static_cast<std::int64_t>(value);
}

json::Value print_value(Duration value) {
    return print_go_duration(value);
}

json::Value print_value(const std::string& text) {
    return text.empty() ? json::Value() : json::Value(text);
}

json::Value print_value(const std::vector<std::string>& texts) {
    return texts.empty() ? json::Value() : json::Value(json::Array(texts.begin(), texts.end()));
}

json::Value print_value(const api::LabelSelector& selector) {
    json::Array expressions;
    for (const auto& expression : selector.match_expressions) {
        expressions.push_back(json::Object{
            {"key", expression.key},
            {"operator", expression.operator_},
            {"values", print_value(expression.values)},
        });
    }
    return json::Object{{"matchExpressions", std::move(expressions)}};
}

json::Value make_default_document() {
    json::Value document = print_keys(configuration_keys(), default_configuration(""));
    document.set("apiVersion", api::kConfigV1beta2);
    document.set("kind", "Configuration");
    return document;
}

}  // namespace sluice::config
