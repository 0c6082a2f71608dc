#include "controller/training_kind.hpp"

#include "api/meta/codec.hpp"
#include "controller/jobs/job/stored_template.hpp"

#include <utility>

namespace sluice::controller {

namespace {

class Training final : public GenericJob {
  public:
    explicit Training(std::shared_ptr<const api::DynamicObject> object)
        : object_(std::move(object)) {}

    const api::ObjectMeta& metadata() const override { return object_->metadata; }
    Result<std::vector<api::PodSet>> pod_sets() const override {
        const auto live = pod_template();
        if (!live) {
            return live.error();
        }
        auto stored = stored_template(*live, {});
        if (!stored) {
            return stored.error();
        }
        api::PodSet pod_set;
        pod_set.name = "trainers";
        pod_set.count = number({"spec", "replicas"});
        pod_set.template_ = std::move(*stored);
        std::vector<api::PodSet> all;
        all.push_back(std::move(pod_set));
        return all;
    }
    bool is_suspended() const override {
        const json::Value* suspend = object_->value.find_path({"spec", "suspend"});
        return suspend != nullptr && suspend->is_bool() && suspend->as_bool();
    }
    bool is_active() const override { return number({"status", "active"}) > 0; }
    bool are_pods_ready() const override {
        return number({"status", "active"}) == number({"spec", "replicas"});
    }
    std::optional<JobEnd> find_end() const override {
        const json::Value* phase = object_->value.find_path({"status", "phase"});
        if (phase == nullptr || *phase == json::Value("Running")) {
            return std::nullopt;
        }
        const bool has_failed = *phase == json::Value("Failed");
        return JobEnd{
            .result = has_failed ? JobEnd::Result::Failed : JobEnd::Result::Succeeded,
            .message = "the training is over"
        };
    }
    Result<std::vector<Write>> start(const std::vector<PodSetInfo>& injected) const override {
        const auto live = pod_template();
        if (!live) {
            return live.error();
        }
        auto patch = injection_patch(*live, injected.at(0));
        if (!patch) {
            return patch.error();
        }
        return one_write(json::Object{{"suspend", false}, {"template", std::move(*patch)}});
    }
    StopStep next_stop_step(const api::Workload* workload) const override {
        if (is_suspended()) {
            return {};
        }
        json::Value spec = json::Object{{"suspend", true}};
        const auto live = pod_template();
        if (live && workload != nullptr) {
            spec.set(
                "template", restoration_patch(*live, *workload->spec.pod_sets.at(0).template_, {})
            );
        }
        return {.kind = StopStep::Kind::Suspend, .writes = one_write(std::move(spec))};
    }

  private:
    std::int32_t number(std::initializer_list<std::string_view> path) const {
        const json::Value* found = object_->value.find_path(path);
        return found == nullptr ? 0 : static_cast<std::int32_t>(found->as_int());
    }
    Result<api::PodTemplateSpec> pod_template() const {
        const json::Value* found = object_->value.find_path({"spec", "template"});
        if (found == nullptr) {
            return make_invalid("spec.template: required");
        }
        return api::decode<api::PodTemplateSpec>(json::print(*found));
    }
    std::vector<Write> one_write(json::Value spec) const {
        std::vector<Write> writes;
        writes.push_back(
            job_patch(training_names()->kind(), metadata(), json::Object{{"spec", std::move(spec)}})
        );
        return writes;
    }

    std::shared_ptr<const api::DynamicObject> object_;
};

class TrainingKind final : public JobKind {
  public:
    Kind kind() const override { return training_names()->kind(); }
    std::string_view integration() const override { return "example.com/training"; }
    std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings&, const kube::NamespacedName& name
    ) const override {
        auto object = stores.find_dynamic(kind())->find(name);
        if (!object || object->metadata.deletion_timestamp) {
            return nullptr;
        }
        return std::make_unique<Training>(std::move(object));
    }
    Result<std::unique_ptr<GenericJob>> read(const Stores&, const Settings&, std::string_view json)
        const override {
        auto object = api::decode<api::DynamicObject>(json);
        if (!object) {
            return object.error();
        }
        return std::make_unique<Training>(
            std::make_shared<const api::DynamicObject>(std::move(*object))
        );
    }
};

}  // namespace

std::shared_ptr<const kube::RunTimeKind> training_names() {
    static const auto names = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "example.com", .version = "v1", .kind = "Training", .resource = "trainings"
    });
    return names;
}

KindEntry training_kind() {
    KindEntry entry = make_dynamic_entry(training_names());
    entry.controller = "training";
    entry.metric_name = "training";
    make_jobs(entry, std::make_shared<const TrainingKind>());
    return entry;
}

}  // namespace sluice::controller
