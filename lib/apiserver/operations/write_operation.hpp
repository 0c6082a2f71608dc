// The path of a write: create, update, patch or apply, from the request to the store.
#pragma once

#include "apiserver/admission/admission_expressions.hpp"
#include "apiserver/admission/policy_matching.hpp"
#include "apiserver/admission/webhook_answer.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/operations/conformed_object.hpp"
#include "apiserver/operations/operation.hpp"
#include "apiserver/operations/write_parameters.hpp"
#include "apiserver/state/conversions.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// A create, update, patch or apply on its way through defaults, webhooks and validation into the
/// store, in steps, so that the caller can call webhooks between them. Lifetime: the state must
/// outlive it.
class WriteOperation final : public Operation {
  public:
    using Verb = WriteVerb;

    WriteOperation(State& state, Request request, Route route, Verb verb);

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override;
    Response& response() override { return response_; }
    /// Sets the subresource in managedFields, for a write through another resource such as `scale`.
    void own_as(std::string subresource) { owner_ = std::move(subresource); }

  private:
    enum class Stage : std::uint8_t {
        Prepare,   ///< makes the object from the request
        Choose,    ///< applies mutating policies
        Select,    ///< finds the mutating webhooks
        Mutate,    ///< calls them
        Check,     ///< completes and validates the object
        Judge,     ///< checks validating policies, finds the validating webhooks
        Validate,  ///< calls them
        Commit     ///< stores the object
    };
    struct Hook {
        json::Value configuration;  ///< one entry of `webhooks`
        /// The version in which the webhook sees the object.
        ResourceTable::TypePointer type{};
        bool is_mutating = false;
    };
    struct Patched {
        json::Value object;
        ResourceTable::TypePointer type;  ///< whose version `object` is in
    };

    /// Returns the call of the next webhook of this stage; nullopt if all have answered or
    /// conversions are missing.
    Result<std::optional<WebhookCall>> call_next_hook();
    /// Returns the call for missing conversions; nullopt if no conversion is missing.
    std::optional<WebhookCall> ask_missing();
    /// Returns the call for conversions that the next stage needs; nullopt if it needs none.
    std::optional<WebhookCall> convert_for_stage();
    void take_conversion(const Result<json::Value>& review);

    // The stages. Errors end the operation.
    Result<void> prepare(Time now);
    Result<void> prepare_new(Time now);
    Result<void> name_new();
    Result<void> begin_life(Time now);
    bool is_taken() const { return state_.store.find(collection_, name_) != nullptr; }
    Result<void> prepare_change(Time now);
    Result<void> prepare_deletion();
    Result<void> check();
    /// Checks the write against validating policies. `asked`: the call for conversions that they
    /// miss.
    Result<void> judge(std::optional<WebhookCall>& asked);
    Result<void> commit(Time now);

    Result<json::Value> read_changed();
    Result<json::Value> apply_config(const json::Value& config, const json::Value* live, Time now);
    Result<void> match_url(json::Value& object) const;
    Result<void> match_namespace(json::Value& metadata) const;
    Result<void> match_version() const;
    void keep_server_fields();
    Result<void> conform_to_kind(Origin origin, Duplicates duplicates = {});
    /// Refuses duplicate fields of an applied configuration.
    Result<void> check_applied(const Duplicates& duplicates);
    /// Returns the other versions of the kind, in which managers may own fields.
    ServedVersions served_versions() const;
    WriteContext make_context(const ServedVersions& versions, Time now) const;
    void own_changes(const json::Value* before, Time now);
    void fill_registry_fields();
    std::vector<Cause> find_faults();
    void find_hooks(bool are_mutating);
    bool is_selected(const json::Value& hook) const;
    /// Returns the object in the version in which a webhook sees it.
    Result<json::Value> object_as(const ResourceType& version);
    /// Converts the object that webhooks have changed back to the version of the request.
    Result<void> take_patched();
    Result<json::Value> make_review(const ResourceType& version);
    /// Returns the options of the request for the review.
    json::Value review_options() const;
    AdmissionContext make_admission_context(json::Value review) const;
    ContextSource context_source();
    Result<bool> meets_conditions(const json::Value& hook, const json::Value& review);
    Result<void> mutate_by_policies();
    Result<void> admit_by_policies();
    Result<void> take_patch(const Hook& hook, std::string_view patch);
    void fail(const Error& error) { end(make_response(error)); }
    void end(Response response) {
        response_ = std::move(response);
        is_done_ = true;
    }
    std::string_view operation() const;
    const ResourceType& type() const { return *route_.type; }
    bool is_deletion() const { return verb_ == Verb::Delete; }

    State& state_;
    Request request_;
    Route route_;
    Verb verb_;
    ResourceTable::TypePointer stored_type_;
    Collection collection_;
    ObjectName name_;
    std::string owner_;  ///< subresource in managedFields
    Stage stage_ = Stage::Prepare;
    Snapshot live_;       ///< the object from which the change was prepared; nullptr for a create
    json::Value before_;  ///< `live_` in the version of the request
    json::Value object_;  ///< the object to store, in the version of the request
    bool is_mutated_ = false;  ///< a webhook or a policy has changed it
    /// The object as webhooks changed it, in the version of the last webhook; nullopt if `object_`
    /// is current.
    std::optional<Patched> patched_;
    json::Value sent_;  ///< the object as the called webhook sees it
    AskedReview asked_;
    Conversions conversions_;
    bool keeps_live_ = false;     ///< prepares the change again, from the same `live_`
    bool is_converting_ = false;  ///< waits for the answer of a conversion webhook
    std::vector<Hook> hooks_;
    std::size_t next_hook_ = 0;
    int attempts_ = 0;
    std::vector<std::string> warnings_;
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
