#pragma once

#include "controller/kinds/kind_entry.hpp"

#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The kinds that the controller follows, in the order in which the engine is told of them. Kinds
/// that are known only at run time may be added and removed at any time. Thread: one.
class Registry {
  public:
    Registry() = default;
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;
    Registry(Registry&&) noexcept = default;
    Registry& operator=(Registry&&) noexcept = default;

    /// Adds a kind. Requires: there is none of its group and resource yet. Lifetime: until it is
    /// removed.
    const KindEntry& add(KindEntry entry);
    /// Puts the entry in place of that of the same group and resource. Requires: there is one, with
    /// the same names.
    void replace(KindEntry entry);
    /// Removes the kind. Requires: it is not followed any more, and no call of its entry is at
    /// work.
    void remove(Kind kind);

    /// Another controller manages the objects of the kind, which is not followed yet.
    void expect_external(Kind kind) { job_kinds_.add_external(kind); }

    /// Sets whether walks from owner to owner go through the objects of a kind that is only passed.
    /// Returns true if that changes.
    bool set_passed(const KindEntry& entry, bool is_passed);

    /// The entry of the kind, or nullptr.
    const KindEntry* find(Kind kind) const;
    /// The kind that an owner reference names, by group and kind, or nullptr.
    const KindEntry* find(std::string_view group, std::string_view kind) const;
    const std::list<KindEntry>& all() const { return entries_; }
    /// Those whose objects are jobs.
    const JobKinds& job_kinds() const { return job_kinds_; }

    /// An empty store for each kind.
    void add_stores(Stores& stores) const;

  private:
    void note_job(const KindEntry& entry);

    std::list<KindEntry> entries_;
    std::map<Kind, std::list<KindEntry>::iterator> by_kind_;
    JobKinds job_kinds_;
};

/// The object that controls this one, if its kind is one of the registry's; of the Workload of a
/// group of pods the key of the group.
std::optional<ObjectKey> find_owner(const Registry& registry, const api::ObjectMeta& metadata);

/// Called for each object that wants to be reconciled.
using Enqueue = std::function<void(const ObjectKey&, Urgency)>;

/// Enqueues the objects that a change concerns. Requires: the store has taken the change.
void enqueue_affected(
    const ChangeContext& context, const kube::AnyChange& change, const Enqueue& enqueue
);

/// Enqueues every object, for a replica that begins to act; and the owners of Workloads, which may
/// be gone.
void enqueue_all(const ChangeContext& context, const Enqueue& enqueue);

/// Enqueues the owners, of that kind, of Workloads: the API server does not have the kind (any
/// more).
void enqueue_owners(const ChangeContext& context, Kind kind, const Enqueue& enqueue);

/// Which other objects the engine must be told anew because one changed, and what depends on those
/// in turn. Requires: the store has taken the change.
void translate_after(
    const ChangeContext& context, const kube::AnyChange& change, const Visit& translate
);

}  // namespace sluice::controller
