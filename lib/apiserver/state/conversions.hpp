// The objects of a request that a conversion webhook converts to another version.
#pragma once

#include "apiserver/state/store.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The objects that one request or watch needs in another version, if a webhook converts them. The
/// core makes no calls, so it cannot wait for a webhook: an object that find() does not have is
/// recorded as missing, the result that was computed without it is discarded, and the whole
/// operation is repeated once the webhook has answered. Conversions are not shared between
/// requests: a webhook may answer each request differently.
class Conversions {
  public:
    /// Returns the object in the version of the type; nullopt if it is missing. Requires: a webhook
    /// converts objects of the type.
    std::optional<json::Value> find(const json::Value& object, const ResourceType& to);
    bool are_missing() const { return !missing_.empty(); }
    /// Returns the call that requests the missing objects of one version, or some of them if there
    /// are many. Make calls until are_missing() is false before you repeat the operation. Requires:
    /// are_missing().
    WebhookCall make_call(const Store& store);
    /// Takes the answer to that call. Errors: a failure in the API server's words; no objects are
    /// missing after it.
    Result<void> take_answer(const Result<json::Value>& review);
    /// Drops the converted objects: they are not needed again.
    void forget() { found_.clear(); }

  private:
    struct Wanted {
        std::string key;
        json::Value object;
    };
    /// The missing objects of one version.
    struct Group {
        std::string api_version;
        std::shared_ptr<const json::Value> webhook;
        std::shared_ptr<const Schema> structure;
        std::deque<Wanted> wanted;
    };
    Group& group_of(const ResourceType& to);
    Result<void> read_answer(const Result<json::Value>& review);
    Result<void> take_objects(const json::Array& converted);

    std::map<std::string, json::Value, std::less<>> found_;
    std::vector<Group> missing_;                ///< no group is empty
    std::set<std::string, std::less<>> noted_;  ///< keys of the missing objects
    Group asked_;
    std::string uid_;  ///< uid of the ConversionReview
    std::string review_version_;
};

}  // namespace sluice::apiserver
