#include "controller/scheduler/unaccounted_quota.hpp"

#include "api/kueue/kueue_names.hpp"
#include "json/value.hpp"
#include "kube/core/raw_json.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

using kube::NamespacedName;
using kube::UnreadableObject;

/// Returns the string at a path; "" if it is missing or null; nullopt if a value of another type is
/// in its place.
std::optional<std::string> read_string(
    const json::Value& object, std::initializer_list<std::string_view> path
) {
    const json::Value* value = &object;
    for (const std::string_view name : path) {
        if (value->is_null()) {
            return "";
        }
        if (!value->is_object()) {
            return std::nullopt;
        }
        value = value->find(name);
        if (value == nullptr) {
            return "";
        }
    }
    if (value->is_null()) {
        return "";
    }
    return value->is_string() ? std::optional(std::string(value->as_string())) : std::nullopt;
}

/// Returns true if the conditions say that the Workload holds quota, or if they cannot be read.
bool may_hold_quota(const json::Value& workload) {
    const json::Value* status = workload.find("status");
    if (status == nullptr || status->is_null()) {
        return false;
    }
    const json::Value* conditions = status->is_object() ? status->find("conditions") : status;
    if (conditions == nullptr || conditions->is_null()) {
        return false;
    }
    if (!conditions->is_array()) {
        return true;
    }
    bool is_reserved = false;
    for (const json::Value& condition : conditions->as_array()) {
        const auto type = read_string(condition, {"type"});
        const auto status_of = read_string(condition, {"status"});
        if (!type || !status_of) {
            return true;
        }
        const bool is_true = *status_of == api::condition_status::kTrue;
        if (*type == api::condition::kFinished && is_true) {
            return false;
        }
        is_reserved = is_reserved || (*type == api::condition::kQuotaReserved && is_true);
    }
    return is_reserved;
}

class Search {
  public:
    Search(const Stores& stores, const engine::State& state) : stores_(stores), state_(state) {}

    std::vector<UnaccountedQuota> run() && {
        for (const auto& [name, object] : unreadable(kind_of<api::Cohort>())) {
            visit_cohort(name.name, object);
        }
        for (const auto& [name, object] : unreadable(kind_of<api::ClusterQueue>())) {
            visit_cluster_queue(name.name, object);
        }
        for (const auto& [name, object] : unreadable(kind_of<api::Workload>())) {
            visit_workload(name, object);
        }
        return std::move(found_);
    }

  private:
    const std::map<NamespacedName, UnreadableObject>& unreadable(Kind kind) const {
        return stores_.find(kind)->unreadable();
    }

    void add(engine::NodeIndex node, const std::string& message) {
        if (node.is_valid()) {
            found_.push_back({node_name_of(state_, node), message});
        }
    }

    /// Adds the message to every ClusterQueue, because the object does not say which tree it is in.
    void add_every_tree(const std::string& message) {
        for (const auto& [name, queue] : stores_.of<api::ClusterQueue>().all()) {
            add(state_.find_cluster_queue(name.name), message);
        }
    }

    /// Adds the message to the tree of the Cohort that a member names in `field`.
    void add_tree_named_in(
        const UnreadableObject& member, std::string_view field, const std::string& message
    ) {
        const auto object = json::parse(member.text);
        const auto cohort = object ? read_string(*object, {"spec", field}) : std::nullopt;
        if (!cohort) {
            add_every_tree(message);
        } else if (!cohort->empty()) {
            add(state_.find_cohort(*cohort), message);
        }
    }

    void visit_cohort(const std::string& name, const UnreadableObject& object) {
        if (stores_.of<api::Cohort>().find("", name)) {
            return;  // its last readable version counts
        }
        const std::string message = fmt::format("Cohort {} cannot be read: {}", name, object.error);
        add(state_.find_cohort(name), message);
        add_tree_named_in(object, "parentName", message);
    }

    void visit_cluster_queue(const std::string& name, const UnreadableObject& object) {
        if (!stores_.of<api::ClusterQueue>().find("", name)) {
            add_tree_named_in(
                object,
                "cohortName",
                fmt::format("ClusterQueue {} cannot be read: {}", name, object.error)
            );
        }
    }

    void visit_workload(const NamespacedName& name, const UnreadableObject& object) {
        const engine::WorkloadIndex known = state_.find_workload(kube::to_string(name));
        if (known.is_valid() && state_.workload(known).holding != nullptr) {
            return;  // its last readable version counts
        }
        const auto workload = json::parse(object.text);
        if (workload && !may_hold_quota(*workload)) {
            return;
        }
        const std::string message = fmt::format(
            "Workload {} holds quota that cannot be read: {}", kube::to_string(name), object.error
        );
        const auto cluster_queue =
            workload ? read_string(*workload, {"status", "admission", "clusterQueue"})
                     : std::nullopt;
        if (!cluster_queue) {
            add_every_tree(message);
        } else {
            add(state_.find_cluster_queue(*cluster_queue), message);
        }
    }

    const Stores& stores_;
    const engine::State& state_;
    std::vector<UnaccountedQuota> found_;
};

}  // namespace

std::vector<UnaccountedQuota> find_unaccounted_quota(
    const Stores& stores, const engine::State& state
) {
    return Search(stores, state).run();
}

}  // namespace sluice::controller
