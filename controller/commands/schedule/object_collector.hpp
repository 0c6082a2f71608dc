// Collects the objects of `sluice schedule` by kind and name, with undo for a list.
#pragma once

#include "controller/commands/schedule/schedule_cluster.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::commands {

/// The objects of one kind, in the order in which their names first appear. If two have the same
/// namespace and name, the later one counts.
template <class T>
class ObjectsOfKind {
  public:
    /// Adds or replaces an object. Returns true if it replaced one.
    bool put(T object, bool may_go_back) {
        const auto [same, is_new] = places_.emplace(key_of(object), objects_.size());
        if (is_new) {
            objects_.push_back(std::move(object));
            return false;
        }
        T& place = objects_[same->second];
        if (may_go_back) {
            replaced_.emplace_back(same->second, std::move(place));
        }
        place = std::move(object);
        return true;
    }
    void mark() {
        marked_ = objects_.size();
        replaced_.clear();
    }
    void keep() { replaced_.clear(); }
    void go_back() {
        for (; !replaced_.empty(); replaced_.pop_back()) {
            objects_[replaced_.back().first] = std::move(replaced_.back().second);
        }
        for (; objects_.size() > marked_; objects_.pop_back()) {
            places_.erase(key_of(objects_.back()));
        }
    }
    Objects<T> take() { return std::move(objects_); }

  private:
    static std::string key_of(const T& object) {
        return object.metadata.namespace_ + "/" + object.metadata.name;
    }

    Objects<T> objects_;
    boost::unordered_flat_map<std::string, std::size_t> places_;
    std::size_t marked_ = 0;
    std::vector<std::pair<std::size_t, T>> replaced_;  ///< since mark(), restored from the last one
};

/// Collects the objects of all kinds, and can undo the additions since mark().
class ObjectCollector {
  public:
    /// Adds an object. Returns true if it replaced one of the same kind, namespace and name.
    template <class T>
    bool put(T object) {
        return std::get<ObjectsOfKind<T>>(kinds_).put(std::move(object), may_go_back_);
    }
    /// Starts to record additions, so that go_back() can undo them.
    void mark() {
        may_go_back_ = true;
        std::apply([](auto&... kinds) { (kinds.mark(), ...); }, kinds_);
    }
    /// Keeps the additions since mark().
    void keep() {
        may_go_back_ = false;
        std::apply([](auto&... kinds) { (kinds.keep(), ...); }, kinds_);
    }
    /// Undoes the additions since mark().
    void go_back() {
        may_go_back_ = false;
        std::apply([](auto&... kinds) { (kinds.go_back(), ...); }, kinds_);
    }
    /// Returns the objects; the collector is empty afterwards.
    ScheduleCluster take() {
        return {
            .namespaces = take<api::Namespace>(),
            .limit_ranges = take<api::LimitRange>(),
            .runtime_classes = take<api::RuntimeClass>(),
            .admission_checks = take<api::AdmissionCheck>(),
            .topologies = take<api::Topology>(),
            .flavors = take<api::ResourceFlavor>(),
            .nodes = take<api::Node>(),
            .pods = take<api::Pod>(),
            .cohorts = take<api::Cohort>(),
            .cluster_queues = take<api::ClusterQueue>(),
            .local_queues = take<api::LocalQueue>(),
            .priority_classes = take<api::WorkloadPriorityClass>(),
            .workloads = take<api::Workload>(),
        };
    }

  private:
    template <class T>
    Objects<T> take() {
        return std::get<ObjectsOfKind<T>>(kinds_).take();
    }

    std::tuple<
        ObjectsOfKind<api::Namespace>,
        ObjectsOfKind<api::LimitRange>,
        ObjectsOfKind<api::RuntimeClass>,
        ObjectsOfKind<api::AdmissionCheck>,
        ObjectsOfKind<api::Topology>,
        ObjectsOfKind<api::ResourceFlavor>,
        ObjectsOfKind<api::Node>,
        ObjectsOfKind<api::Pod>,
        ObjectsOfKind<api::Cohort>,
        ObjectsOfKind<api::ClusterQueue>,
        ObjectsOfKind<api::LocalQueue>,
        ObjectsOfKind<api::WorkloadPriorityClass>,
        ObjectsOfKind<api::Workload>>
        kinds_;
    bool may_go_back_ = false;
};

}  // namespace sluice::commands
