#include "controller/admitting_cluster.hpp"

#include "base/assert.hpp"
#include "controller/jobs/admission/kind_admission.hpp"
#include "controller/queued_jobs.hpp"
#include "json/patch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::controller {

namespace {

json::Value parse(std::string_view text) {
    std::string quoted(text);
    std::ranges::replace(quoted, '\'', '"');
    auto value = json::parse(quoted);
    SLUICE_ASSERT(value.has_value());
    return std::move(*value);
}

api::AdmissionRequest request(
    std::string_view operation, const json::Value& object, const json::Value& before
) {
    api::AdmissionRequest made;
    made.uid = "u";
    made.namespace_ = "team";
    made.operation = operation;
    made.object = api::RawJson(json::print(object));
    made.old_object = api::RawJson(json::print(before));
    return made;
}

const JobKind* kind_of_job(MiniCluster& cluster, const json::Value& object) {
    return cluster.controller().registry.job_kinds().find(
        kube::group_of(object.string_at("apiVersion")), object.string_at("kind")
    );
}

}  // namespace

AdmittingCluster::AdmittingCluster(Settings settings, std::uint64_t seed)
    : MiniCluster(seed, {}, std::move(settings)) {
    fault = [this](const Write& write) -> std::optional<Error> {
        const json::Value* before = find(write.object);
        if (write.verb != Verb::MergePatch || before == nullptr ||
            kind_of_job(*this, *before) == nullptr) {
            return std::nullopt;
        }
        json::Value after = *before;
        json::apply_merge_patch(after, write.body);
        const std::string refusal = judge("UPDATE", after, *before);
        if (refusal.empty()) {
            return std::nullopt;
        }
        refused.push_back(refusal);
        return make_invalid(refusal);
    };
}

std::string AdmittingCluster::judge(
    std::string_view operation, const json::Value& object, const json::Value& before
) {
    const KindAdmission& admission = *kind_of_job(*this, object)->admission();
    Controller& c = controller();
    const AdmissionContext context{c.registry.job_kinds(), c.stores, c.settings, gates};
    const auto verdict = admission.judge(context, request(operation, object, before));
    return verdict ? verdict->refusal : verdict.error().detail;
}

std::string AdmittingCluster::create(const json::Value& object) {
    const KindAdmission& admission = *kind_of_job(*this, object)->admission();
    Controller& c = controller();
    const AdmissionContext context{c.registry.job_kinds(), c.stores, c.settings, gates};
    const auto made = admission.apply_defaults(context, request("CREATE", object, {}));
    if (!made) {
        return made.error().detail;
    }
    const json::Value& defaulted = made->changed ? *made->changed : object;
    std::string refusal = judge("CREATE", defaulted, {});
    if (refusal.empty()) {
        put(json::print(defaulted));
    }
    return refusal;
}

std::string AdmittingCluster::edit(const ObjectKey& key, std::string_view patch) {
    const json::Value before = *find(key);
    json::Value after = before;
    json::apply_merge_patch(after, parse(patch));
    std::string refusal = judge("UPDATE", after, before);
    if (refusal.empty()) {
        merge(key, patch);
    }
    return refusal;
}

void make_large_queues(MiniCluster& cluster) {
    make_queues(cluster);
    cluster.merge({kind_of<api::ClusterQueue>(), "", "cq"}, R"({'spec':{'resourceGroups':[
        {'coveredResources':['cpu','memory'],'flavors':[{'name':'spot','resources':[
            {'name':'cpu','nominalQuota':'100'},{'name':'memory','nominalQuota':'100Gi'}]}]}]}})");
    cluster.settle();
}

void collect_garbage(MiniCluster& cluster, const std::vector<ObjectKey>& workloads) {
    for (const ObjectKey& key : workloads) {
        if (cluster.find(key) != nullptr) {
            cluster.remove(key);
        }
    }
    cluster.settle();
}

std::string quota_held(const MiniCluster& cluster) {
    const json::Value* queue = cluster.find({kind_of<api::ClusterQueue>(), "", "cq"});
    std::string held;
    for (const json::Value& flavor : queue->find_path({"status", "flavorsUsage"})->as_array()) {
        for (const json::Value& resource : flavor.find("resources")->as_array()) {
            if (resource.string_at("total") != "0") {
                held += std::string(resource.string_at("name")) + "=" +
                        std::string(resource.string_at("total")) + " ";
            }
        }
    }
    return held;
}

}  // namespace sluice::controller
