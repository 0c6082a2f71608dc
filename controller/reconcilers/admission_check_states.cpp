#include "controller/reconcilers/admission_check_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::controller {

std::vector<const api::AdmissionCheckState*> checks_in(
    const api::Workload& workload, std::string_view state
) {
    std::vector<const api::AdmissionCheckState*> found;
    for (const api::AdmissionCheckState& check : workload.status.admission_checks) {
        if (check.state == state) {
            found.push_back(&check);
        }
    }
    std::ranges::sort(found, {}, [](const api::AdmissionCheckState* check) { return check->name; });
    return found;
}

std::string checks_sentence(
    const std::vector<const api::AdmissionCheckState*>& checks, std::string_view state
) {
    std::vector<std::string> parts;
    parts.reserve(checks.size());
    for (const api::AdmissionCheckState* check : checks) {
        parts.push_back(
            check->message.empty() ? fmt::format("\"{}\"", check->name)
                                   : fmt::format("\"{}\" ({})", check->name, check->message)
        );
    }
    return fmt::format(
        "AdmissionCheck{} in {} state: {}",
        checks.size() > 1 ? "s" : "",
        state,
        fmt::join(parts, "; ")
    );
}

}  // namespace sluice::controller
