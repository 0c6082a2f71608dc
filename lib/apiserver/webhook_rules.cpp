#include "api/codec.hpp"
#include "api/label_selector.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/selectors.hpp"
#include "apiserver/write_operation.hpp"
#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// Which webhooks a write has to pass, what they are told, and what their answers do.
namespace sluice::apiserver {

namespace {

bool has_any(const json::Value& rule, std::string_view list, std::string_view text) {
    const json::Value* values = rule.find(list);
    return values != nullptr && values->is_array() &&
           std::ranges::any_of(values->as_array(), [text](const json::Value& value) {
               return value == json::Value("*") || value == json::Value(text);
           });
}

bool names_resource(const json::Value& rule, const Route& route) {
    const std::string full = route.subresource.empty()
                                 ? route.type->plural
                                 : route.type->plural + "/" + route.subresource;
    return has_any(rule, "resources", full) || has_any(rule, "resources", "*/*") ||
           (!route.subresource.empty() && has_any(rule, "resources", route.type->plural + "/*"));
}

bool fits_scope(const json::Value& rule, const ResourceType& type) {
    const std::string_view scope = rule.string_at("scope");
    return scope.empty() || scope == "*" || (scope == "Namespaced") == type.is_namespaced;
}

bool selects(const json::Value* selector, const json::Value* labels) {
    if (selector == nullptr || !selector->is_object() || selector->as_object().empty()) {
        return true;
    }
    const auto read = api::from_value<api::LabelSelector>(*selector);
    api::StringMap texts;
    if (labels != nullptr && labels->is_object()) {
        for (const auto& [key, value] : labels->as_object()) {
            texts.emplace(key, value.is_string() ? value.as_string() : std::string());
        }
    }
    return read && api::matches(*read, texts);
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
        return;  // they could lock themselves in
    }
    const Snapshot ns = state_.store.find({"", "namespaces"}, {"", route_.ns});
    const json::Value* ns_labels = ns ? ns->find_path({"metadata", "labels"}) : nullptr;
    const json::Value* labels = object_.find_path({"metadata", "labels"});
    const json::Value* old_labels = live_ ? live_->find_path({"metadata", "labels"}) : nullptr;
    for (const auto& [name, configuration] : state_.store.objects(configurations)) {
        const json::Value* hooks = configuration->find("webhooks");
        if (hooks == nullptr || !hooks->is_array()) {
            continue;
        }
        for (const json::Value& hook : hooks->as_array()) {
            const json::Value* rules = hook.find("rules");
            const bool fits =
                rules != nullptr && rules->is_array() &&
                std::ranges::any_of(rules->as_array(), [this](const json::Value& rule) {
                    // Of another version, too: the same objects are written through it.
                    return has_any(rule, "operations", operation()) &&
                           has_any(rule, "apiGroups", route_.type->group) &&
                           names_resource(rule, route_) && fits_scope(rule, *route_.type);
                });
            const json::Value* selector = hook.find("objectSelector");
            const bool is_selected =
                selects(selector, labels) || (live_ && selects(selector, old_labels));
            const bool is_in_namespace =
                !route_.type->is_namespaced || selects(hook.find("namespaceSelector"), ns_labels);
            if (fits && is_selected && is_in_namespace && hook.find("clientConfig") != nullptr) {
                hooks_.push_back({hook, are_mutating});
            }
        }
    }
}

Result<json::Value> WriteOperation::make_review() const {
    // Webhooks see the version that is stored, whatever the request's is.
    const auto object = state_.to_stored(object_, *route_.type);
    if (!object) {
        return object.error();
    }
    const ResourceType& type = *stored_type_;
    const json::Value resource =
        json::Object{{"group", type.group}, {"version", type.version}, {"resource", type.plural}};
    const json::Value kind =
        json::Object{{"group", type.group}, {"version", type.version}, {"kind", type.kind}};
    json::Value request = json::Object{
        {"uid", fmt::format("{}-{}", object_.find("metadata")->string_at("uid"), next_hook_)},
        {"kind", kind},
        {"resource", resource},
        {"requestKind", kind},
        {"requestResource", resource},
        {"name", name_.name},
        {"operation", operation()},
        {"userInfo",
         json::Object{{"username", request_.user}, {"groups", json::Array{"system:masters"}}}},
        {"object", *object},
        {"oldObject", live_ ? *live_ : json::Value()},
        {"dryRun", request_.is_dry_run()},
        {"options", json::Object{{"apiVersion", "meta.k8s.io/v1"}, {"kind", "CreateOptions"}}}
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

void WriteOperation::take_answer(const Result<json::Value>& review) {
    const Hook hook = hooks_[next_hook_++];
    const std::string name(hook.configuration.string_at("name"));
    const json::Value* answer = review ? review->find("response") : nullptr;
    if (answer == nullptr || !answer->is_object()) {
        if (hook.configuration.string_at("failurePolicy") != "Ignore") {
            fail(internal(fmt::format(
                "failed calling webhook \"{}\": {}",
                name,
                review ? "webhook response is no AdmissionReview" : review.error().detail
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
        const json::Value* status = answer->find("status");
        const std::string why(status == nullptr ? "" : status->string_at("message"));
        const json::Value* code = status == nullptr ? nullptr : status->find("code");
        const std::string_view reason =
            status == nullptr ? std::string_view() : status->string_at("reason");
        const std::int64_t number = code != nullptr && code->is_int() ? code->as_int() : 403;
        fail(make_failure(
            static_cast<int>(number >= 400 ? number : 403),
            reason.empty() ? "Forbidden" : reason,
            fmt::format(
                "admission webhook \"{}\" denied the request{}",
                name,
                why.empty() ? " without explanation" : ": " + why
            ),
            {}
        ));
        return;
    }
    const std::string_view patch = answer->string_at("patch");
    if (!hook.is_mutating || patch.empty()) {
        return;
    }
    take_patch(hook, patch);
}

void WriteOperation::take_patch(const Hook& hook, std::string_view patch) {
    const auto text = kube::decode_base64(patch);
    const auto operations = text ? json::parse(*text) : Result<json::Value>(text.error());
    auto changed = state_.to_stored(object_, *route_.type);
    if (operations && changed && json::check_json_patch(*operations)) {
        changed = json::apply_json_patch(std::move(*changed), *operations);
    } else if (changed) {
        changed = make_invalid("the patch is none");
    }
    if (!changed || changed->find("metadata") == nullptr) {
        fail(internal(fmt::format(
            "webhook \"{}\" answered with a patch that fits not",
            hook.configuration.string_at("name")
        )));
        return;
    }
    object_ = State::to_version(*changed, *route_.type);
    is_mutated_ = true;
}

}  // namespace sluice::apiserver
