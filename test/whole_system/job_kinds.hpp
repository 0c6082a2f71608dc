#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::whole_system {

/// A kind of jobs whose objects users create.
struct JobKind {
    apiserver::Collection collection;
    std::string path;  ///< of those in the users' namespace
    /// Where `suspend` stands below `spec`: in which member, "" for `spec` itself.
    std::string suspend_member;

    /// A merge patch that suspends a job of the kind, or lets it run.
    std::string suspend_patch(bool suspends) const;
    bool is_suspended(const json::Value& job) const;
};

/// Jobs, JobSets and PyTorchJobs.
const std::vector<JobKind>& job_kinds();
/// That of a collection, or nullptr.
const JobKind* find_job_kind(const apiserver::Collection& collection);
/// Whether a job of any of these kinds has ended for good.
bool is_over(const json::Value& job);
/// The definitions of those that Kubernetes does not have itself.
std::vector<json::Value> definitions();

}  // namespace sluice::whole_system
