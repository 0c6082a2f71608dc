// Taints and tolerations of core/v1, and the rules by which they match.
#pragma once

#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

/// core/v1 Taint.
struct Taint {
    std::string key;
    std::string value;
    std::string effect;
    std::optional<Time> time_added;

    static const TypeInfo& type();
    friend bool operator==(const Taint&, const Taint&) = default;
};

/// core/v1 Toleration. An empty key with operator Exists tolerates every taint; an empty effect
/// matches every effect.
struct Toleration {
    std::string key;
    std::string operator_;
    std::string value;
    std::string effect;
    std::optional<std::int64_t> toleration_seconds;

    static const TypeInfo& type();
    friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Selects the operators of tolerations that are supported.
enum class TolerationOperators : std::uint8_t {
    Basic,
    WithNumeric,  ///< also Lt and Gt, which compare integers
};

/// Returns true if the toleration matches the taint, as core/v1 defines it.
bool tolerates(
    const Toleration& toleration,
    const Taint& taint,
    TolerationOperators operators = TolerationOperators::Basic
);

/// Returns the first taint that forbids placing pods (NoSchedule or NoExecute) and that no
/// toleration matches; nullptr without such a taint. PreferNoSchedule only advises and is
/// ignored.
const Taint* find_untolerated_taint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations,
    TolerationOperators operators = TolerationOperators::Basic
);

}  // namespace sluice::api
