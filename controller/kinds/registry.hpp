// The registry of all kinds, and the walks over the graph of objects that changes concern.
#pragma once

#include "controller/kinds/kind_entry.hpp"

#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The kinds that the controller watches, in the order in which the engine gets their objects.
/// Kinds known only at run time may be added and removed at any time. Thread: one.
class Registry {
  public:
    Registry() = default;
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;
    Registry(Registry&&) noexcept = default;
    Registry& operator=(Registry&&) noexcept = default;

    /// Adds a kind. Requires: no kind of its group and resource was added. Lifetime of the result:
    /// until the kind is removed.
    const KindEntry& add(KindEntry entry);
    /// Replaces the entry of the same group and resource. Requires: it exists and has the same
    /// names.
    void replace(KindEntry entry);
    /// Removes the kind. Requires: it is not watched any more, and no call of its entry is under
    /// way.
    void remove(Kind kind);

    /// Declares that another controller manages the objects of the kind, which is not watched yet.
    void expect_external(Kind kind) { job_kinds_.add_external(kind); }

    /// Sets whether walks from owner to owner pass through the objects of a kind whose integration
    /// is off. Returns true if this changes anything.
    bool set_passed(const KindEntry& entry, bool is_passed);

    /// Returns the entry of the kind, or nullptr.
    const KindEntry* find(Kind kind) const;
    /// Returns the entry of the kind that an owner reference names by group and kind, or nullptr.
    const KindEntry* find(std::string_view group, std::string_view kind) const;
    const std::list<KindEntry>& all() const { return entries_; }
    /// The kinds whose objects are jobs.
    const JobKinds& job_kinds() const { return job_kinds_; }

    /// Adds an empty store for each kind.
    void add_stores(Stores& stores) const;

  private:
    void note_job(const KindEntry& entry);

    std::list<KindEntry> entries_;
    std::map<Kind, std::list<KindEntry>::iterator> by_kind_;
    JobKinds job_kinds_;
};

/// Returns the key of the object that controls this one, if its kind is in the registry. For the
/// Workload of a pod group, returns the key of the group.
std::optional<ObjectKey> find_owner(const Registry& registry, const api::ObjectMeta& metadata);

/// Called for each object that has to be reconciled.
using Enqueue = std::function<void(const ObjectKey&, Urgency)>;

/// Enqueues the objects that a change concerns. Requires: the store has taken the change.
void enqueue_affected(
    const ChangeContext& context, const kube::AnyChange& change, const Enqueue& enqueue
);

/// Enqueues every object, for a replica that becomes the leader. Also enqueues the owners of
/// Workloads, because they may be gone.
void enqueue_all(const ChangeContext& context, const Enqueue& enqueue);

/// Enqueues the owners of Workloads that are of that kind, because the API server does not have the
/// kind, or no longer.
void enqueue_owners(const ChangeContext& context, Kind kind, const Enqueue& enqueue);

/// Visits the objects that have to be sent to the engine again because another object changed, and
/// then the objects that depend on them. Requires: the store has taken the change.
void translate_after(
    const ChangeContext& context, const kube::AnyChange& change, const Visit& translate
);

}  // namespace sluice::controller
