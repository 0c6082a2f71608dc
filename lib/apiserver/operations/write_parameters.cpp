#include "apiserver/operations/write_parameters.hpp"

#include "apiserver/objects/cause.hpp"
#include "apiserver/types/failures.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr std::size_t kManagerMax = 128;

std::string_view options_of(WriteVerb verb) {
    return verb == WriteVerb::Create   ? "CreateOptions"
           : verb == WriteVerb::Update ? "UpdateOptions"
                                       : "PatchOptions";
}

void check_manager(std::vector<Cause>& causes, std::string_view manager) {
    if (manager.size() > kManagerMax) {
        causes.push_back(api::FieldError::too_long("fieldManager", kManagerMax));
    }
    const bool is_printable = std::ranges::none_of(manager, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (!is_printable) {
        causes.push_back(api::FieldError::invalid(
            "fieldManager", manager, "should only contain printable characters"
        ));
    }
}

}  // namespace

Result<void> check_write_parameters(const Request& request, WriteVerb verb) {
    std::vector<Cause> causes;
    const std::string_view manager = request.parameter("fieldManager");
    if (verb == WriteVerb::Apply && manager.empty()) {
        causes.push_back(api::FieldError::required("fieldManager", "is required for apply patch"));
    }
    if (verb == WriteVerb::Patch && request.query.contains("force")) {
        causes.push_back(
            api::FieldError::forbidden("force", "may not be specified for non-apply patch")
        );
    }
    check_manager(causes, manager);
    json::Array dry_run;
    const auto [first, last] = request.query.equal_range("dryRun");
    for (auto at = first; at != last; ++at) {
        dry_run.emplace_back(at->second);
    }
    if (std::ranges::any_of(dry_run, [](const json::Value& each) { return each != "All"; })) {
        causes.push_back(api::FieldError::not_supported("dryRun", dry_run, {"All"}));
    }
    const std::string_view validation = request.parameter("fieldValidation");
    if (!validation.empty() && validation != "Ignore" && validation != "Strict" &&
        validation != "Warn") {
        causes.push_back(api::FieldError::not_supported(
            "fieldValidation", validation, {"", "Ignore", "Strict", "Warn"}
        ));
    }
    if (!causes.empty()) {
        return invalid_options(options_of(verb), causes);
    }
    return {};
}

}  // namespace sluice::apiserver
