// Answers the requests of insight.sluice.dev.
#pragma once

#include "api/insight/what_if.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/insight/insight_path.hpp"
#include "controller/insight/what_if_limits.hpp"
#include "insight/situation.hpp"
#include "insight/what_if.hpp"
#include "net/http/http_server.hpp"
#include "serving/access_reviews.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Calls that take what an answer is made of, on the thread of the stores. Errors: Unavailable;
/// plan_change also Invalid and NotFound. Thread: that of the server.
struct InsightCalls {
    template <class T, class... Arguments>
    using Call = std::function<boost::asio::awaitable<Result<T>>(Arguments...)>;

    /// nullopt if the Workload does not exist.
    Call<std::optional<insight::Situation>, InsightPath> find_situation;
    Call<std::vector<insight::Situation>, InsightPath, InsightPage> find_situations;
    Call<insight::PlannedChange, InsightPath, std::vector<api::WhatIfEdit>> plan_change;
};

/// Returns the right that a request needs. Requires: the path has an answer.
serving::Access insight_access(const InsightPath& path);

/// The largest body of a what-if.
inline constexpr std::size_t kWhatIfBytesMax = std::size_t{1024} * 1024;

/// Answers questions of users who have the right to ask. The engine works on forks, on the server's
/// thread. Workloads of namespaces in which the user may not get Workloads stay unnamed.
class InsightHandler {
  public:
    /// Lifetime: `reviews` and `clock` must outlive this object.
    InsightHandler(serving::AccessReviews& reviews, InsightCalls calls, const Clock& clock)
        : reviews_(reviews), calls_(std::move(calls)), limits_(clock) {}

    /// Requires: the path has an answer. Lifetime: of the arguments, until the answer.
    boost::asio::awaitable<net::ServerResponse> answer(
        net::ServerRequest* request, const InsightPath* path, const serving::User* user
    );

  private:
    /// Bounds the memory: each waiting question has a fork of the state.
    static constexpr std::size_t kQuestionsMax = 64;

    boost::asio::awaitable<net::ServerResponse> explain(
        const InsightPath* path, const serving::User* user
    );
    boost::asio::awaitable<net::ServerResponse> explain_page(
        const net::ServerRequest* request, const InsightPath* path, const serving::User* user
    );
    boost::asio::awaitable<net::ServerResponse> try_change(
        net::ServerRequest* request, const InsightPath* path, const serving::User* user
    );
    /// Returns those of the namespaces in which the user may read workloads. Errors: those of the
    /// reviews.
    boost::asio::awaitable<Result<std::set<std::string, std::less<>>>> readable_of(
        std::set<std::string> namespaces, const serving::User* user
    );

    serving::AccessReviews& reviews_;
    InsightCalls calls_;
    WhatIfLimits limits_;
    std::size_t questions_ = 0;  ///< that are being answered
};

}  // namespace sluice::controller
