#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

class Watch;

/// Who asks.
struct Identity {
    std::string user = "system:admin";
    std::string uid;
    std::vector<std::string> groups = {"system:masters", "system:authenticated"};
};

/// A request as it came over HTTP.
struct Request {
    std::string method;
    std::string target;  ///< path and query, percent-encoded
    std::string accept{};
    std::string content_type{};
    std::string user_agent{};
    std::string body{};
    Identity identity{};
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    /// What follows the head, instead of the body; nullptr: the body.
    std::shared_ptr<Watch> watch{};
    /// When the watch must end.
    Duration watch_timeout{};
};

/// The parameters of a query, decoded.
class Query {
  public:
    Query() = default;
    explicit Query(std::string_view text);
    /// The first value of that name; "" when there is none.
    const std::string& get(std::string_view name) const;
    bool has(std::string_view name) const { return values_.contains(name); }
    std::vector<std::string> all(std::string_view name) const;
    /// As Go reads a boolean: 1, t, true, and a name without a value.
    bool is_true(std::string_view name) const;

  private:
    std::multimap<std::string, std::string, std::less<>> values_;
};

/// The text with its %XX sequences decoded; plus signs are blanks in a query.
std::string decode_percent(std::string_view text, bool is_query);

/// A path of the API taken apart.
struct ApiPath {
    std::string group;
    std::string version;
    std::string plural;  ///< empty: the group version itself
    std::string namespace_;
    std::string name;
    std::string subresource;
    std::string rest;  ///< what follows the subresource, as of a proxy
    bool is_watch = false;  ///< the old form with /watch/ before the resource
};
/// None: it is no path below /api/VERSION or /apis/GROUP/VERSION.
std::optional<ApiPath> parse_api_path(std::string_view path);

}  // namespace sluice::apiserver
