#include "webhook/kueue_webhooks.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "validation/cluster_queue_rules.hpp"
#include "validation/quota_rules.hpp"
#include "validation/resource_flavor_rules.hpp"
#include "validation/workload_rules.hpp"
#include "workload/capacity/capacity_rule.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::webhook {

namespace {

using api::AdmissionRequest;
using config::FeatureGates;

template <class T>
std::string path_of(std::string_view verb) {
    return admission_path(verb, T::kGroup, T::kVersion, T::kKind);
}

/// Makes a webhook that validates a new object, or a change from an old to a new object.
/// `validate(new)` and `validate_update(old, new)` return errors.
template <class T, class Validate, class ValidateUpdate>
Webhook make_validating(const Validate& validate, const ValidateUpdate& validate_update) {
    const auto judge = [=](const AdmissionRequest& request) -> Result<Verdict> {
        if (request.operation != "CREATE" && request.operation != "UPDATE") {
            return Verdict();
        }
        const auto object = api::decode<T>(request.object.view());
        if (!object) {
            return object.error();
        }
        if (request.operation == "CREATE") {
            return make_verdict(validate(*object));
        }
        const auto before = api::decode<T>(request.old_object.view());
        if (!before) {
            return with_context(before.error(), "oldObject");
        }
        return make_verdict(validate_update(*before, *object));
    };
    return {path_of<T>("validate"), judge};
}

/// Makes a webhook that changes the object, which it receives and returns as JSON.
template <class T, class Change>
Webhook make_mutating(const Change& change) {
    const auto judge = [=](const AdmissionRequest& request) -> Result<Verdict> {
        if (request.operation != "CREATE") {
            return Verdict();
        }
        auto object = json::parse(request.object.view());
        if (!object) {
            return object.error();
        }
        change(*object);
        return Verdict{.refusal = {}, .changed = std::move(*object)};
    };
    return {path_of<T>("mutate"), judge};
}

json::Value& member(json::Value& object, std::string_view key, json::Value when_missing) {
    json::Value* found = object.find(key);
    return found != nullptr && !found->is_null() ? *found
                                                 : object.set(key, std::move(when_missing));
}

void add_in_use_finalizer(json::Value& object) {
    json::Value& metadata = member(object, "metadata", json::Object{});
    json::Value& finalizers = member(metadata, "finalizers", json::Array{});
    const json::Value name(api::finalizer::kResourceInUse);
    if (finalizers.is_array() &&
        std::ranges::find(finalizers.as_array(), name) == finalizers.as_array().end()) {
        finalizers.as_array().push_back(name);
    }
}

void drop_min_counts(json::Value& workload) {
    json::Value* spec = workload.find("spec");
    json::Value* pod_sets = spec == nullptr ? nullptr : spec->find("podSets");
    if (pod_sets == nullptr || !pod_sets->is_array()) {
        return;
    }
    for (json::Value& pod_set : pod_sets->as_array()) {
        pod_set.erase("minCount");
    }
}

}  // namespace

std::vector<Webhook> make_kueue_webhooks(const FeatureGates& gates) {
    std::vector<Webhook> webhooks;
    webhooks.push_back(make_mutating<api::ClusterQueue>(add_in_use_finalizer));
    webhooks.push_back(make_mutating<api::ResourceFlavor>(add_in_use_finalizer));
    webhooks.push_back(make_mutating<api::Workload>([gates](json::Value& workload) {
        if (!gates.is_enabled(config::Feature::PartialAdmission)) {
            drop_min_counts(workload);
        }
    }));
    webhooks.push_back(make_validating<api::ClusterQueue>(
        [gates](const api::ClusterQueue& queue) { return validation::validate(queue, gates); },
        [gates](const api::ClusterQueue& before, const api::ClusterQueue& after) {
            return validation::validate_update(before, after, gates);
        }
    ));
    webhooks.push_back(make_validating<api::Workload>(
        [gates](const api::Workload& workload) { return validation::validate(workload, gates); },
        [gates](const api::Workload& before, const api::Workload& after) {
            return validation::validate_update(before, after, gates);
        }
    ));
    webhooks.push_back(make_validating<api::Cohort>(
        [](const api::Cohort& cohort) { return validation::validate(cohort); },
        [](const api::Cohort&, const api::Cohort& after) { return validation::validate(after); }
    ));
    const auto judge_annotations = [gates](const api::ResourceFlavor& flavor) {
        return workload::validate_annotations(
            flavor, gates.is_enabled(config::Feature::TopologyAwareScheduling)
        );
    };
    webhooks.push_back(make_validating<api::ResourceFlavor>(
        [judge_annotations](const api::ResourceFlavor& flavor) {
            api::FieldErrors errors = validation::validate(flavor);
            append(errors, judge_annotations(flavor));
            return errors;
        },
        [judge_annotations](const api::ResourceFlavor& before, const api::ResourceFlavor& after) {
            api::FieldErrors errors = validation::validate(after);
            // Annotations that were fine once do not keep the flavor from changing otherwise.
            if (before.metadata.annotations != after.metadata.annotations) {
                append(errors, judge_annotations(after));
            }
            return errors;
        }
    ));
    return webhooks;
}

}  // namespace sluice::webhook
