#pragma once

#include "apiserver/state/conversions.hpp"
#include "apiserver/state/namespace_counts.hpp"
#include "apiserver/state/quota_usage.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/types/failures.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "base/prng.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

class AdmissionPrograms;

/// Everything that the server knows, and what every way of changing it shares.
class State {
  public:
    State(std::uint64_t seed, std::size_t log_max);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Store store;
    ResourceTable types;
    std::string root_ca{};              ///< see ApiServer::Options
    std::string administrator_token{};  ///< see ApiServer::Options
    bool has_controller = false;        ///< see ApiServer::Options

    std::string new_uid();
    /// Five characters, as generateName appends them.
    std::string new_suffix();

    /// Where objects of the type are kept: the two Event kinds share one place.
    static Collection collection_of(const ResourceType& type);
    /// A stored object in the version of the type. Where a webhook converts it, see
    /// ConversionScope.
    json::Value to_version(const json::Value& stored, const ResourceType& type) const;
    /// Whether to_version() would make a mere copy.
    bool is_shown_as_stored(const json::Value& stored, const ResourceType& type) const;
    /// The other way: an object of that type as it is stored.
    Result<json::Value> to_stored(json::Value object, const ResourceType& type) const;
    /// An object of one version of a kind in another, as the API server tells it to a webhook.
    Result<json::Value> convert(
        json::Value object, const ResourceType& from, const ResourceType& to
    ) const;
    /// Whether another version of the kind is had from a webhook.
    bool is_converted_outside(const ResourceType& type) const;
    /// Whether to_version() needs it for this object.
    bool needs_webhook(const json::Value& stored, const ResourceType& type) const {
        return stored.string_at("apiVersion") != type.api_version() && is_converted_outside(type);
    }

    /// Objects that name the owner in their ownerReferences.
    using Key = std::pair<Collection, ObjectName>;
    const std::set<Key>& dependents(std::string_view uid) const;
    /// The object of that uid, or nullptr.
    const Key* find_by_uid(std::string_view uid) const;
    const NamespaceCounts& namespace_counts() const { return namespace_counts_; }
    const QuotaUsage& quota_usage() const { return quota_usage_; }
    AdmissionPrograms& programs() const { return *programs_; }

  private:
    friend class ConversionScope;
    /// The same of any object, into that version. Nothing: it is missing.
    std::optional<json::Value> convert_outside(const json::Value& object, const ResourceType& to)
        const;
    /// Of a kind that Kubernetes itself does not convert.
    Result<json::Value> change_version(
        json::Value object, const ResourceType& from, const ResourceType& to
    ) const;
    void index(const Collection& collection, const LogEntry& entry);

    Prng prng_;
    std::map<std::string, std::set<Key>, std::less<>> dependents_;  ///< by the owner's uid
    std::map<std::string, Key, std::less<>> by_uid_;
    NamespaceCounts namespace_counts_;
    QuotaUsage quota_usage_;
    std::unique_ptr<AdmissionPrograms> programs_;
    Conversions* conversions_ = nullptr;  ///< of who is at work
};

/// As long as it is there, objects that webhooks convert are had from these conversions, which note
/// what they lack. Without any no such object may be asked for.
class ConversionScope {
  public:
    ConversionScope(State& state, Conversions& conversions)
        : state_(state), outer_(std::exchange(state.conversions_, &conversions)) {}
    ~ConversionScope() { state_.conversions_ = outer_; }
    ConversionScope(const ConversionScope&) = delete;
    ConversionScope& operator=(const ConversionScope&) = delete;

  private:
    State& state_;
    Conversions* outer_;
};

/// What objects of the type look like. nullptr: nobody knows, so that they stay as they are.
std::shared_ptr<const Schema> schema_of(const ResourceType& type);

}  // namespace sluice::apiserver
