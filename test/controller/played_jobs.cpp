#include "controller/played_jobs.hpp"

#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::controller {

void OwnControllers::problem(std::string text) {
    if (result_.problems.size() < 20) {
        result_.problems.push_back(std::move(text));
    }
}

void OwnControllers::make_pod(const std::string& name, const PlayedJob* group) {
    PodText pod = group == nullptr ? PodText{.name = name, .labels = {}, .annotations = {}}
                                   : group_pod(name, 3);
    if (group != nullptr) {
        pod.annotations["kueue.x-k8s.io/pod-group-name"] = group->name;
        pod.labels["kueue.x-k8s.io/queue-name"] = group->queue;
    }
    cluster_.put(pod.text());
}

void OwnControllers::add_pod(PlayedJob& group) {
    group.pods.push_back(fmt::format("{}-p{}", group.name, group.pods_made++));
    make_pod(group.pods.back(), &group);
}

void OwnControllers::status(const PlayedJob& job, const json::Value& status) {
    cluster_.merge(job.key, json::print(json::Object{{"status", status}}));
}

void OwnControllers::play_own_controller(PlayedJob& job) {
    const bool is_pods = job.form == Form::Pod || job.form == Form::PodGroup;
    if (!is_pods && cluster_.find(job.key) == nullptr) {
        problem(fmt::format("{} is gone, and nobody deleted it", job.name));
        gone(job);
        return;
    }
    switch (job.form) {
        case Form::BatchJob:
            play_batch_job(job);
            break;
        case Form::Described:
            play_described(job);
            break;
        case Form::Pod:
            play_pod(job, job.name);
            if (cluster_.find(job.key) == nullptr) {
                gone(job);
            }
            break;
        case Form::PodGroup:
            play_group(job);
            break;
    }
}

void OwnControllers::gone(PlayedJob& job) {
    if (!job.is_over) {
        job.is_over = true;
        ++result_.deleted;
    }
}
void OwnControllers::finished(PlayedJob& job) {
    job.is_over = true;
    ++result_.finished;
}
void OwnControllers::set_running(PlayedJob& job, bool runs) {
    result_.evictions += job.runs && !runs ? 1 : 0;
    job.runs = runs;
}

void OwnControllers::play_batch_job(PlayedJob& job) {
    if (is_running(cluster_, job.name)) {
        if (!job.runs) {
            set_active_pods(cluster_, job.name, 1);
            set_running(job, true);
        } else {
            complete(cluster_, job.name);
            finished(job);
        }
    } else if (job.runs) {
        set_active_pods(cluster_, job.name, 0);
        set_running(job, false);
    }
}

bool OwnControllers::has_suspension(const PlayedJob& job, const json::Value& value) const {
    const json::Value* found = job.sample->suspend.find(*cluster_.find(job.key));
    return found == nullptr ? value.is_null() : *found == value;
}

void OwnControllers::play_described(PlayedJob& job) {
    const JobSample& sample = *job.sample;
    if (has_suspension(job, sample.running)) {
        if (!job.runs) {
            status(job, sample.active);
            set_running(job, true);
            return;
        }
        if (prng_.chance(40)) {
            status(job, sample.ready);
            return;
        }
        const auto& end = sample.succeeded && (!sample.failed || prng_.chance(70))
                              ? sample.succeeded
                              : sample.failed;
        if (!end) {  // it runs until it is deleted
            remove(job);
            return;
        }
        status(job, end->status);
        finished(job);
    } else if (job.runs) {
        status(job, sample.stopped);
        set_running(job, false);
    }
}

/// Kubelet and scheduler. True when the pod has ended by itself.
bool OwnControllers::play_pod(PlayedJob& job, const std::string& name) {
    const json::Value* pod = cluster_.find(pod_key(name));
    if (pod == nullptr) {
        return false;
    }
    const std::string phase = cluster_.at(pod_key(name), {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") {
        return true;
    }
    if (is_pod_deleted(cluster_, name)) {
        set_pod_status(cluster_, name, "'phase':'Failed'");
        return false;
    }
    const json::Value* gates = pod->find_path({"spec", "schedulingGates"});
    const bool is_gated = gates != nullptr && gates->is_array() &&
                          std::ranges::any_of(gates->as_array(), [](const json::Value& gate) {
                              return gate.string_at("name") == "kueue.x-k8s.io/admission";
                          });
    if (is_gated) {
        return false;
    }
    if (phase == "Pending") {
        run_pod(cluster_, name);
        job.runs = true;
        return false;
    }
    set_pod_status(cluster_, name, "'phase':'Succeeded'");
    if (job.form == Form::Pod) {
        finished(job);
    }
    return true;
}

void OwnControllers::play_group(PlayedJob& job) {
    std::size_t ended = 0;
    for (std::size_t i = 0; i < job.pods.size(); ++i) {
        const std::string name = job.pods[i];
        const std::string phase = cluster_.at(pod_key(name), {"status", "phase"});
        const bool is_lost = cluster_.find(pod_key(name)) == nullptr || phase == "Failed" ||
                             is_pod_deleted(cluster_, name);
        if (is_lost) {
            play_pod(job, name);
            // Who made the pods makes another in its place.
            job.pods.erase(job.pods.begin() + static_cast<std::ptrdiff_t>(i));
            result_.evictions += 1;
            add_pod(job);
            return;
        }
        ended += play_pod(job, name) ? 1 : 0;
    }
    if (ended == job.pods.size()) {
        finished(job);
    }
}

void OwnControllers::remove_object(const ObjectKey& key) {
    if (cluster_.find(key) != nullptr) {
        cluster_.remove(key);
    }
}

void OwnControllers::remove(PlayedJob& job) {
    if (job.form == Form::PodGroup) {
        for (int i = 0; i < job.pods_made; ++i) {
            remove_object(pod_key(fmt::format("{}-p{}", job.name, i)));
        }
    } else {
        remove_object(job.key);
    }
    gone(job);
}

}  // namespace sluice::controller
