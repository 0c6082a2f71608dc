#pragma once

#include "apiserver/conformed_object.hpp"
#include "apiserver/managed_fields.hpp"
#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "apiserver/write_parameters.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// A call of an admission webhook that a write waits for.
struct WebhookCall {
    json::Value client_config;
    json::Value review;  ///< AdmissionReview v1, the request in it
    std::int64_t timeout_seconds = 10;
};

/// A create, update, patch or apply on its way through defaults, webhooks and rules into the store.
/// It is done in steps, so that webhooks are called outside. Lifetime: the state must outlive it.
class WriteOperation {
  public:
    using Verb = WriteVerb;

    WriteOperation(State& state, Request request, Route route, Verb verb);

    /// Goes on to the next call of a webhook; nothing: it is done. `now`: the time of the write.
    std::optional<WebhookCall> advance(Time now);
    /// The answer to the last call: an AdmissionReview, or why there is none.
    void take_answer(const Result<json::Value>& review);
    /// Requires: advance() has returned nothing.
    Response& response() { return response_; }
    /// What is written through another resource, such as `scale`, is owned by that name.
    void own_as(std::string subresource) { owner_ = std::move(subresource); }

  private:
    enum class Stage : std::uint8_t { Prepare, Mutate, Check, Validate, Commit };
    struct Hook {
        json::Value configuration;  ///< one entry of `webhooks`
        bool is_mutating = false;
    };

    // The stages. Errors end the operation.
    Result<void> prepare(Time now);
    Result<void> prepare_new(Time now);
    Result<void> name_new();
    void begin_life(Time now);
    Result<void> prepare_change(Time now);
    Result<void> check();
    Result<void> commit(Time now);

    Result<json::Value> read_changed();
    Result<json::Value> apply_config(const json::Value& config, const json::Value* live, Time now);
    Result<void> match_url(json::Value& object) const;
    Result<void> match_namespace(json::Value& metadata) const;
    Result<void> match_version() const;
    void keep_server_fields();
    Result<void> conform_to_kind(Origin origin, std::vector<std::string> duplicates = {});
    WriteContext make_context(const ServedVersions& versions, Time now) const;
    void own_changes(const json::Value* before, Time now);
    void fill_registry_fields();
    std::vector<Cause> find_faults() const;
    void find_hooks(bool are_mutating);
    Result<json::Value> make_review() const;
    void take_patch(const Hook& hook, std::string_view patch);
    void fail(const Error& error) { end(make_response(error)); }
    void end(Response response) {
        response_ = std::move(response);
        is_done_ = true;
    }
    std::string_view operation() const;
    const ResourceType& type() const { return *route_.type; }

    State& state_;
    Request request_;
    Route route_;
    Verb verb_;
    ResourceTable::TypePointer stored_type_;
    Collection collection_;
    ObjectName name_;
    std::string owner_;  ///< the subresource in managedFields
    Stage stage_ = Stage::Prepare;
    Snapshot live_;            ///< as it was when the change was prepared; null: there is none
    json::Value before_;       ///< the same in the version of the request
    json::Value object_;       ///< as it is to be stored, in the version of the request
    bool is_mutated_ = false;  ///< by a webhook
    std::vector<Hook> hooks_;
    std::size_t next_hook_ = 0;
    int attempts_ = 0;
    std::vector<std::string> warnings_;
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
