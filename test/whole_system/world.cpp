#include "whole_system/world.hpp"

#include "whole_system/job_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::whole_system {

namespace {

template <class T>
const T& any(Prng& prng, const std::vector<T>& of) {
    return of[prng.below(of.size())];
}

std::string limit(Prng& prng, const char* name, std::int64_t max) {
    return prng.chance(25) ? fmt::format(",'{}':'{}'", name, prng.between(0, max)) : "";
}

/// `is_root`: a limit on what is lent or borrowed needs somebody to lend to or borrow from.
std::string groups(Prng& prng, const std::vector<std::string>& flavors, bool is_root) {
    std::vector<std::string> parts;
    for (const std::string& flavor : flavors) {
        const auto nominal = prng.between(0, 10);
        parts.push_back(fmt::format(
            "{{'name':'{}','resources':[{{'name':'cpu','nominalQuota':'{}'{}{}}},"
            "{{'name':'memory','nominalQuota':'{}Gi'}}]}}",
            flavor,
            nominal,
            is_root ? "" : limit(prng, "borrowingLimit", 8),
            is_root ? "" : limit(prng, "lendingLimit", nominal),
            prng.between(20, 60)
        ));
    }
    return fmt::format(
        "[{{'coveredResources':['cpu','memory'],'flavors':[{}]}}]", fmt::join(parts, ",")
    );
}

std::string kueue(const char* kind, std::string_view metadata) {
    return fmt::format(
        "'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'{}','metadata':{{{}}}", kind, metadata
    );
}

void add_flavors(Prng& prng, World& world) {
    const auto count = prng.between(1, 3);
    for (int i = 0; i < count; ++i) {
        const std::string name = fmt::format("f{}", i);
        world.flavors.push_back(name);
        world.objects.push_back(parse(fmt::format(
            "{{{},'spec':{{{}'nodeLabels':{{'pool':'{}'}}}}}}",
            kueue(
                "ResourceFlavor",
                fmt::format(
                    "'name':'{}'{}",
                    name,
                    world.enforces_capacity ? ",'annotations':{'sluice.dev/capacity':'Enforce'}"
                                            : ""
                )
            ),
            world.has_topologies ? "'topologyName':'racks'," : "",
            name
        )));
        for (const char* rack : {"a", "b"}) {
            world.nodes.push_back(fmt::format(
                "{0}-{1}: {2}x cpu=16,memory=64Gi,label:pool={0},label:rack={1}",
                name,
                rack,
                world.enforces_capacity ? 1 : 6
            ));
        }
    }
}

/// A root and, of it, up to two children; some queues belong to none.
std::vector<std::string> add_cohorts(Prng& prng, World& world) {
    std::vector<std::string> names{"root"};
    const auto children = prng.between(0, 2);
    for (int i = 0; i < children; ++i) {
        names.push_back(fmt::format("child-{}", i));
    }
    for (const std::string& name : names) {
        const bool is_root = name == "root";
        const std::string parent = is_root ? "" : "'parentName':'root'";
        const std::string quotas =
            prng.chance(30) ? "'resourceGroups':" + groups(prng, world.flavors, is_root) : "";
        world.objects.push_back(parse(fmt::format(
            "{{{},'spec':{{{}{}{}}}}}",
            kueue("Cohort", fmt::format("'name':'{}'", name)),
            parent,
            parent.empty() || quotas.empty() ? "" : ",",
            quotas
        )));
    }
    names.emplace_back("");
    return names;
}

void add_queue(Prng& prng, World& world, const std::string& name, const std::string& cohort) {
    static const std::vector<std::string> reclaim{"Never", "LowerPriority", "Any"};
    static const std::vector<std::string> within{
        "Never", "LowerPriority", "LowerOrNewerEqualPriority"
    };
    world.queues.push_back(name);
    world.objects.push_back(parse(fmt::format(
        "{{{},'spec':{{{}'namespaceSelector':{{}},'queueingStrategy':'{}','preemption':{{"
        "'withinClusterQueue':'{}','reclaimWithinCohort':'{}'}},'resourceGroups':{}}}}}",
        kueue("ClusterQueue", fmt::format("'name':'{}'", name)),
        cohort.empty() ? "" : fmt::format("'cohortName':'{}',", cohort),
        prng.chance(30) ? "StrictFIFO" : "BestEffortFIFO",
        any(prng, within),
        any(prng, reclaim),
        groups(prng, world.flavors, cohort.empty())
    )));
    world.objects.push_back(parse(fmt::format(
        "{{{},'spec':{{'clusterQueue':'{}'}}}}",
        kueue("LocalQueue", fmt::format("'name':'{}','namespace':'team'", name)),
        name
    )));
}

}  // namespace

json::Value parse(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return json::parse(text).value();
}

json::Value some_quotas(Prng& prng, const std::vector<std::string>& flavors) {
    return parse(fmt::format("{{'spec':{{'resourceGroups':{}}}}}", groups(prng, flavors, true)));
}

namespace {

void add_namespace_and_definitions(World& world) {
    world.objects.push_back(
        parse("{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team'}}")
    );
    std::ranges::move(definitions(), std::back_inserter(world.objects));
}

void add_priority_classes(World& world) {
    for (const auto& [name, value] : {std::pair("low", 10), std::pair("high", 100)}) {
        world.objects.push_back(parse(fmt::format(
            "{{{},'value':{}}}",
            kueue("WorkloadPriorityClass", fmt::format("'name':'{}'", name)),
            value
        )));
    }
}

}  // namespace

World make_world(Prng& prng) {
    World world;
    add_namespace_and_definitions(world);
    world.has_topologies = prng.chance(40);
    if (world.has_topologies) {
        world.objects.push_back(parse(fmt::format(
            "{{{},'spec':{{'levels':[{{'nodeLabel':'rack'}},"
            "{{'nodeLabel':'kubernetes.io/hostname'}}]}}}}",
            kueue("Topology", "'name':'racks'")
        )));
    }
    world.enforces_capacity = !world.has_topologies && prng.chance(35);
    add_flavors(prng, world);
    const std::vector<std::string> cohorts = add_cohorts(prng, world);
    add_priority_classes(world);
    const auto queues = prng.between(2, 5);
    for (int i = 0; i < queues; ++i) {
        add_queue(prng, world, fmt::format("queue-{}", i), any(prng, cohorts));
    }
    world.has_fair_sharing = prng.chance(30);
    world.waits_for_pods = prng.chance(25);
    world.blocks_admission = world.waits_for_pods && prng.chance(50);
    return world;
}

World make_scarce_world(Prng& prng) {
    World world;
    add_namespace_and_definitions(world);
    world.objects.push_back(parse(
        "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'Role','metadata':{'name':'tenant',"
        "'namespace':'team'},'rules':[{'apiGroups':['','apps','batch','jobset.x-k8s.io',"
        "'kubeflow.org','kueue.x-k8s.io'],'resources':['deployments','deployments/scale','jobs',"
        "'jobsets','pods','pods/resize','pytorchjobs','replicasets','replicasets/scale',"
        "'statefulsets','statefulsets/scale','workloads'],'verbs':['create','delete','get','list',"
        "'patch','update','watch']}]}"
    ));
    world.objects.push_back(parse(
        "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'RoleBinding','metadata':{'name':"
        "'tenant','namespace':'team'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':"
        "'Role','name':'tenant'},'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'User',"
        "'name':'tenant'}]}"
    ));
    add_flavors(prng, world);
    add_priority_classes(world);
    const std::string cohort = prng.chance(50) ? "root" : "";
    const auto queues = prng.between(1, 2);
    for (int i = 0; i < queues; ++i) {
        add_queue(prng, world, fmt::format("queue-{}", i), cohort);
    }
    return world;
}

}  // namespace sluice::whole_system
