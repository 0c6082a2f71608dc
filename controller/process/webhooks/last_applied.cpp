#include "controller/process/webhooks/last_applied.hpp"

namespace sluice::controller {

std::optional<std::string> change_last_applied(
    const json::Value& object, const std::function<bool(json::Value&)>& change
) {
    const json::Value* text = object.find_path({"metadata", "annotations", kLastApplied});
    if (text == nullptr || !text->is_string()) {
        return std::nullopt;
    }
    auto applied = json::parse(text->as_string());
    if (!applied || !change(*applied)) {
        return std::nullopt;
    }
    return json::print(*applied);
}

}  // namespace sluice::controller
