#pragma once

#include "controller/jobs/generic_job.hpp"

#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace sluice::controller {

/// The kinds of jobs that are managed, by group and kind.
class JobKinds {
  public:
    /// Requires: there is none of the same group and resource yet.
    void add(std::shared_ptr<const JobKind> kind) {
        const Kind key = kind->kind();
        names_.insert(key);
        kinds_.emplace(key, std::move(kind));
    }
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

  private:
    std::map<Kind, std::shared_ptr<const JobKind>> kinds_;
    std::set<Kind> names_;
};

}  // namespace sluice::controller
