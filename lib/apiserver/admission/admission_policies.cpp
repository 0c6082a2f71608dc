#include "apiserver/admission/admission_policies.hpp"

#include "apiserver/admission/expression_checks.hpp"
#include "apiserver/admission/mutating_policies.hpp"
#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/admission/policy_types.hpp"
#include "apiserver/objects/go_text.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
const Collection policies_collection{std::string(kGroup), "validatingadmissionpolicies"};
const Collection bindings_collection{std::string(kGroup), "validatingadmissionpolicybindings"};

/// A reason of a policy to deny a write.
struct Objection {
    std::string message;
    std::string reason;
};

int code_of(std::string_view reason) {
    return reason == "Forbidden"               ? 403
           : reason == "Unauthorized"          ? 401
           : reason == "RequestEntityTooLarge" ? 413
                                               : 422;
}

Objection object_to(const Value& validation, AdmissionExpressions& expressions) {
    Objection made{.message = {}, .reason = std::string(validation.string_at("reason"))};
    made.reason = made.reason.empty() ? "Invalid" : made.reason;
    if (const auto source = validation.string_at("messageExpression"); !source.empty()) {
        if (const auto text = expressions.text(source)) {
            // A message of several lines is ignored.
            const std::string message = trimmed(*text);
            made.message = message.find('\n') == std::string::npos ? message : std::string();
        }
    }
    if (made.message.empty()) {
        made.message = trimmed(validation.string_at("message"));
    }
    if (made.message.empty()) {
        made.message =
            fmt::format("failed expression: {}", trimmed(validation.string_at("expression")));
    }
    return made;
}

/// Returns the objections of the policy to the write. If the policy exceeds its budget, that is the
/// only objection.
std::vector<Objection> evaluate(
    const Value& spec, const AdmissionContext& context, AdmissionPrograms& programs
) {
    std::vector<Objection> objections;
    const bool is_lenient = spec.string_at("failurePolicy") == "Ignore";
    AdmissionExpressions expressions(context, programs);
    const auto matches = match_conditions(expressions, spec.find("matchConditions"));
    if (!matches && !is_lenient) {
        objections.push_back({matches.error().detail, "Invalid"});
    }
    if (!matches || !*matches) {
        return objections;
    }
    for (const Value& variable : items_of(spec.find("variables"))) {
        expressions.add_variable(variable.string_at("name"), variable.string_at("expression"));
    }
    expressions.grant(kValidationsBudget);
    std::vector<const Value*> broken;
    for (const Value& validation : items_of(spec.find("validations"))) {
        const std::string_view source = validation.string_at("expression");
        const auto holds = expressions.is_true(source);
        if (expressions.is_out_of_budget()) {
            // The results before it do not count.
            return is_lenient ? std::vector<Objection>()
                              : std::vector<Objection>{{holds.error().detail, "Invalid"}};
        }
        if (holds && !*holds) {
            broken.push_back(&validation);
            objections.emplace_back();
        } else if (!holds && !is_lenient) {
            broken.push_back(nullptr);
            objections.push_back(
                {fmt::format("expression '{}' resulted in error: {}", source, holds.error().detail),
                 "Invalid"}
            );
        }
    }
    // Message expressions share the rest of the budget of the validations.
    for (std::size_t i = 0; i < broken.size(); ++i) {
        if (broken[i] != nullptr) {
            objections[i] = object_to(*broken[i], expressions);
        }
    }
    return objections;
}

/// A policy together with one of its bindings.
class BoundPolicy {
  public:
    BoundPolicy(const Value& policy, const Value& binding)
        : spec_(*policy.find("spec")),
          binding_(*binding.find("spec")),
          name_(policy.find("metadata")->string_at("name")),
          binding_name_(binding.find("metadata")->string_at("name")) {}

    Result<void> run(
        const State& state,
        const Route& route,
        std::string_view name,
        AdmissionContext& context,
        std::vector<std::string>& warnings
    ) const {
        const auto params = find_params(state, spec_, binding_, route.ns);
        if (!params) {
            const Objection objection{
                fmt::format("failed to configure binding: {}", params.error().detail), "Invalid"
            };
            return spec_.string_at("failurePolicy") == "Ignore"
                       ? Result<void>()
                       : act(objection, route, name, warnings);
        }
        for (const Value& each : *params) {
            context.params = each;
            for (const Objection& objection : evaluate(spec_, context, state.programs())) {
                if (auto done = act(objection, route, name, warnings); !done) {
                    return done;
                }
            }
        }
        return {};
    }

  private:
    Result<void> act(
        const Objection& objection,
        const Route& route,
        std::string_view name,
        std::vector<std::string>& warnings
    ) const {
        const auto& actions = items_of(binding_.find("validationActions"));
        const auto wants = [&actions](const char* action) {
            return std::ranges::find(actions, Value(action)) != actions.end();
        };
        if (wants("Warn")) {
            warnings.push_back(fmt::format(
                "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                name_,
                binding_name_,
                objection.message
            ));
        }
        if (!wants("Deny")) {
            return {};
        }
        const std::string message = fmt::format(
            "ValidatingAdmissionPolicy '{}' with binding '{}' denied request: {}",
            name_,
            binding_name_,
            objection.message
        );
        const std::string shown =
            fmt::format("{} \"{}\" is forbidden: {}", route.type->resource(), name, message);
        json::Value details = json::Object{{"name", name}};
        if (!route.type->group.empty()) {
            details.set("group", route.type->group);
        }
        details.set("kind", route.type->plural);
        details.set("causes", json::Array{json::Object{{"message", message}}});
        return make_failure(code_of(objection.reason), objection.reason, shown, std::move(details));
    }

    const Value& spec_;
    const Value& binding_;
    std::string name_;
    std::string binding_name_;
};

}  // namespace

Result<void> check_policies(
    const State& state,
    const RuledRequest& request,
    const ContextSource& make_context,
    std::vector<std::string>& warnings
) {
    const Route& route = request.route;
    if (route.type->group == kGroup) {
        return {};  // such policies could make themselves impossible to change
    }
    const auto own = make_context(*route.type);
    if (!own) {
        return own.error();
    }
    for (const BoundPair& pair :
         find_bound_policies(state, policies_collection, bindings_collection, request, *own)) {
        auto context = pair.version == route.type ? own : make_context(*pair.version);
        if (!context) {
            return context.error();
        }
        const BoundPolicy both(*pair.policy, *pair.binding);
        if (auto done = both.run(state, route, request.name, *context, warnings); !done) {
            return done;
        }
    }
    return {};
}

namespace {

void find_policy_faults(const Value& spec, std::vector<Cause>& causes) {
    const Value* kind = spec.find("paramKind");
    ExpressionChecks checks(causes, kind != nullptr && kind->is_object());
    checks.check_conditions("spec.matchConditions", spec.find("matchConditions"));
    checks.add_variables("spec.variables", spec.find("variables"));
    const auto& validations = items_of(spec.find("validations"));
    for (std::size_t i = 0; i < validations.size(); ++i) {
        const std::string path = element_path("spec.validations", i);
        checks.check_question(
            path + ".expression",
            validations[i].string_at("expression"),
            "expression is not specified"
        );
        checks.check_text(
            path + ".messageExpression", validations[i].string_at("messageExpression")
        );
    }
    const auto& annotations = items_of(spec.find("auditAnnotations"));
    for (std::size_t i = 0; i < annotations.size(); ++i) {
        checks.check_annotation(
            element_path("spec.auditAnnotations", i) + ".valueExpression",
            annotations[i].string_at("valueExpression")
        );
    }
}

}  // namespace

std::vector<Cause> find_expression_faults(const ResourceType& type, const Value& object) {
    std::vector<Cause> causes;
    if (type.is_custom || type.group != kGroup) {
        return causes;
    }
    if (type.kind == "MutatingAdmissionPolicy") {
        return find_mutation_faults(object);
    }
    const auto& hooks = items_of(object.find("webhooks"));
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        ExpressionChecks(causes, false)
            .check_conditions(
                fmt::format("webhooks[{}].matchConditions", i), hooks[i].find("matchConditions")
            );
    }
    if (const Value* spec = object.find("spec"); type.kind == "ValidatingAdmissionPolicy") {
        find_policy_faults(*spec, causes);
    }
    return causes;
}

void settle_policy(State& state, const Collection& collection, const ObjectName& name) {
    if (collection != policies_collection) {
        return;
    }
    const Snapshot policy = state.store.find(collection, name);
    if (!policy) {
        return;
    }
    const std::int64_t generation = int_at(*policy->find("metadata"), "generation", 1);
    const Value* status = policy->find("status");
    if (status != nullptr && int_at(*status, "observedGeneration", 0) == generation) {
        return;
    }
    Value changed = *policy;
    object_at(changed, "status").set("observedGeneration", generation);
    Value checking = json::Object();
    if (json::Array warnings = find_type_warnings(state, *policy->find("spec"));
        !warnings.empty()) {
        checking.set("expressionWarnings", std::move(warnings));
    }
    object_at(changed, "status").set("typeChecking", std::move(checking));
    state.store.put(collection, name, std::move(changed));
}

}  // namespace sluice::apiserver
