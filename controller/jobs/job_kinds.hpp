#pragma once

#include "controller/jobs/generic_job.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

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
};

/// The kinds of jobs that are managed, by group and kind.
class JobKinds {
  public:
    /// Requires: there is none of the same group and resource yet.
    void add(std::shared_ptr<const JobKind> kind) {
        const Kind key = kind->kind();
        names_.insert(key);
        kinds_.emplace(key, std::move(kind));
    }
    /// Adds a kind whose objects are no jobs, but stand above some. Requires: as add().
    void add_above(KindAbove above) { above_.emplace(above.kind, above); }
    const std::set<Kind>& all() const { return names_; }
    /// The kind that an owner reference names, or nullptr.
    const JobKind* find(std::string_view group, std::string_view name) const {
        for (const auto& [key, kind] : kinds_) {
            if (key.group() == group && key.name() == name) {
                return kind.get();
            }
        }
        return nullptr;
    }
    /// The kind that an owner reference names, be it one of jobs or one above; none: it is unknown.
    std::optional<KindAbove> find_above(std::string_view group, std::string_view name) const {
        if (const JobKind* job = find(group, name)) {
            return KindAbove{job->kind(), Standing::Managed};
        }
        for (const auto& [key, above] : above_) {
            if (key.group() == group && key.name() == name) {
                return above;
            }
        }
        return std::nullopt;
    }

  private:
    std::map<Kind, std::shared_ptr<const JobKind>> kinds_;
    std::map<Kind, KindAbove> above_;
    std::set<Kind> names_;
};

}  // namespace sluice::controller
