#include "whole_system/job_kinds.hpp"

#include "whole_system/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace sluice::whole_system {

namespace {

json::Value define(
    std::string_view group, std::string_view version, std::string_view plural, std::string_view kind
) {
    return parse(fmt::format(
        "{{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition','metadata':"
        "{{'name':'{1}.{0}'}},'spec':{{'group':'{0}','scope':'Namespaced','names':{{'plural':'{1}',"
        "'kind':'{3}'}},'versions':[{{'name':'{2}','served':true,'storage':true,'subresources':"
        "{{'status':{{}}}},'schema':{{'openAPIV3Schema':{{'type':'object',"
        "'x-kubernetes-preserve-unknown-fields':true}}}}}}]}}}}",
        group,
        plural,
        version,
        kind
    ));
}

}  // namespace

std::string JobKind::suspend_patch(bool suspends) const {
    const std::string set = fmt::format("'suspend':{}", suspends);
    return suspend_member.empty() ? fmt::format("{{'spec':{{{}}}}}", set)
                                  : fmt::format("{{'spec':{{'{}':{{{}}}}}}}", suspend_member, set);
}

bool JobKind::is_suspended(const json::Value& job) const {
    const json::Value* suspend = suspend_member.empty()
                                     ? job.find_path({"spec", "suspend"})
                                     : job.find_path({"spec", suspend_member, "suspend"});
    return suspend != nullptr && suspend->is_bool() && suspend->as_bool();
}

const std::vector<JobKind>& job_kinds() {
    static const std::vector<JobKind> kKinds{
        {{"batch", "jobs"}, "/apis/batch/v1/namespaces/team/jobs", ""},
        {{"jobset.x-k8s.io", "jobsets"},
         "/apis/jobset.x-k8s.io/v1alpha2/namespaces/team/jobsets",
         ""},
        {{"kubeflow.org", "pytorchjobs"},
         "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs",
         "runPolicy"},
    };
    return kKinds;
}

const JobKind* find_job_kind(const apiserver::Collection& collection) {
    const auto found = std::ranges::find(job_kinds(), collection, &JobKind::collection);
    return found == job_kinds().end() ? nullptr : &*found;
}

bool is_over(const json::Value& job) {
    constexpr std::array<std::string_view, 4> kEnds{"Complete", "Completed", "Succeeded", "Failed"};
    const json::Value* conditions = job.find_path({"status", "conditions"});
    return conditions != nullptr && conditions->is_array() &&
           std::ranges::any_of(conditions->as_array(), [&kEnds](const json::Value& each) {
               return each.string_at("status") == "True" &&
                      std::ranges::find(kEnds, each.string_at("type")) != kEnds.end();
           });
}

std::vector<json::Value> definitions() {
    return {
        define("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"),
        define("kubeflow.org", "v1", "pytorchjobs", "PyTorchJob")
    };
}

}  // namespace sluice::whole_system
