#include "job_kinds/frameworks.hpp"

#include "job_kinds/builtin.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::job_kinds {

namespace {

std::vector<config::Framework> find_all() {
    std::vector<config::Framework> all = {
        {"batch/job", "Job.v1.batch"},
        {"deployment", "Deployment.v1.apps"},
        {"leaderworkerset.x-k8s.io/leaderworkerset", "LeaderWorkerSet.v1.leaderworkerset.x-k8s.io"},
        {"pod", "Pod.v1"},
        {"statefulset", "StatefulSet.v1.apps"},
    };
    for (const BuiltinKind& builtin : builtin_kinds()) {
        const Description& kind = builtin.description;
        all.push_back(
            {.name = kind.framework,
             .kind = fmt::format("{}.{}.{}", kind.kind, kind.version, kind.group),
             .gate = builtin.gate}
        );
    }
    std::ranges::sort(all, {}, &config::Framework::name);
    return all;
}

}  // namespace

const std::vector<config::Framework>& known_frameworks() {
    static const std::vector<config::Framework> kAll = find_all();
    return kAll;
}

}  // namespace sluice::job_kinds
