#include "apiserver/state/deletion_options.hpp"

#include "apiserver/objects/cause.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

/// The options as the body or the parameters contain them, not yet checked.
struct Given {
    DeletionOptions options;
    json::Array dry_run;
    std::optional<bool> orphans;  ///< orphanDependents, which propagationPolicy replaces
};

Result<void> read_parameters(const Request& request, Given& given) {
    given.options.propagation = request.parameter("propagationPolicy");
    if (request.query.contains("orphanDependents")) {
        given.orphans = request.is_set("orphanDependents");
    }
    const auto [first, last] = request.query.equal_range("dryRun");
    for (auto at = first; at != last; ++at) {
        given.dry_run.emplace_back(at->second);
    }
    const std::string_view grace = request.parameter("gracePeriodSeconds");
    if (grace.empty()) {
        return {};
    }
    std::int64_t seconds = 0;
    const auto [end, fault] = std::from_chars(grace.data(), grace.data() + grace.size(), seconds);
    if (fault != std::errc() || end != grace.data() + grace.size()) {
        return bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", grace));
    }
    given.options.grace_seconds = seconds;
    return {};
}

/// Checks the types of the members. Errors: BadRequest for a member of another type.
Result<void> check_types(const json::Value& body) {
    const auto type_of = [](const json::Value& value) {
        return value.is_string()   ? "string"
               : value.is_bool()   ? "bool"
               : value.is_number() ? "number"
               : value.is_array()  ? "array"
                                   : "object";
    };
    const auto fault = [&](const char* member, const char* type) {
        return bad_request(fmt::format(
            "json: cannot unmarshal {} into Go struct field DeleteOptions.{} of type {}",
            type_of(*body.find(member)),
            member,
            type
        ));
    };
    const auto is = [&body](const char* member, auto has_type) {
        const json::Value* value = body.find(member);
        return value == nullptr || value->is_null() || has_type(*value);
    };
    if (!is("gracePeriodSeconds", [](const json::Value& v) { return v.is_int(); })) {
        return fault("gracePeriodSeconds", "int64");
    }
    if (!is("orphanDependents", [](const json::Value& v) { return v.is_bool(); })) {
        return fault("orphanDependents", "bool");
    }
    if (!is("propagationPolicy", [](const json::Value& v) { return v.is_string(); })) {
        return fault("propagationPolicy", "v1.DeletionPropagation");
    }
    if (!is("preconditions", [](const json::Value& v) { return v.is_object(); })) {
        return fault("preconditions", "v1.Preconditions");
    }
    return {};
}

Result<void> read_options_body(const Request& request, Given& given) {
    const auto read = read_body(request, "DeleteOptions");
    if (!read) {
        return read.error();
    }
    const json::Value& body = read->object;
    const std::string_view kind = body.string_at("kind");
    if (!kind.empty() && kind != "DeleteOptions") {
        return bad_request(fmt::format(
            "no kind \"{}\" is registered for version \"{}\" in scheme "
            "\"pkg/runtime/scheme.go:111\"",
            kind,
            body.string_at("apiVersion")
        ));
    }
    if (const auto fits = check_types(body); !fits) {
        return fits.error();
    }
    DeletionOptions& options = given.options;
    options.propagation = body.string_at("propagationPolicy");
    if (const json::Value* seconds = body.find("gracePeriodSeconds");
        seconds != nullptr && seconds->is_int()) {
        options.grace_seconds = seconds->as_int();
    }
    if (const json::Value* orphans = body.find("orphanDependents");
        orphans != nullptr && orphans->is_bool()) {
        given.orphans = orphans->as_bool();
    }
    if (const json::Value* wanted = body.find("preconditions")) {
        options.uid = wanted->string_at("uid");
        options.version = wanted->string_at("resourceVersion");
    }
    given.dry_run = items_of(body.find("dryRun"));
    return {};
}

void check(const Given& given, std::vector<Cause>& causes) {
    const std::string& policy = given.options.propagation;
    if (given.orphans && !policy.empty()) {
        causes.push_back(api::FieldError::invalid(
            "propagationPolicy",
            policy,
            "orphanDependents and deletionPropagation cannot be both set"
        ));
    }
    if (!policy.empty() && policy != "Foreground" && policy != "Background" && policy != "Orphan") {
        causes.push_back(api::FieldError::not_supported(
            "propagationPolicy", policy, {"Foreground", "Background", "Orphan", "nil"}
        ));
    }
    const bool is_known = std::ranges::all_of(given.dry_run, [](const json::Value& each) {
        return each == json::Value("All");
    });
    if (!is_known) {
        causes.push_back(api::FieldError::not_supported("dryRun", given.dry_run, {"All"}));
    }
}

}  // namespace

Result<DeletionOptions> read_deletion_options(const Request& request) {
    Given given;
    const auto read =
        request.body.empty() ? read_parameters(request, given) : read_options_body(request, given);
    if (!read) {
        return read.error();
    }
    std::vector<Cause> causes;
    check(given, causes);
    if (!causes.empty()) {
        return invalid_options("DeleteOptions", causes);
    }
    if (given.orphans) {
        given.options.propagation = *given.orphans ? "Orphan" : "Background";
    }
    given.options.is_dry_run = !given.dry_run.empty();
    return given.options;
}

}  // namespace sluice::apiserver
