#include "controller/described_story.hpp"

#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

const ObjectKey kClusterQueue{kind_of<api::ClusterQueue>(), "", "cq"};

}  // namespace

const JobSample& job_sample(std::string_view file) {
    return *std::ranges::find(job_samples(), file, &JobSample::file);
}

DescribedStory::DescribedStory(std::string_view file, Settings settings)
    : sample(job_sample(file)), cluster(std::move(settings)), object(sample.object) {
    KindEntry entry = described_job_kind(sample.kind);
    job = {entry.kind, "team", sample.name()};
    for (KindEntry& referenced : referenced_kinds(entry)) {
        cluster.add_kind(std::move(referenced));
    }
    cluster.add_kind(std::move(entry));
    make_large_queues(cluster);
    for (const json::Value& other : sample.others) {
        cluster.put(json::print(other));
    }
    cluster.settle();
}

DescribedStory& DescribedStory::change(std::string_view yaml) {
    json::apply_merge_patch(object, *yaml::parse_document(yaml));
    return *this;
}

std::string DescribedStory::create() {
    std::string refusal = cluster.create(object);
    cluster.settle();
    return refusal;
}

void DescribedStory::put() {
    cluster.fault = {};
    cluster.put(json::print(object));
    cluster.settle();
}

void DescribedStory::merge(const ObjectKey& key, std::string_view yaml) {
    cluster.merge(key, json::print(*yaml::parse_document(yaml)));
    cluster.settle();
}

void DescribedStory::stop_queue() {
    merge(kClusterQueue, "{spec: {stopPolicy: Hold}}");
}

void DescribedStory::open_queue() {
    merge(kClusterQueue, "{spec: {stopPolicy: None}}");
}

void DescribedStory::evict() {
    merge(workload(), "{spec: {active: false}}");
}

ObjectKey DescribedStory::workload() const {
    return {kind_of<api::Workload>(), "team", cluster.workload_of("team", sample.name())};
}

std::string DescribedStory::message(std::string_view type) const {
    const json::Value* all = cluster.find(workload())->find_path({"status", "conditions"});
    for (const json::Value& each : all == nullptr ? json::Array() : all->as_array()) {
        if (each.string_at("type") == type) {
            return std::string(each.string_at("message"));
        }
    }
    return "";
}

std::string DescribedStory::condition(std::string_view type) const {
    return cluster.condition("team", workload().name, type);
}

std::string DescribedStory::pod_sets() const {
    std::string text;
    const json::Value* workload_value = cluster.find(workload());
    if (workload_value == nullptr) {
        return text;
    }
    for (const json::Value& one : workload_value->find_path({"spec", "podSets"})->as_array()) {
        text += text.empty() ? "" : " ";
        text += std::string(one.string_at("name")) + "=" + json::print(*one.find("count"));
    }
    return text;
}

bool DescribedStory::is_reported(std::string_view reason, std::string_view part) const {
    return std::ranges::any_of(cluster.events, [&](const EventNote& event) {
        return event.reason == reason && event.note.find(part) != std::string::npos;
    });
}

}  // namespace sluice::controller
