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

/// What objects of a kind are that stand above jobs.
enum class Standing : std::uint8_t {
    Managed,  ///< they may be managed: then what is below them has no Workload of its own
    Passed,   ///< they only lead to what is above them
};

/// A kind whose objects may stand above jobs.
struct KindAbove {
    Kind kind;
    Standing standing = Standing::Managed;
    /// Pods that its pods control may count with it, or with what is above it.
    bool counts_pods_of_pods = false;
};

/// The kinds of jobs that are managed, by group and kind.
class JobKinds {
  public:
    /// Adds a kind; a withdrawn one begins no job any more. Requires: there is none of the same
    /// group and resource yet.
    void add(std::shared_ptr<const JobKind> kind, bool is_withdrawn = false) {
        const Kind key = kind->kind();
        names_.insert(key);
        if (is_withdrawn) {
            withdrawn_.insert(key);
        }
        kinds_.emplace(key, std::move(kind));
    }
    /// Adds a kind whose objects are no jobs, but stand above some, unless it is added already.
    /// Returns true if it is added now.
    bool add_above(KindAbove above) { return above_.emplace(above.kind, above).second; }
    /// Forgets such a kind: walks from owner to owner end at its objects, as at an unknown kind.
    /// Returns false if the kind was not added.
    bool remove_above(Kind kind) { return above_.erase(kind) > 0; }
    /// A kind whose objects another controller manages as jobs; in place of one of the same group
    /// and kind.
    void add_external(Kind kind) {
        std::erase_if(external_, [kind](Kind other) {
            return other.group() == kind.group() && other.name() == kind.name();
        });
        external_.insert(kind);
    }
    /// Returns true if another controller manages a kind of jobs.
    bool has_external() const { return !external_.empty(); }
    /// Forgets the kind, if it is here.
    void remove(Kind kind) {
        names_.erase(kind);
        withdrawn_.erase(kind);
        external_.erase(kind);
        kinds_.erase(kind);
        above_.erase(kind);
    }

    /// All that are managed here; withdrawn ones, too.
    const std::set<Kind>& all() const { return names_; }
    const std::set<Kind>& withdrawn() const { return withdrawn_; }
    /// The kind that an owner reference names, or nullptr.
    const JobKind* find(std::string_view group, std::string_view name) const {
        for (const auto& [key, kind] : kinds_) {
            if (key.group() == group && key.name() == name) {
                return kind.get();
            }
        }
        return nullptr;
    }
    /// The kind that an owner reference names, be it one of jobs, of another controller's too, or
    /// one above them; none: it is unknown.
    std::optional<KindAbove> find_above(std::string_view group, std::string_view name) const {
        const auto is_named = [group, name](Kind kind) {
            return kind.group() == group && kind.name() == name;
        };
        for (const auto* kinds : {&names_, &external_}) {
            const auto found = std::ranges::find_if(*kinds, is_named);
            if (found != kinds->end()) {
                const auto own = kinds_.find(*found);
                // Nobody knows what other controllers count.
                const bool counts = own == kinds_.end() || own->second->counts_pods_of_pods();
                return KindAbove{*found, Standing::Managed, counts};
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
