#include "controller/jobs/described/startup_order.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

json::Array* find_list(json::Value& root, const job_kinds::Path& path, std::string_view member) {
    json::Value* parent = job_kinds::find(root, path.steps());
    json::Value* list = parent == nullptr || member.empty() ? parent : parent->find(member);
    return list != nullptr && list->is_array() ? &list->as_array() : nullptr;
}

const json::Value* find_named(const json::Array* list, std::string_view name) {
    if (list == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(*list, [name](const json::Value& one) {
        return one.is_object() && one.string_at("name") == name;
    });
    return found == list->end() ? nullptr : &*found;
}

std::int64_t number_of(const json::Value& object, std::string_view member, std::int64_t otherwise) {
    const json::Value* value = object.find(member);
    return value != nullptr && value->is_int() ? value->as_int() : otherwise;
}

/// Finds the replicated Jobs of a JobSet that may have pods.
class StartupOrder {
  public:
    StartupOrder(const json::Array& jobs, const json::Array* statuses, bool is_in_order)
        : jobs_(jobs), statuses_(statuses), is_in_order_(is_in_order) {}

    std::set<std::string> released() const {
        std::set<std::string> names;
        for (const json::Value& job : jobs_) {
            if (!job.is_object()) {
                continue;
            }
            if (is_dependency_met(job)) {
                names.insert(std::string(job.string_at("name")));
            }
            if (is_in_order_ && !has_reached(job, "Ready")) {
                break;
            }
        }
        return names;
    }

  private:
    /// Returns true if as many Jobs as the JobSet wants have reached the status; failed Jobs count
    /// as ready.
    bool has_reached(const json::Value& job, std::string_view status) const {
        const json::Value* counts = find_named(statuses_, job.string_at("name"));
        if (counts == nullptr) {
            return false;
        }
        std::int64_t reached = number_of(*counts, "succeeded", 0);
        if (status != "Complete") {
            reached += number_of(*counts, "ready", 0) + number_of(*counts, "failed", 0);
        }
        return reached >= number_of(job, "replicas", 1);
    }

    bool is_dependency_met(const json::Value& job) const {
        const json::Value* needs = job.find("dependsOn");
        if (needs == nullptr || !needs->is_array()) {
            return true;
        }
        return std::ranges::all_of(needs->as_array(), [this](const json::Value& need) {
            const json::Value* other =
                need.is_object() ? find_named(&jobs_, need.string_at("name")) : nullptr;
            return other != nullptr && has_reached(*other, need.string_at("status"));
        });
    }

    const json::Array& jobs_;
    const json::Array* statuses_;
    bool is_in_order_;
};

void keep_named(json::Array* list, const std::set<std::string>& names) {
    if (list != nullptr) {
        std::erase_if(*list, [&names](const json::Value& one) {
            return !one.is_object() || !names.contains(std::string(one.string_at("name")));
        });
    }
}

bool is_in_order(const json::Value& document, const JobSetPaths& paths) {
    const json::Value* spec = paths.spec.find(document);
    const json::Value* order =
        spec == nullptr ? nullptr : spec->find_path({"startupPolicy", "startupPolicyOrder"});
    return order != nullptr && *order == json::Value("InOrder");
}

}  // namespace

bool has_startup_order(const json::Value& document, const JobSetPaths& paths) {
    const json::Value* spec = paths.spec.find(document);
    const json::Value* jobs = spec == nullptr ? nullptr : spec->find("replicatedJobs");
    const bool depends =
        jobs != nullptr && jobs->is_array() &&
        std::ranges::any_of(jobs->as_array(), [](const json::Value& job) {
            const json::Value* needs = job.is_object() ? job.find("dependsOn") : nullptr;
            return needs != nullptr && needs->is_array() && !needs->as_array().empty();
        });
    return depends || is_in_order(document, paths);
}

void keep_released_jobs(json::Value& document, const JobSetPaths& paths) {
    json::Array* jobs = find_list(document, paths.spec, "replicatedJobs");
    json::Array* statuses = find_list(document, paths.statuses, {});
    if (jobs == nullptr) {
        return;
    }
    const auto released = StartupOrder(*jobs, statuses, is_in_order(document, paths)).released();
    if (!released.empty()) {
        keep_named(jobs, released);
        keep_named(statuses, released);
    }
}

}  // namespace sluice::controller
