#include "controller/jobs/described/described_admission.hpp"

#include "api/codec.hpp"
#include "api/kueue_names.hpp"
#include "validation/topology_request_rules.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

using config::Feature;
using config::FeatureGates;
using validation::FieldErrors;

void add_gate(json::Value& pod_spec, const char* name) {
    json::Value* gates = pod_spec.find("schedulingGates");
    if (gates == nullptr || !gates->is_array()) {
        gates = &pod_spec.set("schedulingGates", json::Array{});
    }
    const auto is_it = [name](const json::Value& gate) { return gate.string_at("name") == name; };
    if (std::ranges::none_of(gates->as_array(), is_it)) {
        gates->as_array().emplace_back(json::Object{{"name", name}});
    }
}

FieldErrors validate_topology(const DescribedJob& job, const FeatureGates& gates) {
    const auto pod_sets = find_pod_sets(job.description(), job.value());
    if (!gates.is_enabled(Feature::TopologyAwareScheduling) || !pod_sets) {
        return {};
    }
    FieldErrors errors;
    std::vector<validation::PodSetTopology> asked;
    for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
        const auto pod_template = read_template(job.value(), pod_set.pod_template);
        if (!pod_set.rule->has_topology_annotations || !pod_template) {
            continue;
        }
        const std::string path = job_kinds::to_string(pod_set.pod_template) + ".metadata";
        FieldErrors found =
            validation::validate_topology_annotations(pod_template->metadata, path, gates);
        if (found.empty()) {
            found = validation::validate_slice_sizes(pod_template->metadata, path, pod_set.count());
        }
        validation::append(errors, std::move(found));
        asked.push_back({pod_template->metadata, path, pod_set.count()});
    }
    if (job.description().may_have_pod_set_groups) {
        validation::append(errors, validation::validate_pod_set_groups(asked));
    }
    return errors;
}

FieldErrors validate_immutable(const DescribedJob& before, const DescribedJob& after) {
    FieldErrors errors;
    if (before.is_suspended() || after.is_suspended()) {
        return errors;
    }
    for (const job_kinds::Path& path : after.description().immutable_while_running) {
        const auto was = path.find_all(before.value());
        const auto is = path.find_all(after.value());
        const auto is_same = [](const job_kinds::Found& a, const job_kinds::Found& b) {
            return a.location == b.location && *a.value == *b.value;
        };
        if (!std::ranges::equal(was, is, is_same)) {
            errors.push_back(validation::forbidden(
                path.text(), "field is immutable while the job is not suspended"
            ));
        }
    }
    return errors;
}

}  // namespace

const DescribedJob& described(const GenericJob& job) {
    return static_cast<const DescribedJob&>(job);
}

DescribedAdmission::DescribedAdmission(
    std::shared_ptr<const job_kinds::Description> description, MakeDescribedJob make
)
    : description_(std::move(description)), make_(std::move(make)) {}

Result<std::unique_ptr<GenericJob>> DescribedAdmission::read(
    std::string_view json, const Settings& settings
) const {
    auto object = api::decode<api::DynamicObject>(json);
    if (!object) {
        return object.error();
    }
    return make_(std::make_shared<const api::DynamicObject>(std::move(*object)), settings);
}

void DescribedAdmission::suspend(json::Value& object) const {
    controller::suspend(description_->suspension, object);
}

void DescribedAdmission::gate_pods(json::Value& object) const {
    const auto pod_sets = find_pod_sets(*description_, object);
    if (!pod_sets) {
        return;
    }
    for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
        job_kinds::Location pod_spec = pod_set.pod_template;
        pod_spec.push_back({.kind = job_kinds::Step::Kind::Member, .name = "spec"});
        if (json::Value* found = job_kinds::make_object(object, pod_spec)) {
            add_gate(*found, api::scheduling_gate::kElasticJob);
        }
    }
}

FieldErrors DescribedAdmission::validate(const GenericJob& job, const FeatureGates& gates) const {
    return validate_topology(described(job), gates);
}

FieldErrors DescribedAdmission::validate_update(
    const GenericJob& before, const GenericJob& after, const FeatureGates& gates
) const {
    FieldErrors errors = validate_immutable(described(before), described(after));
    validation::append(errors, validate(after, gates));
    return errors;
}

}  // namespace sluice::controller
