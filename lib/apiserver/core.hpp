#pragma once

#include "apiserver/negotiation.hpp"
#include "apiserver/outbox.hpp"
#include "apiserver/request.hpp"
#include "apiserver/resource.hpp"
#include "apiserver/server_options.hpp"
#include "apiserver/store.hpp"
#include "base/clock.hpp"
#include "base/prng.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// Work that controllers of a cluster do after a write: collecting garbage, emptying namespaces and
/// custom resources.
struct Chore {
    enum class Kind : std::uint8_t {
        CollectDependents,
        EmptyNamespace,
        NewNamespace,
        EstablishResource,
        EmptyResource,
    };
    Kind kind = Kind::CollectDependents;
    std::string subject;  ///< a uid, a namespace, PLURAL.GROUP
    friend auto operator<=>(const Chore&, const Chore&) = default;
};

/// What all parts of the server share. For use on one thread.
struct Core {
    explicit Core(const ServerOptions& server_options)
        : options(server_options),
          store(server_options.history),
          registry(Registry::with_builtins()),
          prng(server_options.seed) {}
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core() = default;

    ServerOptions options;
    Store store;
    Registry registry;
    Outbox outbox;
    Prng prng;
    Time now{};  ///< of the call that is being served
    std::deque<Chore> chores;

    /// A version 4 UUID of the seeded generator.
    std::string make_uid();
    /// The five characters that generateName gets.
    std::string make_name_suffix();
    /// The present as metav1.Time.
    std::string timestamp() const;
};

enum class FieldValidation : std::uint8_t { Ignore, Warn, Strict };

/// A request to a resource, its options read.
struct Scope {
    Request request;
    Query query;
    ResourcePtr resource;
    const ResourceVersion* version = nullptr;   ///< of `resource`
    const Subresource* subresource = nullptr;  ///< nullptr: the object itself
    std::string namespace_;
    std::string name;
    OutputForm form;
    std::vector<std::string> warnings;
    bool is_dry_run = false;
    FieldValidation field_validation = FieldValidation::Warn;
    std::string field_manager;

    std::string api_version() const { return resource->api_version(version->name); }
    GroupName group_resource() const { return resource->group_resource(); }
    GroupName group_kind() const { return resource->group_kind(); }
    std::string_view subresource_name() const {
        return subresource == nullptr ? std::string_view() : subresource->name;
    }
    std::shared_ptr<Collection> collection(Core& core) const {
        return core.store.collection(resource->store_name());
    }
    /// fieldManager, or what stands before the slash in the User-Agent.
    std::string manager() const;
    void warn(std::string text);
};

}  // namespace sluice::apiserver
