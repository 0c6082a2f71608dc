#include "whole_system/hostile_tenant.hpp"

#include "api/kueue/kueue_names.hpp"
#include "whole_system/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::whole_system {

namespace {

/// The tenant's own; nobody else takes it off.
constexpr const char* kOwnFinalizer = "example.com/hold";

/// A label or annotation, and which values a tenant gives it (see value_of()).
struct Metadatum {
    const char* key;
    char value;
};

constexpr std::array<Metadatum, 16> kLabels{{
    {api::label::kQueueName, 'q'},
    {api::label::kQueueName, 'q'},
    {api::label::kPriorityClass, 'c'},
    {api::label::kMaxExecTimeSeconds, 's'},
    {api::label::kPrebuiltWorkload, 'w'},
    {api::label::kPrebuiltWorkload, 'w'},
    {api::label::kJobUid, 'u'},
    {api::label::kPodSet, 'p'},
    {api::label::kManaged, 'b'},
    {api::label::kPodGroupName, 'g'},
    {api::label::kPodGroupPodIndex, 'n'},
    {api::label::kLocalQueueName, 'q'},
    {api::label::kClusterQueueName, 'q'},
    {api::label::kMultiKueueOrigin, 'q'},
    {"batch.kubernetes.io/controller-uid", 'u'},
    {"batch.kubernetes.io/job-name", 'o'},
}};

constexpr std::array<Metadatum, 22> kAnnotations{{
    {api::annotation::kWorkload, 'w'},
    {api::annotation::kAdmissionGatedBy, 'x'},
    {api::annotation::kElasticJob, 'b'},
    {api::annotation::kElasticJob, 'b'},
    {api::annotation::kWorkloadSliceReplacementFor, 'k'},
    {api::annotation::kWorkloadSliceReplacementFor, 'k'},
    {api::annotation::kWorkloadSliceName, 'w'},
    {api::annotation::kPrebuiltWorkload, 'w'},
    {api::annotation::kIsGroupWorkload, 'b'},
    {api::annotation::kPodGroupName, 'g'},
    {api::annotation::kPodGroupTotalCount, 'n'},
    {api::annotation::kPodGroupFastAdmission, 'b'},
    {api::annotation::kPodGroupServing, 'b'},
    {api::annotation::kRoleHash, 'g'},
    {api::annotation::kRetriableInGroup, 'b'},
    {api::annotation::kPodSuspendingParent, 'f'},
    {api::annotation::kJobOwnerName, 'o'},
    {api::annotation::kComponentWorkloadIndex, 'n'},
    {api::annotation::kJobMinParallelism, 'n'},
    {api::annotation::kJobCompletionsEqualParallelism, 'b'},
    {api::annotation::kStopping, 'b'},
    {api::annotation::kPodSetGroupName, 'g'},
}};

std::string suspend_text(bool suspends) {
    return suspends ? "'suspend':true," : "'suspend':false,";
}

}  // namespace

const std::vector<HostileTenant::Kind>& HostileTenant::kinds() {
    static const std::vector<Kind> kKinds{
        {{"batch", "jobs"}, "/apis/batch/v1/namespaces/team/jobs"},
        {{"", "pods"}, kPodsPath},
        {{"kueue.x-k8s.io", "workloads"}, std::string(kKueuePath) + "namespaces/team/workloads"},
        {{"jobset.x-k8s.io", "jobsets"}, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/team/jobsets"},
        {{"kubeflow.org", "pytorchjobs"}, "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs"},
        {{"apps", "deployments"}, "/apis/apps/v1/namespaces/team/deployments"},
        {{"apps", "statefulsets"}, "/apis/apps/v1/namespaces/team/statefulsets"},
        {{"apps", "replicasets"}, "/apis/apps/v1/namespaces/team/replicasets"},
    };
    return kKinds;
}

std::string HostileTenant::act() {
    const auto choice = prng_.below(100);
    if (choice < 40) {
        return prng_.chance(12) ? create_group() : create();
    }
    if (choice < 82) {
        return edit();
    }
    if (choice < 88) {
        return scale();
    }
    if (choice < 90) {
        return resize();
    }
    return remove();
}

std::optional<HostileTenant::Target> HostileTenant::any_of(const Kind& kind) {
    std::vector<Target> all;
    for (const auto& [name, object] : cluster_.state().store.objects(kind.collection)) {
        if (name.ns == "team") {
            all.push_back({.kind = &kind, .name = name.name, .object = *object});
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    return std::move(all[prng_.below(all.size())]);
}

/// Jobs, pods and Workloads are of more interest than the others.
std::optional<HostileTenant::Target> HostileTenant::any_target() {
    for (int tries = 0; tries < 6; ++tries) {
        const std::size_t kind = prng_.chance(70) ? prng_.below(3) : prng_.below(kinds().size());
        if (auto found = any_of(kinds()[kind])) {
            return found;
        }
    }
    return std::nullopt;
}

std::string HostileTenant::value_of(char what) {
    const auto name_in = [this](std::size_t kind) {
        const auto found = any_of(kinds()[kind]);
        return found ? found->name : "none";
    };
    switch (what) {
        case 'q':
            return any_queue();
        case 'c':
            return prng_.chance(50) ? "low" : "high";
        case 's':  // pods that end more often make their ReplicaSet look like a loop
            return std::to_string(prng_.between(20, 60));
        case 'w':
            return name_in(2);
        case 'k':
            return "team/" + name_in(2);
        case 'g':
            return fmt::format("group-{}", prng_.between(0, 2));
        case 'n':
            return std::to_string(prng_.between(0, 4));
        case 'p':
            return prng_.chance(60) ? "main" : "worker";
        case 'o':
            return name_in(prng_.below(2));
        case 'u': {
            const auto found = any_target();
            return std::string(found ? found->object.find("metadata")->string_at("uid") : "none");
        }
        case 'x':
            return "example.com/gate";
        case 'f':
            return prng_.chance(50) ? "deployment" : "statefulset";
        default:
            return prng_.chance(75) ? "true" : "false";
    }
}

std::string HostileTenant::any_metadatum(bool is_label, bool may_remove) {
    const Metadatum& chosen = is_label ? kLabels[prng_.below(kLabels.size())]
                                       : kAnnotations[prng_.below(kAnnotations.size())];
    if (may_remove && prng_.chance(35)) {
        return fmt::format("'{}':null", chosen.key);
    }
    return fmt::format("'{}':'{}'", chosen.key, value_of(chosen.value));
}

std::string HostileTenant::labels(int max) {
    std::string made = fmt::format("'{}':'{}'", api::label::kQueueName, any_queue());
    for (auto more = prng_.between(-2, max); more > 0; --more) {
        made += "," + any_metadatum(true, false);
    }
    return made;
}

std::string HostileTenant::annotations(int max) {
    std::string made = fmt::format("'sluice.dev/run-seconds':'{}'", prng_.between(5, 900));
    if (prng_.chance(20)) {
        made += fmt::format(",'sluice.dev/stop-seconds':'{}'", prng_.between(1, 30));
    }
    for (auto more = prng_.between(-2, max); more > 0; --more) {
        made += "," + any_metadatum(false, false);
    }
    return made;
}

std::string HostileTenant::owners() {
    const auto owner = any_target();
    if (!owner) {
        return "";
    }
    const json::Value& object = owner->object;
    return fmt::format(
        "'ownerReferences':[{{'apiVersion':'{}','kind':'{}','name':'{}','uid':'{}','controller':{}}"
        "}]",
        object.string_at("apiVersion"),
        object.string_at("kind"),
        owner->name,
        prng_.chance(90) ? object.find("metadata")->string_at("uid") : "wrong",
        prng_.chance(75)
    );
}

std::string HostileTenant::finalizers() {
    return prng_.chance(60) ? "'finalizers':[]" : fmt::format("'finalizers':['{}']", kOwnFinalizer);
}

std::string HostileTenant::metadata() {
    std::string made = fmt::format(
        "'name':'hostile-{}','labels':{{{}}},'annotations':{{{}}}",
        ++objects_,
        prng_.chance(85) ? labels(1) : "",
        annotations(1)
    );
    if (prng_.chance(15)) {
        if (const std::string owner = owners(); !owner.empty()) {
            made += "," + owner;
        }
    }
    if (prng_.chance(5)) {
        made += "," + finalizers();
    }
    return made;
}

std::string HostileTenant::pod_spec() {
    std::string made = fmt::format(
        "'restartPolicy':'Never','containers':[{{'name':'c','image':'i','resources':{{'{}':{{"
        "'cpu':'{}','memory':'{}Gi'}}}}}}]",
        prng_.chance(85) ? "requests" : "limits",
        prng_.between(1, 3),
        prng_.between(1, 3)
    );
    if (prng_.chance(8)) {
        made += fmt::format(
            ",'initContainers':[{{'name':'i','image':'i','restartPolicy':'Always','resources':{{"
            "'requests':{{'cpu':'{}'}}}}}}]",
            prng_.between(1, 2)
        );
    }
    if (prng_.chance(8)) {
        made += fmt::format(",'resources':{{'requests':{{'cpu':'{}'}}}}", prng_.between(1, 6));
    }
    if (prng_.chance(10)) {
        made += ",'schedulingGates':[{'name':'example.com/gate'}]";
    }
    return made;
}

std::string HostileTenant::pod_template() {
    std::string text = pod_spec();
    return fmt::format(
        "'template':{{'metadata':{{'labels':{{'app':'a'{}}},'annotations':{{{}}}}},'spec':{{{}}}}}",
        prng_.chance(20) ? "," + any_metadatum(true, false) : "",
        annotations(prng_.chance(20) ? 1 : 0),
        text
    );
}

json::Value HostileTenant::job() {
    const auto parallelism = prng_.between(0, 4);
    return parse(fmt::format(
        "{{'apiVersion':'batch/v1','kind':'Job','metadata':{{{}}},'spec':{{'parallelism':{},{}{}"
        "'backoffLimit':1,{}}}}}",
        metadata(),
        parallelism,
        prng_.chance(70) ? fmt::format("'completions':{},", parallelism + prng_.between(0, 2)) : "",
        suspend_text(prng_.chance(50)),
        pod_template()
    ));
}

json::Value HostileTenant::job_set() {
    return parse(fmt::format(
        "{{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{{{}}},'spec':{{{}"
        "'replicatedJobs':[{{'name':'part','replicas':{},'template':{{'spec':{{'parallelism':{},"
        "'backoffLimit':0,{}}}}}}}]}}}}",
        metadata(),
        suspend_text(prng_.chance(50)),
        prng_.between(1, 2),
        prng_.between(1, 2),
        pod_template()
    ));
}

json::Value HostileTenant::pytorch_job() {
    return parse(fmt::format(
        "{{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','metadata':{{{}}},'spec':{{"
        "'runPolicy':{{{}'cleanPodPolicy':'{}'}},'pytorchReplicaSpecs':{{'Master':{{'replicas':1,"
        "{}}},'Worker':{{'replicas':{},{}}}}}}}}}",
        metadata(),
        suspend_text(prng_.chance(50)),
        prng_.chance(50) ? "None" : "Running",
        pod_template(),
        prng_.between(0, 3),
        pod_template()
    ));
}

json::Value HostileTenant::pod() {
    return parse(fmt::format(
        "{{'apiVersion':'v1','kind':'Pod','metadata':{{{}}},'spec':{{{}}}}}", metadata(), pod_spec()
    ));
}

json::Value HostileTenant::deployment() {
    std::string text = fmt::format(
        "{{'apiVersion':'apps/v1','kind':'Deployment','metadata':{{{}}},'spec':{{'replicas':{},"
        "'selector':{{'matchLabels':{{'app':'a'}}}},{}}}}}",
        metadata(),
        prng_.between(0, 3),
        pod_template()
    );
    const std::string never = "'restartPolicy':'Never',";
    text.erase(text.find(never), never.size());
    return parse(std::move(text));
}

json::Value HostileTenant::stateful_set() {
    std::string text = fmt::format(
        "{{'apiVersion':'apps/v1','kind':'StatefulSet','metadata':{{{}}},'spec':{{'replicas':{},"
        "'serviceName':'s','podManagementPolicy':'{}','selector':{{'matchLabels':{{'app':'a'}}}},"
        "{}}}}}",
        metadata(),
        prng_.between(0, 3),
        prng_.chance(50) ? "Parallel" : "OrderedReady",
        pod_template()
    );
    const std::string never = "'restartPolicy':'Never',";
    text.erase(text.find(never), never.size());
    return parse(std::move(text));
}

/// A copy of one that exists, or one that describes something small.
json::Value HostileTenant::workload() {
    json::Value made = parse(fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{{{}}},'spec':{{"
        "'queueName':'{}','podSets':[{{'name':'main','count':{},{}}}]}}}}",
        metadata(),
        any_queue(),
        prng_.between(1, 3),
        pod_template()
    ));
    if (const auto original = any_of(kinds()[2]); original && prng_.chance(60)) {
        made.set("spec", *original->object.find("spec"));
    }
    return made;
}

std::string HostileTenant::create() {
    using Make = json::Value (HostileTenant::*)();
    static constexpr std::array<std::pair<Make, std::size_t>, 13> kMakes{{
        {&HostileTenant::job, 0},
        {&HostileTenant::job, 0},
        {&HostileTenant::job, 0},
        {&HostileTenant::job, 0},
        {&HostileTenant::pod, 1},
        {&HostileTenant::pod, 1},
        {&HostileTenant::workload, 2},
        {&HostileTenant::workload, 2},
        {&HostileTenant::job_set, 3},
        {&HostileTenant::job_set, 3},
        {&HostileTenant::pytorch_job, 4},
        {&HostileTenant::deployment, 5},
        {&HostileTenant::stateful_set, 6},
    }};
    const auto& [make, kind] = kMakes[prng_.below(kMakes.size())];
    const json::Value object = (this->*make)();
    const int status = client_.create(kinds()[kind].path, object);
    return fmt::format("creates {}: {}", json::print(object), status);
}

std::string HostileTenant::create_group() {
    const std::string group = value_of('g');
    const auto total = prng_.between(1, 3);
    std::string made = fmt::format("creates {} of {}:", group, total);
    for (auto i = prng_.between(1, 4); i > 0; --i) {
        json::Value each = pod();
        json::Value* metadata = each.find("metadata");
        metadata->find("labels")->set(api::label::kPodGroupName, group);
        metadata->find("annotations")
            ->set(api::annotation::kPodGroupTotalCount, std::to_string(total));
        made += fmt::format(" {}: {}", json::print(each), client_.create(kPodsPath, each));
    }
    return made;
}

json::Value HostileTenant::metadata_patch() {
    std::string member;
    switch (prng_.below(8)) {
        case 0:
            member = owners();
            break;
        case 1:
            member = "'ownerReferences':null";
            break;
        case 2:
            member = finalizers();
            break;
        case 3:
        case 4:
        case 5:
            member = fmt::format("'labels':{{{}}}", any_metadatum(true, true));
            break;
        default:
            member = fmt::format("'annotations':{{{}}}", any_metadatum(false, true));
    }
    return parse(fmt::format("{{'metadata':{{{}}}}}", member));
}

json::Value HostileTenant::spec_patch(const Target& target) {
    const std::string& kind = target.kind->collection.plural;
    const auto suspend = fmt::format("'suspend':{}", prng_.chance(35));
    std::string member;
    if (kind == "pods") {
        member = prng_.chance(80) ? "'schedulingGates':[]" : "'activeDeadlineSeconds':60";
    } else if (kind == "workloads") {
        static constexpr std::array<const char*, 4> kFields{
            "'active':false", "'active':true", "'priority':1000", "'podSets':[]"
        };
        member = prng_.chance(40) ? fmt::format("'queueName':'{}'", any_queue())
                                  : kFields[prng_.below(kFields.size())];
    } else if (kind == "pytorchjobs") {
        member = prng_.chance(60) ? fmt::format("'runPolicy':{{{}}}", suspend)
                                  : fmt::format(
                                        "'pytorchReplicaSpecs':{{'Worker':{{'replicas':{}}}}}",
                                        prng_.between(0, 5)
                                    );
    } else if (kind == "jobsets") {
        member = suspend;
    } else if (kind == "jobs") {
        switch (prng_.below(4)) {
            case 0:
                member = suspend;
                break;
            case 1:
                member = pod_template();
                break;
            default:
                member = fmt::format("'parallelism':{}", prng_.between(0, 8));
        }
    } else {
        member = prng_.chance(60) ? fmt::format("'replicas':{}", prng_.between(0, 5))
                                  : fmt::format("'template':{{'spec':{{{}}}}}", pod_spec());
    }
    return parse(fmt::format("{{'spec':{{{}}}}}", member));
}

std::string HostileTenant::edit() {
    const auto target = any_target();
    if (!target) {
        return create();
    }
    const json::Value patch = prng_.chance(50) ? spec_patch(*target) : metadata_patch();
    const int status = client_.patch(target->path(), patch);
    return fmt::format("edits {} by {}: {}", target->path(), json::print(patch), status);
}

std::string HostileTenant::scale() {
    const auto target = any_of(kinds()[5 + prng_.below(3)]);
    if (!target) {
        return edit();
    }
    const auto replicas = prng_.between(0, 6);
    const int status = client_.merge(
        target->path() + "/scale", fmt::format("{{'spec':{{'replicas':{}}}}}", replicas)
    );
    return fmt::format("scales {} to {}: {}", target->path(), replicas, status);
}

std::string HostileTenant::resize() {
    const auto target = any_of(kinds()[1]);
    if (!target) {
        return edit();
    }
    json::Value containers = *target->object.find_path({"spec", "containers"});
    const std::string cpu = std::to_string(prng_.between(1, 6));
    containers.as_array().front().set("resources", parse("{'requests':{'cpu':'" + cpu + "'}}"));
    const json::Value patch = json::Object{{"spec", json::Object{{"containers", containers}}}};
    const int status = client_.patch(target->path() + "/resize", patch);
    return fmt::format("resizes {} to {} cpu: {}", target->path(), cpu, status);
}

std::string HostileTenant::remove() {
    const auto target = any_target();
    if (!target) {
        return create();
    }
    static constexpr std::array<const char*, 5> kWays{
        "Background", "Foreground", "Background", "Background&gracePeriodSeconds=0", "Orphan"
    };
    const std::string way = kWays[prng_.below(kWays.size())];
    const int status = client_.remove(target->path(), way);
    return fmt::format("deletes {} by {}: {}", target->path(), way, status);
}

void HostileTenant::drop_own_finalizers() {
    for (const Kind& kind : kinds()) {
        for (const std::string& name : client_.names(kind.collection)) {
            const auto object = cluster_.state().store.find(kind.collection, {"team", name});
            const json::Value* held =
                object == nullptr ? nullptr : object->find_path({"metadata", "finalizers"});
            if (held == nullptr) {
                continue;
            }
            json::Value left = json::Array();
            for (const json::Value& each : held->as_array()) {
                if (each.as_string() != kOwnFinalizer) {
                    left.as_array().push_back(each);
                }
            }
            client_.patch(
                kind.path + "/" + name,
                json::Object{{"metadata", json::Object{{"finalizers", std::move(left)}}}}
            );
        }
    }
}

}  // namespace sluice::whole_system
