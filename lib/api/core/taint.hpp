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

/// core/v1 Toleration. An empty key with Exists tolerates everything; an empty effect, every
/// effect.
struct Toleration {
    std::string key;
    std::string operator_;
    std::string value;
    std::string effect;
    std::optional<std::int64_t> toleration_seconds;

    static const TypeInfo& type();
    friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Which operators of tolerations match.
enum class TolerationOperators : std::uint8_t {
    Basic,
    WithNumeric,  ///< Lt and Gt too, which compare integers
};

/// Whether the toleration covers the taint, as core/v1 defines it.
bool tolerates(
    const Toleration& toleration,
    const Taint& taint,
    TolerationOperators operators = TolerationOperators::Basic
);

/// The first taint that forbids placing pods (NoSchedule or NoExecute) and that nothing tolerates,
/// or nullptr. PreferNoSchedule only advises and is not considered.
const Taint* find_untolerated_taint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations,
    TolerationOperators operators = TolerationOperators::Basic
);

}  // namespace sluice::api
