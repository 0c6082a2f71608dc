// The state of the server: its objects and kinds, with the indexes that operations share.
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

/// The whole state of the server, and the functions that all operations on it share.
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

    /// Returns a random uid, which depends on the seed.
    std::string new_uid();
    /// Returns five random characters, as generateName appends them.
    std::string new_suffix();

    /// Returns the collection that stores objects of the type: both Event kinds share one.
    static Collection collection_of(const ResourceType& type);
    /// Returns a stored object in the version of the type. Requires: a ConversionScope if
    /// needs_webhook().
    json::Value to_version(const json::Value& stored, const ResourceType& type) const;
    /// Returns true if to_version() would return an unchanged copy.
    bool is_shown_as_stored(const json::Value& stored, const ResourceType& type) const;
    /// Returns an object of that type in the version in which it is stored. Errors: the conversion
    /// failed.
    Result<json::Value> to_stored(json::Value object, const ResourceType& type) const;
    /// Converts an object to another version of its kind, as the API server does before it sends
    /// the object to a webhook. Errors: the conversion failed.
    Result<json::Value> convert(
        json::Value object, const ResourceType& from, const ResourceType& to
    ) const;
    /// Returns true if a webhook converts objects of the kind.
    bool is_converted_outside(const ResourceType& type) const;
    /// Returns true if to_version() needs a webhook for this object.
    bool needs_webhook(const json::Value& stored, const ResourceType& type) const {
        return stored.string_at("apiVersion") != type.api_version() && is_converted_outside(type);
    }

    /// The collection and name of an object.
    using Key = std::pair<Collection, ObjectName>;
    /// Returns the objects whose ownerReferences name that uid.
    const std::set<Key>& dependents(std::string_view uid) const;
    /// Returns the object of that uid; nullptr if the store does not have it.
    const Key* find_by_uid(std::string_view uid) const;
    const NamespaceCounts& namespace_counts() const { return namespace_counts_; }
    const QuotaUsage& quota_usage() const { return quota_usage_; }
    AdmissionPrograms& programs() const { return *programs_; }

  private:
    friend class ConversionScope;
    /// Returns any object in that version, converted by a webhook; nullopt if the conversion is
    /// missing.
    std::optional<json::Value> convert_outside(const json::Value& object, const ResourceType& to)
        const;
    /// Converts an object of a custom kind to another version.
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
    Conversions* conversions_ = nullptr;  ///< of the current ConversionScope; nullptr outside
};

/// While a scope exists, the state takes objects that webhooks convert from its `conversions`,
/// which record the missing ones. Outside of a scope, such objects must not be requested.
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

/// Returns the schema of the objects of the type; nullptr if it is unknown: such objects are not
/// changed.
std::shared_ptr<const Schema> schema_of(const ResourceType& type);

}  // namespace sluice::apiserver
