#include "apiserver/builtin_validation.hpp"

namespace sluice::apiserver {

std::vector<Cause>
validate_metadata(std::string_view, std::string_view, bool, const json::Value&, const json::Value*) {
    return {};
}
std::vector<Cause> validate_builtin(std::string_view, std::string_view, const json::Value&) {
    return {};
}
std::vector<Cause>
validate_builtin_update(std::string_view, std::string_view, std::string_view, const json::Value&, const json::Value&) {
    return {};
}

}  // namespace sluice::apiserver
