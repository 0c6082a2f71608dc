#include "api/core/taint.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::api {
namespace {

/// Parses an integer as the operators Lt and Gt take it: no sign but '-', no leading zeros.
std::optional<std::int64_t> read_whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_canonical = std::to_string(value) == text;
    if (error != std::errc() || end != text.data() + text.size() || !is_canonical) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint, TolerationOperators operators) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) {
        return false;
    }
    if (!toleration.key.empty() && toleration.key != taint.key) {
        return false;
    }
    if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
        return toleration.value == taint.value;
    }
    if (toleration.operator_ == "Exists") {
        return true;
    }
    if (operators == TolerationOperators::Basic ||
        (toleration.operator_ != "Lt" && toleration.operator_ != "Gt")) {
        return false;
    }
    const auto bound = read_whole_number(toleration.value);
    const auto value = read_whole_number(taint.value);
    if (!bound || !value) {
        return false;
    }
    return toleration.operator_ == "Lt" ? *value < *bound : *value > *bound;
}

const Taint* find_untolerated_taint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations,
    TolerationOperators operators
) {
    for (const Taint& taint : taints) {
        if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") {
            continue;
        }
        const bool covered =
            std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
                return tolerates(toleration, taint, operators);
            });
        if (!covered) {
            return &taint;
        }
    }
    return nullptr;
}

const TypeInfo& Taint::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Taint::key>("key", "R", "=", "Key of the taint."),
                field<&Taint::value>("value", "", "=", "Value of the taint."),
                field<&Taint::effect>(
                    "effect", "R", "=", "NoSchedule, PreferNoSchedule or NoExecute."
                ),
                field<&Taint::time_added>(
                    "timeAdded", "", "=", "When a NoExecute taint was added."
                ),
            }
    };
    return kInfo;
}

const TypeInfo& Toleration::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Toleration::key>(
                    "key", "", "=", "Taint key; empty with operator Exists tolerates every taint."
                ),
                field<&Toleration::operator_>(
                    "operator", "", "=", "Equal (the default) or Exists."
                ),
                field<&Toleration::value>("value", "", "=", "Taint value for Equal."),
                field<&Toleration::effect>(
                    "effect", "", "=", "Taint effect; empty means every effect."
                ),
                field<&Toleration::toleration_seconds>(
                    "tolerationSeconds",
                    "",
                    "=",
                    "Seconds for which a NoExecute taint is tolerated. Forever if absent."
                ),
            }
    };
    return kInfo;
}

}  // namespace sluice::api
