#include "apiserver/access/access.hpp"
#include "apiserver/admission/admission_expressions.hpp"
#include "apiserver/admission/admission_policies.hpp"
#include "apiserver/admission/mutating_policies.hpp"
#include "apiserver/admission/rule_matching.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/write_operation.hpp"
#include "apiserver/state/deletion_options.hpp"
#include "apiserver/types/failures.hpp"
#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

// Decides which policies and webhooks a write is sent to, makes their reviews, and applies their
// answers.
namespace sluice::apiserver {

namespace {

json::Value kind_of(const ResourceType& type) {
    return json::Object{{"group", type.group}, {"version", type.version}, {"kind", type.kind}};
}

json::Value resource_of(const ResourceType& type) {
    return json::Object{
        {"group", type.group}, {"version", type.version}, {"resource", type.plural}
    };
}

bool is_dry_run(const Request& request, bool is_deletion) {
    if (!is_deletion) {
        return request.is_dry_run();
    }
    const auto options = read_deletion_options(request);
    return options && options->is_dry_run;
}

}  // namespace

void WriteOperation::find_hooks(bool are_mutating) {
    hooks_.clear();
    next_hook_ = 0;
    const Collection configurations{
        "admissionregistration.k8s.io",
        are_mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations"
    };
    if (route_.type->group == configurations.group) {
        return;  // such webhooks could make themselves impossible to change
    }
    const RuledRequest request{route_, operation(), name_.name};
    for (const auto& [name, configuration] : state_.store.objects(configurations)) {
        for (const json::Value& hook : items_of(configuration->find("webhooks"))) {
            auto type = match_rules(
                state_.types, hook.find("rules"), hook.string_at("matchPolicy"), request
            );
            if (type != nullptr && hook.find("clientConfig") != nullptr) {
                hooks_.push_back({hook, std::move(type), are_mutating});
            }
        }
    }
}

Result<std::optional<WebhookCall>> WriteOperation::call_next_hook() {
    for (; next_hook_ < hooks_.size(); ++next_hook_) {
        const json::Value& hook = hooks_[next_hook_].configuration;
        if (!is_selected(hook)) {
            continue;
        }
        auto review = make_review(*hooks_[next_hook_].type);
        if (!review) {
            return review.error();
        }
        if (conversions_.are_missing()) {
            break;
        }
        const auto is_asked = meets_conditions(hook, *review);
        if (!is_asked) {
            return is_asked.error();
        }
        if (*is_asked) {
            sent_ = *review->find_path({"request", "object"});
            asked_ = {
                .api_version = review_version(hook),
                .uid = std::string(review->find("request")->string_at("uid")),
                .may_change = hooks_[next_hook_].is_mutating
            };
            review->set("apiVersion", asked_.api_version);
            return std::optional<WebhookCall>(
                {.target = find_webhook(state_.store, *hook.find("clientConfig")),
                 .review = std::move(*review),
                 .timeout_seconds = int_at(hook, "timeoutSeconds", 10)}
            );
        }
    }
    return std::optional<WebhookCall>();
}

/// Returns true if the selectors of the webhook match the object, by its new or its old labels, and
/// its namespace.
bool WriteOperation::is_selected(const json::Value& hook) const {
    const json::Value* selector = hook.find("objectSelector");
    const json::Value& object = is_deletion() ? before_ : patched_ ? patched_->object : object_;
    const bool selects_object =
        selects_labels(selector, object.find_path({"metadata", "labels"})) ||
        (live_ && selects_labels(selector, before_.find_path({"metadata", "labels"})));
    if (selects_object && is_namespace(type())) {
        // A namespaceSelector selects a Namespace by its own labels.
        const json::Value& own = route_.subresource.empty() ? object : before_;
        const json::Value* labels = own.find_path({"metadata", "labels"});
        return selects_labels(hook.find("namespaceSelector"), labels);
    }
    if (!selects_object || !route_.type->is_namespaced) {
        return selects_object;
    }
    const Snapshot ns = state_.store.find({"", "namespaces"}, {"", route_.ns});
    const json::Value* labels = ns ? ns->find_path({"metadata", "labels"}) : nullptr;
    return selects_labels(hook.find("namespaceSelector"), labels);
}

/// Returns true if the webhook's matchConditions hold. A condition that fails is ignored if
/// failures of the webhook are ignored.
Result<bool> WriteOperation::meets_conditions(const json::Value& hook, const json::Value& review) {
    const json::Value* conditions = hook.find("matchConditions");
    if (conditions == nullptr) {
        return true;
    }
    const AdmissionContext context = make_admission_context(review);
    AdmissionExpressions expressions(context, state_.programs());
    const auto matches = match_conditions(expressions, conditions);
    if (!matches && hook.string_at("failurePolicy") != "Ignore") {
        return forbidden(type(), name_.name, matches.error().detail);
    }
    return matches && *matches;
}

ContextSource WriteOperation::context_source() {
    return [this](const ResourceType& version) -> Result<AdmissionContext> {
        auto review = make_review(version);
        return review ? Result<AdmissionContext>(make_admission_context(std::move(*review)))
                      : review.error();
    };
}

Result<void> WriteOperation::mutate_by_policies() {
    if (is_deletion()) {
        return {};  // a deletion has no object to change
    }
    const RuledRequest request{route_, operation(), name_.name};
    auto changed = apply_mutating_policies(state_, request, context_source());
    if (!changed) {
        return changed.error();
    }
    std::optional<json::Value> object = std::move(*changed);
    if (object && !conversions_.are_missing()) {
        object_ = std::move(*object);
        is_mutated_ = true;
    }
    return {};
}

Result<void> WriteOperation::admit_by_policies() {
    const Collection bindings{"admissionregistration.k8s.io", "validatingadmissionpolicybindings"};
    if (state_.store.objects(bindings).empty()) {
        return {};
    }
    const RuledRequest request{route_, operation(), name_.name};
    return check_policies(state_, request, context_source(), warnings_);
}

AdmissionContext WriteOperation::make_admission_context(json::Value review) const {
    json::Value request = std::move(*review.find("request"));
    AdmissionContext context{
        .object = *request.find("object"),
        .old_object = *request.find("oldObject"),
        .request = {},
        .params = {},
        .ns_object = {}
    };
    request.erase("object");
    request.erase("oldObject");
    context.request = std::move(request);
    if (const Snapshot ns = state_.store.find({"", "namespaces"}, {"", route_.ns})) {
        context.ns_object = *ns;
    }
    return context;
}

Result<json::Value> WriteOperation::make_review(const ResourceType& version) {
    auto object = object_as(version);
    if (!object) {
        return object.error();
    }
    auto old_object =
        live_ ? state_.convert(before_, type(), version) : Result<json::Value>(json::Value());
    if (!old_object) {
        return old_object.error();
    }
    const json::Value& metadata = *(is_deletion() ? before_ : object_).find("metadata");
    json::Value request = json::Object{
        {"uid", fmt::format("{}-{}", metadata.string_at("uid"), next_hook_)},
        {"kind", kind_of(version)},
        {"resource", resource_of(version)},
        {"requestKind", kind_of(type())},
        {"requestResource", resource_of(type())},
        {"name", name_.name},
        {"operation", operation()},
        {"userInfo", user_info(subject_of(request_))},
        {"object", std::move(*object)},
        {"oldObject", std::move(*old_object)},
        {"dryRun", is_dry_run(request_, is_deletion())},
        {"options", review_options()}
    };
    if (!route_.ns.empty()) {
        request.set("namespace", route_.ns);
    }
    if (!route_.subresource.empty()) {
        request.set("subResource", route_.subresource);
        request.set("requestSubResource", route_.subresource);
    }
    return json::Object{
        {"kind", "AdmissionReview"},
        {"apiVersion", "admission.k8s.io/v1"},
        {"request", std::move(request)}
    };
}

Result<void> WriteOperation::prepare_deletion() {
    if (!live_) {
        return not_found(type(), name_.name);
    }
    before_ = state_.to_version(*live_, type());
    return {};
}

json::Value WriteOperation::review_options() const {
    json::Value options = json::Object{{"apiVersion", "meta.k8s.io/v1"}};
    if (is_dry_run(request_, is_deletion())) {
        options.set("dryRun", json::Array{"All"});
    }
    if (!is_deletion()) {
        options.set("kind", live_ ? "UpdateOptions" : "CreateOptions");
        for (const char* name : {"fieldManager", "fieldValidation"}) {
            if (const auto value = request_.parameter(name); !value.empty()) {
                options.set(name, value);
            }
        }
        return options;
    }
    options.set("kind", "DeleteOptions");
    const auto given = read_deletion_options(request_);
    if (!given) {
        return options;  // DeleteOperation has read the options before
    }
    if (!given->propagation.empty()) {
        options.set("propagationPolicy", given->propagation);
    }
    if (const auto grace = given->grace_seconds) {
        options.set("gracePeriodSeconds", *grace);
    }
    json::Value preconditions = json::Object();
    if (!given->uid.empty()) {
        preconditions.set("uid", given->uid);
    }
    if (!given->version.empty()) {
        preconditions.set("resourceVersion", given->version);
    }
    if (!preconditions.as_object().empty()) {
        options.set("preconditions", std::move(preconditions));
    }
    return options;
}

void WriteOperation::take_answer(const Result<json::Value>& review) {
    if (is_converting_) {
        take_conversion(review);
        return;
    }
    const Hook hook = hooks_[next_hook_++];
    const std::string name(hook.configuration.string_at("name"));
    const auto answer =
        review ? read_admission_answer(asked_, *review)
               : Result<json::Value>(with_context(review.error(), "failed to call webhook"));
    if (!answer) {
        if (hook.configuration.string_at("failurePolicy") != "Ignore") {
            fail(internal(fmt::format(
                "failed calling webhook \"{}\": {}{}",
                name,
                review ? "received invalid webhook response: " : "",
                answer.error().detail
            )));
        }
        return;
    }
    if (const json::Value* warnings = answer->find("warnings");
        warnings != nullptr && warnings->is_array()) {
        for (const json::Value& warning : warnings->as_array()) {
            warnings_.push_back(warning.is_string() ? warning.as_string() : "");
        }
    }
    const json::Value* allowed = answer->find("allowed");
    if (allowed == nullptr || *allowed != json::Value(true)) {
        fail(make_denial(name, *answer));
        return;
    }
    const std::string_view patch = answer->string_at("patch");
    if (!hook.is_mutating || patch.empty()) {
        return;
    }
    if (const auto taken = take_patch(hook, patch); !taken) {
        fail(taken.error());
    }
}

Result<void> WriteOperation::take_patch(const Hook& hook, std::string_view patch) {
    const auto text = kube::decode_base64(patch);
    const auto operations = text ? json::parse(*text) : Result<json::Value>(text.error());
    auto changed = operations && json::check_json_patch(*operations)
                       ? json::apply_json_patch(std::exchange(sent_, {}), *operations)
                       : Result<json::Value>(make_invalid("the patch is not a JSON patch"));
    if (!changed || changed->find("metadata") == nullptr) {
        return internal(fmt::format(
            "webhook \"{}\" answered with a patch that fits not",
            hook.configuration.string_at("name")
        ));
    }
    is_mutated_ = true;
    patched_ = Patched{std::move(*changed), hook.type};
    return {};
}

}  // namespace sluice::apiserver
