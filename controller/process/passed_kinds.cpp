#include "controller/process/passed_kinds.hpp"

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "config/kind_argument.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "job_kinds/builtin.hpp"
#include "job_kinds/frameworks.hpp"
#include "job_kinds/text.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

/// Returns true if the objects of a watched kind may own jobs. Jobs and pods may own only pods.
bool has_kind_above_jobs(const Registry& registry) {
    return registry.job_kinds().has_external() ||
           std::ranges::any_of(registry.all(), [](const KindEntry& entry) {
               const bool is_above = entry.job && entry.kind != kind_of<api::Job>() &&
                                     entry.kind != kind_of<api::Pod>();
               return is_above || entry.ancestor_role == AncestorRole::Managed;
           });
}

/// Returns true if the kind's operator creates pods, but no jobs of other kinds.
bool makes_pods_alone(const config::KindArgument& kind) {
    return kind.group == "apps" || kind.group == "batch" || kind.kind == "LeaderWorkerSet";
}

KindEntry make_passed(const config::KindArgument& kind, const job_kinds::Description* described) {
    KindEntry entry =
        passed_kind(std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
            .group = std::string(kind.group),
            .version = std::string(kind.version),
            .kind = std::string(kind.kind),
            .resource =
                described == nullptr ? job_kinds::lower_case(kind.kind) + "s" : described->resource,
        }));
    entry.counts_pods_of_pods = described != nullptr && described->counts_pods_of_pods;
    return entry;
}

}  // namespace

std::vector<KindEntry> find_passed_kinds(const Registry& registry, bool manages_pods) {
    std::vector<KindEntry> passed;
    if (!has_kind_above_jobs(registry)) {
        return passed;
    }
    std::vector<config::Framework> known = job_kinds::known_frameworks();
    known.push_back({"", "ReplicaSet.v1.apps"});
    for (const config::Framework& framework : known) {
        const config::KindArgument kind = config::split_kind_argument(framework.kind);
        const bool is_followed = registry.find(kind.group, kind.kind) != nullptr ||
                                 registry.job_kinds().find_above(kind.group, kind.kind);
        const bool is_needed = manages_pods || !makes_pods_alone(kind);
        if (!is_followed && is_needed && kind.kind != api::Pod::kKind) {
            passed.push_back(make_passed(kind, job_kinds::find_builtin(framework.name)));
        }
    }
    return passed;
}

}  // namespace sluice::controller
