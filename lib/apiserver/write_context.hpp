#pragma once

#include "apiserver/core.hpp"
#include "apiserver/managed_fields.hpp"

namespace sluice::apiserver {

/// Who writes what, made of a request. Lifetime: core and scope must outlive it.
class WriteContextSource {
  public:
    WriteContextSource(const Core& core, const Scope& scope);
    WriteContextSource(const WriteContextSource&) = delete;
    WriteContextSource& operator=(const WriteContextSource&) = delete;
    ~WriteContextSource() = default;

    const WriteContext& context() const { return context_; }

  private:
    ServedVersions versions_;
    WriteContext context_;
};

}  // namespace sluice::apiserver
