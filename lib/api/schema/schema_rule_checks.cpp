#include "api/schema/schema_rule_checks.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/schema/schema_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

namespace sluice::api {
namespace {

using json::Value;

/// CEL's has(): fields that are null were dropped before.
bool has(const Value& self, std::string_view field) {
    return self.find(field) != nullptr;
}

bool is(const Value& self, std::string_view field, std::string_view value) {
    const Value* found = self.find(field);
    return found != nullptr && found->is_string() && found->as_string() == value;
}

bool is_one_of(
    const Value& self, std::string_view field, std::initializer_list<std::string_view> values
) {
    return std::any_of(values.begin(), values.end(), [&](auto value) {
        return is(self, field, value);
    });
}

/// The number of elements or entries; -1, which no number equals, for what has none.
std::int64_t size(const Value* value) {
    if (value != nullptr && value->is_array()) {
        return static_cast<std::int64_t>(value->as_array().size());
    }
    if (value != nullptr && value->is_object()) {
        return static_cast<std::int64_t>(value->as_object().size());
    }
    return -1;
}

std::int64_t number(const Value& self, std::string_view field) {
    const Value* found = self.find(field);
    return found != nullptr && found->is_int() ? found->as_int() : -2;
}

template <class F>
bool all(const Value* list, F holds) {
    if (list == nullptr || !list->is_array()) {
        return false;
    }
    const auto& items = list->as_array();
    return std::all_of(items.begin(), items.end(), holds);
}

bool exactly_one(const Value& self, std::string_view a, std::string_view b) {
    return has(self, a) != has(self, b);
}

bool is_true_condition(const Value& object, std::string_view type) {
    const Value* conditions = object.find_path({"status", "conditions"});
    if (conditions == nullptr || !conditions->is_array()) {
        return false;
    }
    const auto& items = conditions->as_array();
    return std::any_of(items.begin(), items.end(), [&](const Value& condition) {
        return is(condition, "type", type) && is(condition, "status", condition_status::kTrue);
    });
}

bool levels_match(const Value& self) {
    const auto levels = size(self.find("levels"));
    return all(self.find("slices"), [&](const Value& slice) {
        return size(slice.find("valuesPerLevel")) == levels;
    });
}

bool pod_counts_match(const Value& self) {
    const Value* individual = self.find_path({"podCounts", "individual"});
    return individual == nullptr || size(individual) == number(self, "domainCount");
}

bool roots_match(const Value& self) {
    return all(self.find("valuesPerLevel"), [&](const Value& level) {
        return !has(level, "individual") ||
               size(level.find_path({"individual", "roots"})) == number(self, "domainCount");
    });
}

bool one_count(const Value& self) {
    return exactly_one(self, "universal", "individual");
}

bool empty_key_exists(const Value& self) {
    return all(&self, [](const Value& x) { return has(x, "key") || is(x, "operator", "Exists"); });
}

bool seconds_need_no_execute(const Value& self) {
    return all(&self, [](const Value& x) {
        return !has(x, "tolerationSeconds") || is(x, "effect", "NoExecute");
    });
}

bool operators_known(const Value& self) {
    return all(&self, [](const Value& x) {
        return !has(x, "operator") || is_one_of(x, "operator", {"Equal", "Exists"});
    });
}

bool exists_has_no_value(const Value& self) {
    return all(&self, [](const Value& x) {
        return !is(x, "operator", "Exists") || !has(x, "value");
    });
}

bool is_taint_effect(const Value& x) {
    return is_one_of(x, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

bool toleration_effects_known(const Value& self) {
    return all(&self, [](const Value& x) { return !has(x, "effect") || is_taint_effect(x); });
}

bool taint_effects_known(const Value& self) {
    return all(&self, is_taint_effect);
}

bool flavors_cover(const Value& self) {
    return all(self.find("flavors"), [&](const Value& flavor) {
        return size(flavor.find("resources")) == size(self.find("coveredResources"));
    });
}

bool no_borrowing_limit(const Value& self) {
    return all(self.find("resourceGroups"), [](const Value& group) {
        return all(group.find("flavors"), [](const Value& flavor) {
            return all(flavor.find("resources"), [](const Value& resource) {
                return !has(resource, "borrowingLimit");
            });
        });
    });
}

bool limits_need_cohort(const Value& self) {
    return has(self, "cohortName") || !has(self, "resourceGroups") || no_borrowing_limit(self);
}

bool limits_need_old_cohort(const Value& self) {
    return has(self, "cohort") || !has(self, "resourceGroups") || no_borrowing_limit(self);
}

bool preference_allowed(const Value& self) {
    return !has(self, "preference") || (is(self, "whenCanBorrow", "TryNextFlavor") &&
                                        is(self, "whenCanPreempt", "TryNextFlavor"));
}

bool borrow_needs_reclaim(const Value& self) {
    const Value* borrow = self.find("borrowWithinCohort");
    return !is(self, "reclaimWithinCohort", "Never") || borrow == nullptr ||
           is(*borrow, "policy", "Never");
}

bool assignments_match(const Value& self) {
    const Value* admission = self.find_path({"status", "admission"});
    if (!is_true_condition(self, condition::kQuotaReserved) || admission == nullptr) {
        return true;
    }
    const auto pod_sets = size(self.find_path({"spec", "podSets"}));
    return pod_sets >= 0 && pod_sets == size(admission->find("podSetAssignments"));
}

bool ref_needs_priority(const Value& self) {
    return !has(self, "priorityClassRef") || has(self, "priority");
}

bool class_needs_priority(const Value& self) {
    return !has(self, "priorityClassName") || has(self, "priority");
}

bool min_count_fits(const Value& self) {
    return !has(self, "minCount") || number(self, "minCount") <= number(self, "count");
}

bool scheduling_kind(const Value& self) {
    return !is(self, "group", "scheduling.k8s.io") || is(self, "kind", "PriorityClass");
}

bool kueue_kind(const Value& self) {
    return !is(self, "group", kKueueGroup) || is(self, "kind", "WorkloadPriorityClass");
}

bool one_cluster_choice(const Value& self) {
    return !has(self, "clusterName") || size(self.find("nominatedClusterNames")) <= 0;
}

bool topology_needs_labels(const Value& self) {
    return !has(self, "topologyName") || size(self.find("nodeLabels")) >= 1;
}

bool is_unique(const Value& self) {
    return all(&self, [&](const Value& x) {
        const auto& items = self.as_array();
        return std::count(items.begin(), items.end(), x) == 1;
    });
}

bool hostname_is_last(const Value& self) {
    return all(&self, [&](const Value& x) {
        return !is(x, "nodeLabel", "kubernetes.io/hostname") ||
               is(self.as_array().back(), "nodeLabel", "kubernetes.io/hostname");
    });
}

bool one_source(const Value& self) {
    return exactly_one(self, "kubeConfig", "clusterProfileRef");
}

/// In the order of the rules, C1 first; none for those that compare with the old object.
constexpr std::array<RuleCheck, 39> kChecks{
    levels_match,
    pod_counts_match,
    roots_match,
    one_count,
    one_count,
    empty_key_exists,
    seconds_need_no_execute,
    operators_known,
    exists_has_no_value,
    toleration_effects_known,
    flavors_cover,
    limits_need_cohort,
    limits_need_old_cohort,
    preference_allowed,
    borrow_needs_reclaim,
    nullptr,
    assignments_match,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    ref_needs_priority,
    class_needs_priority,
    min_count_fits,
    scheduling_kind,
    kueue_kind,
    nullptr,
    one_cluster_choice,
    topology_needs_labels,
    nullptr,
    taint_effects_known,
    nullptr,
    is_unique,
    hostname_is_last,
    one_source,
};

}  // namespace

RuleCheck find_rule_check(std::string_view rule) {
    const auto rules = schema_rules();
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (rules[i].rule == rule) {
            return kChecks.at(i);
        }
    }
    return nullptr;
}

}  // namespace sluice::api
