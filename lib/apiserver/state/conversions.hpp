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

/// The objects that one request or watch needs in another version, where a webhook converts them. A
/// core that calls nobody cannot wait for one: what it does not find is noted as missing, what was
/// made without it counts for nothing, and all is done again once the webhook has answered. Nothing
/// is kept for other requests: a webhook may answer each one in another way.
class Conversions {
  public:
    /// The object in the version of the type; nothing: it is missing. Requires: the type's
    /// conversion is that of a webhook.
    std::optional<json::Value> find(const json::Value& object, const ResourceType& to);
    bool are_missing() const { return !missing_.empty(); }
    /// The call that asks for what is missing of one version, or for a part of it where it is much:
    /// before anything is done again, the rest is to be asked for. Requires: something is missing.
    WebhookCall make_call(const Store& store);
    /// Takes the answer to that call. Errors: a failure with the API server's words; nothing is
    /// missing any more.
    Result<void> take_answer(const Result<json::Value>& review);
    /// Forgets what was found: it will not be needed again.
    void forget() { found_.clear(); }

  private:
    struct Wanted {
        std::string key;
        json::Value object;
    };
    /// What is missing of one version.
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
    std::vector<Group> missing_;                ///< none is empty
    std::set<std::string, std::less<>> noted_;  ///< their keys
    Group asked_;
    std::string uid_;  ///< of the call
    std::string review_version_;
};

}  // namespace sluice::apiserver
