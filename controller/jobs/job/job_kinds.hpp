// The set of kinds of jobs that are managed, and of kinds that may own jobs.
#pragma once

#include "controller/jobs/job/generic_job.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::controller {

/// The role of a kind whose objects may own jobs.
enum class AncestorRole : std::uint8_t {
    Managed,  ///< objects may be managed: then objects below them have no Workload
    Passed,   ///< objects only lead to the owners above them
};

/// A kind whose objects may be owners above jobs.
struct KindAbove {
    Kind kind;
    AncestorRole ancestor_role = AncestorRole::Managed;
    /// Pods that are controlled by the object's pods may count with it, or with an owner above it.
    bool counts_pods_of_pods = false;
};

/// The kinds of jobs that are managed, by group and kind.
class JobKinds {
  public:
    /// Adds a kind; jobs of a withdrawn kind are not started any more. Requires: no kind of the
    /// same group and resource was added.
    void add(std::shared_ptr<const JobKind> kind, bool is_withdrawn = false) {
        const Kind key = kind->kind();
        names_.insert(key);
        if (is_withdrawn) {
            withdrawn_.insert(key);
        }
        kinds_.emplace(key, std::move(kind));
    }
    /// Adds a kind whose objects are not jobs, but may own jobs, unless it was added before.
    /// Returns true if it was added now.
    bool add_above(KindAbove above) { return above_.emplace(above.kind, above).second; }
    /// Removes such a kind: walks from owner to owner end at its objects, as at an unknown kind.
    /// Returns false if the kind was not added.
    bool remove_above(Kind kind) { return above_.erase(kind) > 0; }
    /// Adds a kind whose objects another controller manages as jobs. Replaces a kind of the same
    /// group and name.
    void add_external(Kind kind) {
        std::erase_if(external_, [kind](Kind other) {
            return other.group() == kind.group() && other.name() == kind.name();
        });
        external_.insert(kind);
    }
    /// Returns true if another controller manages some kind of jobs.
    bool has_external() const { return !external_.empty(); }
    /// Removes the kind, if it was added.
    void remove(Kind kind) {
        names_.erase(kind);
        withdrawn_.erase(kind);
        external_.erase(kind);
        kinds_.erase(kind);
        above_.erase(kind);
    }

    /// Returns all kinds that are managed here, including withdrawn kinds.
    const std::set<Kind>& all() const { return names_; }
    const std::set<Kind>& withdrawn() const { return withdrawn_; }
    /// Returns the kind of jobs that an owner reference names, or nullptr.
    const JobKind* find(std::string_view group, std::string_view name) const {
        for (const auto& [key, kind] : kinds_) {
            if (key.group() == group && key.name() == name) {
                return kind.get();
            }
        }
        return nullptr;
    }
    /// Returns the kind that an owner reference names: a kind of jobs (also one that another
    /// controller manages), or a kind above jobs. Returns nullopt if the kind is unknown.
    std::optional<KindAbove> find_above(std::string_view group, std::string_view name) const {
        const auto is_named = [group, name](Kind kind) {
            return kind.group() == group && kind.name() == name;
        };
        for (const auto* kinds : {&names_, &external_}) {
            const auto found = std::ranges::find_if(*kinds, is_named);
            if (found != kinds->end()) {
                const auto own = kinds_.find(*found);
                // Which pods another controller counts is unknown.
                const bool counts = own == kinds_.end() || own->second->counts_pods_of_pods();
                return KindAbove{*found, AncestorRole::Managed, counts};
            }
        }
        for (const auto& [key, above] : above_) {
            if (is_named(key)) {
                return above;
            }
        }
        return std::nullopt;
    }

  private:
    std::map<Kind, std::shared_ptr<const JobKind>> kinds_;
    std::map<Kind, KindAbove> above_;
    std::set<Kind> names_;
    std::set<Kind> withdrawn_;
    std::set<Kind> external_;
};

}  // namespace sluice::controller
