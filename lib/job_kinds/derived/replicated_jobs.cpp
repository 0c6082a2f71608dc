#include "job_kinds/derived/replicated_jobs.hpp"

#include "job_kinds/derived/strategic_merge.hpp"
#include "job_kinds/path.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

/// The label of a replicated Job that names its step of the training.
constexpr std::string_view kStepLabel = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr std::string_view kTrainerStep = "trainer";
/// The trainer's container, and the replicated Job of MPI's workers.
constexpr std::string_view kNode = "node";
constexpr std::string_view kPodGroupLabel = "scheduling.x-k8s.io/pod-group";

std::string_view step_of(const json::Value& job) {
    const json::Value* label = job.find_path({"template", "metadata", "labels", kStepLabel});
    return label != nullptr && label->is_string() ? std::string_view(label->as_string())
                                                  : std::string_view();
}

std::optional<std::int64_t> number(const json::Value* value) {
    return value != nullptr && value->is_int() ? std::optional(value->as_int()) : std::nullopt;
}

json::Value& object_in(json::Value& value, std::initializer_list<std::string_view> way) {
    json::Value* at = &value;
    for (const std::string_view name : way) {
        json::Value* next = at->find(name);
        if (next == nullptr || !next->is_object()) {
            next = &at->set(name, json::Object{});
        }
        at = next;
    }
    return *at;
}

/// Returns an object member of the spec; nullptr if it is absent.
const json::Value* object_member(const json::Value& object, std::string_view member) {
    const json::Value* found = object.find_path({"spec", member});
    return found != nullptr && found->is_object() ? found : nullptr;
}

/// Returns the container with that name of a replicated Job; nullptr if it is absent.
json::Value* named_container(json::Value& job, std::string_view name) {
    json::Value& spec = object_in(job, {"template", "spec", "template", "spec"});
    json::Value* list = spec.find("containers");
    if (list == nullptr || !list->is_array()) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(list->as_array(), [name](const json::Value& one) {
        return one.string_at("name") == name;
    });
    return found == list->as_array().end() ? nullptr : &*found;
}

void copy_member(json::Value& to, std::string_view member, const json::Value* from) {
    const json::Value* value = from == nullptr ? nullptr : from->find(member);
    if (value != nullptr && !value->is_null()) {
        to.set(member, *value);
    }
}

/// Adds variables; a variable replaces one with its name.
void add_variables(json::Value& container, const json::Value* from) {
    const json::Value* more = from == nullptr ? nullptr : from->find("env");
    if (more == nullptr || !more->is_array()) {
        return;
    }
    json::Value* env = container.find("env");
    if (env == nullptr || !env->is_array()) {
        env = &container.set("env", json::Array{});
    }
    json::Array& list = env->as_array();
    for (const json::Value& variable : more->as_array()) {
        const auto present = std::ranges::find_if(list, [&variable](const json::Value& one) {
            return one.string_at("name") == variable.string_at("name");
        });
        if (present == list.end()) {
            list.push_back(variable);
        } else {
            *present = variable;
        }
    }
}

/// Applies Trainer's changes to the replicated Jobs, one after the other.
class JobSetMaker {
  public:
    JobSetMaker(const json::Value& train_job, const json::Value& runtime)
        : train_job_(train_job),
          runtime_(runtime),
          trainer_(object_member(train_job, "trainer")),
          policy_(object_member(runtime, "mlPolicy")),
          mpi_(policy_ == nullptr ? nullptr : policy_->find("mpi")) {}

    json::Array make() {
        json::Array jobs = patched_jobs();
        for (json::Value& job : jobs) {
            if (!job.is_object()) {
                continue;
            }
            set_nodes(job);
            set_resources(job);
            initialize(job, "dataset-initializer", "dataset");
            initialize(job, "model-initializer", "model");
            train(job);
            label(job);
        }
        return jobs;
    }

  private:
    bool is_launcher_node() const {
        const json::Value* said = mpi_ == nullptr ? nullptr : mpi_->find("runLauncherAsNode");
        return said != nullptr && *said == json::Value(true);
    }

    /// Returns the replicated Jobs in the order of the runtime, with the runtime patches applied.
    json::Array patched_jobs() const {
        const json::Value* own = runtime_.find_path({"spec", "template", "spec"});
        json::Value spec = own == nullptr ? json::Value(json::Object{}) : *own;
        const json::Value* patches = train_job_.find_path({"spec", "runtimePatches"});
        if (patches != nullptr && patches->is_array()) {
            for (const json::Value& patch : patches->as_array()) {
                const json::Value* change =
                    patch.find_path({"trainingRuntimeSpec", "template", "spec"});
                if (change != nullptr && change->is_object()) {
                    merge_strategically(spec, *change);
                }
            }
        }
        json::Value* jobs = spec.find("replicatedJobs");
        return jobs != nullptr && jobs->is_array() ? std::move(jobs->as_array()) : json::Array();
    }

    std::int64_t nodes_of(const json::Value& job, std::int64_t parallelism) {
        const bool is_trainer = step_of(job) == kTrainerStep;
        std::int64_t nodes = parallelism;
        if (is_trainer && policy_ != nullptr) {
            nodes = number(policy_->find("numNodes")).value_or(1);
        }
        const auto wanted = number(trainer_ == nullptr ? nullptr : trainer_->find("numNodes"));
        if (mpi_ != nullptr) {
            if (wanted && job.string_at("name") == kNode) {
                // The launcher counts as one of the nodes.
                nodes = is_launcher_node() ? std::max<std::int64_t>(*wanted - 1, 1) : *wanted;
            }
        } else if (is_trainer && wanted && !std::exchange(has_trainer_, true)) {
            nodes = *wanted;
        }
        return std::max<std::int64_t>(nodes, 1);
    }

    void set_nodes(json::Value& job) {
        json::Value& spec = object_in(job, {"template", "spec"});
        const std::int64_t nodes = nodes_of(job, number(spec.find("parallelism")).value_or(1));
        spec.set("parallelism", nodes);
        spec.set("completions", nodes);
    }

    void set_resources(json::Value& job) const {
        const json::Value* wanted =
            trainer_ == nullptr ? nullptr : trainer_->find("resourcesPerNode");
        const bool is_meant = (step_of(job) == kTrainerStep && policy_ != nullptr) ||
                              (is_launcher_node() && job.string_at("name") == kNode);
        json::Value* container = named_container(job, kNode);
        if (wanted != nullptr && wanted->is_object() && is_meant && container != nullptr) {
            merge_strategically(object_in(*container, {"resources"}), *wanted);
        }
    }

    void initialize(json::Value& job, std::string_view step, std::string_view member) const {
        if (step_of(job) != step) {
            return;
        }
        job.set("replicas", 1);
        const json::Value* said = train_job_.find_path({"spec", "initializer", member});
        json::Value* container = named_container(job, step);
        if (said == nullptr || !said->is_object() || container == nullptr) {
            return;
        }
        if (const std::string_view uri = said->string_at("storageUri"); !uri.empty()) {
            const json::Value env = json::Object{
                {"env", json::Array{json::Object{{"name", "STORAGE_URI"}, {"value", uri}}}}
            };
            add_variables(*container, &env);
        }
        add_variables(*container, said);
    }

    void train(json::Value& job) const {
        const bool is_trainer = step_of(job) == kTrainerStep;
        if (is_trainer) {
            job.set("replicas", 1);
        }
        json::Value* container = named_container(job, kNode);
        if (container == nullptr || trainer_ == nullptr) {
            return;
        }
        if (is_trainer) {
            for (const std::string_view member : {"image", "command", "args"}) {
                copy_member(*container, member, trainer_);
            }
        }
        if (is_trainer || (is_launcher_node() && job.string_at("name") == kNode)) {
            add_variables(*container, trainer_);
        }
    }

    void label(json::Value& job) const {
        if (runtime_.find_path({"spec", "podGroupPolicy", "coscheduling"}) != nullptr) {
            object_in(job, {"template", "spec", "template", "metadata", "labels"})
                .set(kPodGroupLabel, train_job_.find("metadata")->string_at("name"));
        }
    }

    const json::Value& train_job_;
    const json::Value& runtime_;
    const json::Value* trainer_;
    const json::Value* policy_;
    const json::Value* mpi_;
    bool has_trainer_ = false;  ///< the Job that gets the nodes was found
};

}  // namespace

json::Array make_replicated_jobs(const json::Value& train_job, const json::Value& runtime) {
    return JobSetMaker(train_job, runtime).make();
}

}  // namespace sluice::job_kinds
