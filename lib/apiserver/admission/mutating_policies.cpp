#include "apiserver/admission/mutating_policies.hpp"

#include "apiserver/admission/expression_checks.hpp"
#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/fields/typed_walk.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";
const Collection mutating_policies{std::string(kAdmissionGroup), "mutatingadmissionpolicies"};
const Collection mutating_bindings{std::string(kAdmissionGroup), "mutatingadmissionpolicybindings"};

/// Finds atomic lists and maps, which an apply configuration would replace as a whole.
void find_atomics(
    const FieldType& type,
    const Value& value,
    const std::string& path,
    std::vector<std::string>& found
) {
    if (value.is_array() && type.is_atomic_list()) {
        found.push_back(path);
    }
    if (!value.is_object()) {
        return;
    }
    if (type.is_atomic_map()) {
        found.push_back(path);
    }
    for (const auto& [name, member] : value.as_object()) {
        if (const auto below = type.member(name)) {
            find_atomics(*below, member, fmt::format("{}.{}", path, name), found);
        }
    }
}

/// Returns the object with the fields of an apply configuration merged into it.
Result<Value> apply_configuration(const Schema& schema, const Value& object, Value config) {
    if (!config.is_object()) {
        return make_invalid("the expression made no Object");
    }
    config.set("apiVersion", object.string_at("apiVersion"));
    config.set("kind", object.string_at("kind"));
    const FieldType type = root_type(schema);
    if (const auto faults = find_typing_faults(type, config); !faults.empty()) {
        return make_invalid(fmt::format(
            "error applying patch: failed to convert patch object to typed object: {}",
            faults.front()
        ));
    }
    std::vector<std::string> atomics;
    find_atomics(type, config, "", atomics);
    if (!atomics.empty()) {
        return make_invalid(fmt::format(
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps "
            "or structs: {}",
            fmt::join(atomics, ", ")
        ));
    }
    return merge(type, object, config);
}

/// Applies a JSON patch; returns the unchanged object if a `test` operation fails.
Result<Value> apply_policy_patch(const Value& object, const Value& patch) {
    if (const auto checked = json::check_json_patch(patch); !checked) {
        return checked.error();
    }
    auto patched = json::apply_json_patch(object, patch);
    if (patched) {
        return patched;
    }
    const bool has_test = std::ranges::any_of(patch.as_array(), [](const Value& operation) {
        return operation.string_at("op") == "test";
    });
    if (has_test && patched.error().detail.find("testing value") != std::string::npos) {
        return object;
    }
    return with_context(patched.error(), "JSON Patch");
}

/// Applies one policy with one param to the object of the context.
class Mutator {
  public:
    Mutator(const State& state, const Schema& schema, const Value& spec)
        : state_(state), schema_(schema), spec_(spec) {}

    /// Evaluates the matchConditions once, on the object before all mutations. A mutation that
    /// fails ends the policy, unless its failures are ignored: then the other mutations are
    /// applied.
    Result<void> run(AdmissionContext& context, bool is_lenient) const {
        AdmissionExpressions questions(context, state_.programs());
        const auto matches = match_conditions(questions, spec_.find("matchConditions"));
        if (!matches || !*matches) {
            return matches ? Result<void>() : matches.error();
        }
        for (const Value& mutation : items_of(spec_.find("mutations"))) {
            auto changed = mutate(mutation, context);
            if (changed) {
                context.object = std::move(*changed);
            } else if (!is_lenient) {
                return changed.error();
            }
        }
        return {};
    }

  private:
    /// Returns the object after one mutation.
    Result<Value> mutate(const Value& mutation, const AdmissionContext& context) const {
        AdmissionExpressions changes(context, state_.programs(), Purpose::Change);
        for (const Value& variable : items_of(spec_.find("variables"))) {
            changes.add_variable(variable.string_at("name"), variable.string_at("expression"));
        }
        changes.grant(kValidationsBudget);
        const bool is_patch = mutation.string_at("patchType") == "JSONPatch";
        const Value* part = mutation.find(is_patch ? "jsonPatch" : "applyConfiguration");
        if (part == nullptr) {
            return context.object;
        }
        auto made = changes.document(part->string_at("expression"));
        if (!made) {
            return made.error();
        }
        return is_patch ? apply_policy_patch(context.object, *made)
                        : apply_configuration(schema_, context.object, std::move(*made));
    }

    const State& state_;
    const Schema& schema_;
    const Value& spec_;
};

Error refuse_mutation(
    const Route& route, std::string_view name, const BoundPair& pair, const std::string& why
) {
    const std::string message = fmt::format(
        "policy '{}' with binding '{}' denied request: {}",
        pair.policy->find("metadata")->string_at("name"),
        pair.binding->find("metadata")->string_at("name"),
        why
    );
    Value details = json::Object{{"name", name}};
    if (!route.type->group.empty()) {
        details.set("group", route.type->group);
    }
    details.set("kind", route.type->plural);
    details.set("causes", json::Array{json::Object{{"message", message}}});
    return make_failure(403, "Invalid", message, std::move(details));
}

/// Applies one policy; returns true if it changed the object, which is in the version of the
/// request.
Result<bool> apply_policy(
    const State& state,
    const RuledRequest& request,
    const ContextSource& make_context,
    const BoundPair& pair,
    Value& object
) {
    const Route& route = request.route;
    const auto schema = schema_of(*pair.version);
    auto context = make_context(*pair.version);
    auto before = state.convert(object, *route.type, *pair.version);
    if (!context || !before || schema == nullptr) {
        return !context ? context.error() : !before ? before.error() : Result<bool>(false);
    }
    context->object = *before;
    const Value& spec = *pair.policy->find("spec");
    const bool is_lenient = spec.string_at("failurePolicy") == "Ignore";
    const auto params = find_params(state, spec, *pair.binding->find("spec"), route.ns);
    if (!params && !is_lenient) {
        return refuse_mutation(
            route,
            request.name,
            pair,
            fmt::format("failed to configure binding: {}", params.error().detail)
        );
    }
    for (const Value& each : params ? *params : std::vector<Value>()) {
        context->params = each;
        const auto done = Mutator(state, *schema, spec).run(*context, is_lenient);
        if (!done && !is_lenient) {
            return refuse_mutation(route, request.name, pair, done.error().detail);
        }
    }
    if (context->object == *before) {
        return false;
    }
    auto changed = state.convert(context->object, *pair.version, *route.type);
    if (!changed) {
        return changed.error();
    }
    object = std::move(*changed);
    object.set("apiVersion", route.type->api_version());
    return true;
}

}  // namespace

Result<std::optional<Value>> apply_mutating_policies(
    const State& state, const RuledRequest& request, const ContextSource& make_context
) {
    const Route& route = request.route;
    if (route.type->group == kAdmissionGroup || state.store.objects(mutating_bindings).empty()) {
        return std::nullopt;
    }
    const auto own = make_context(*route.type);
    if (!own) {
        return own.error();
    }
    const std::vector<BoundPair> pairs =
        find_bound_policies(state, mutating_policies, mutating_bindings, request, *own);
    Value object = own->object;
    bool is_mutated = false;
    // After a change, the policies with the reinvocationPolicy IfNeeded run again.
    for (const bool is_again : {false, true}) {
        if (is_again && !is_mutated) {
            break;
        }
        for (const BoundPair& pair : pairs) {
            const Value& spec = *pair.policy->find("spec");
            if (is_again && spec.string_at("reinvocationPolicy") != "IfNeeded") {
                continue;
            }
            const auto changed = apply_policy(state, request, make_context, pair, object);
            if (!changed) {
                return changed.error();
            }
            is_mutated = is_mutated || *changed;
        }
    }
    return is_mutated ? std::optional(std::move(object)) : std::nullopt;
}

std::vector<Cause> find_mutation_faults(const Value& policy) {
    std::vector<Cause> causes;
    const auto check = [&causes](std::string path, std::string_view source, Purpose purpose) {
        if (auto cause = check_admission_expression(std::move(path), source, purpose)) {
            causes.push_back(std::move(*cause));
        }
    };
    const Value* spec = policy.find("spec");
    if (spec == nullptr) {
        return causes;
    }
    const Value* kind = spec->find("paramKind");
    ExpressionChecks(causes, kind != nullptr && kind->is_object())
        .check_conditions("spec.matchConditions", spec->find("matchConditions"));
    const auto& variables = items_of(spec->find("variables"));
    for (std::size_t i = 0; i < variables.size(); ++i) {
        check(
            fmt::format("spec.variables[{}].expression", i),
            variables[i].string_at("expression"),
            Purpose::Change
        );
    }
    const auto& mutations = items_of(spec->find("mutations"));
    for (std::size_t i = 0; i < mutations.size(); ++i) {
        for (const char* part : {"applyConfiguration", "jsonPatch"}) {
            if (const Value* found = mutations[i].find(part)) {
                check(
                    fmt::format("spec.mutations[{}].{}.expression", i, part),
                    found->string_at("expression"),
                    Purpose::Change
                );
            }
        }
    }
    return causes;
}

}  // namespace sluice::apiserver
