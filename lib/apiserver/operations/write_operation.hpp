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

/// A create, update, patch or apply on its way through defaults, webhooks and rules into the store.
/// It is done in steps, so that webhooks are called outside. Lifetime: the state must outlive it.
class WriteOperation final : public Operation {
  public:
    using Verb = WriteVerb;

    WriteOperation(State& state, Request request, Route route, Verb verb);

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override;
    Response& response() override { return response_; }
    /// What is written through another resource, such as `scale`, is owned by that name.
    void own_as(std::string subresource) { owner_ = std::move(subresource); }

  private:
    enum class Stage : std::uint8_t {
        Prepare,
        Choose,  ///< what policies make of it
        Select,  ///< which webhooks may change it
        Mutate,
        Check,
        Judge,
        Validate,
        Commit
    };
    struct Hook {
        json::Value configuration;          ///< one entry of `webhooks`
        ResourceTable::TypePointer type{};  ///< as which it is told of the object
        bool is_mutating = false;
    };
    struct Patched {
        json::Value object;
        ResourceTable::TypePointer type;  ///< its version
    };

    /// The call of the next webhook of this stage; nothing: all have answered, or conversions are
    /// missing.
    Result<std::optional<WebhookCall>> call_next_hook();
    /// The call for conversions that were found missing; nothing: none are.
    std::optional<WebhookCall> ask_missing();
    /// The same for those that the stage needs of the object.
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
    /// By the policies; with the call for conversions that they miss.
    Result<void> judge(std::optional<WebhookCall>& asked);
    Result<void> commit(Time now);

    Result<json::Value> read_changed();
    Result<json::Value> apply_config(const json::Value& config, const json::Value* live, Time now);
    Result<void> match_url(json::Value& object) const;
    Result<void> match_namespace(json::Value& metadata) const;
    Result<void> match_version() const;
    void keep_server_fields();
    Result<void> conform_to_kind(Origin origin, Duplicates duplicates = {});
    /// What an applied configuration has twice.
    Result<void> check_applied(const Duplicates& duplicates);
    /// The other versions of the kind, in which fields may be owned.
    ServedVersions served_versions() const;
    WriteContext make_context(const ServedVersions& versions, Time now) const;
    void own_changes(const json::Value* before, Time now);
    void fill_registry_fields();
    std::vector<Cause> find_faults();
    void find_hooks(bool are_mutating);
    bool is_selected(const json::Value& hook) const;
    /// The object as a webhook of that version is told of it.
    Result<json::Value> object_as(const ResourceType& version);
    /// Takes over what webhooks have made of the object.
    Result<void> take_patched();
    Result<json::Value> make_review(const ResourceType& version);
    /// Of the request, as a webhook is told of them.
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
    std::string owner_;  ///< the subresource in managedFields
    Stage stage_ = Stage::Prepare;
    Snapshot live_;            ///< as it was when the change was prepared; null: there is none
    json::Value before_;       ///< the same in the version of the request
    json::Value object_;       ///< as it is to be stored, in the version of the request
    bool is_mutated_ = false;  ///< by a webhook or a policy
    /// What webhooks have made of it, in the version of the last one; nothing: it is object_.
    std::optional<Patched> patched_;
    json::Value told_;  ///< the object as the webhook that is called sees it
    AskedReview asked_;
    Conversions conversions_;
    bool keeps_live_ = false;     ///< it is prepared anew of what was live before
    bool is_converting_ = false;  ///< the answer that it waits for is that of a conversion
    std::vector<Hook> hooks_;
    std::size_t next_hook_ = 0;
    int attempts_ = 0;
    std::vector<std::string> warnings_;
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
