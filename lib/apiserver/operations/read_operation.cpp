#include "apiserver/operations/read_operation.hpp"

#include "apiserver/operations/deletion.hpp"
#include "apiserver/operations/reading.hpp"
#include "apiserver/types/failures.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

/// How long the API server works on a request. A deletion uses the latest object, and starts again
/// if the object changes before the webhook answers.
constexpr Duration kRequestMax = std::chrono::seconds(60);

}  // namespace

ReadOperation::ReadOperation(State& state, Request request, Route route)
    : state_(state), request_(std::move(request)), route_(std::move(route)) {}

// Objects may be written faster than a webhook converts them: the latest ones would lack their
// conversion in each pass. So each later pass reads the version that the first pass has read.
void ReadOperation::pin_list() {
    const bool is_pinned = request_.parameter("resourceVersionMatch") == "Exact" ||
                           !request_.parameter("continue").empty();
    if (is_pinned) {
        return;
    }
    request_.query.erase("resourceVersion");
    request_.query.erase("resourceVersionMatch");
    request_.query.emplace("resourceVersion", std::to_string(state_.store.version()));
    request_.query.emplace("resourceVersionMatch", "Exact");
}

Response ReadOperation::read(Time now) {
    if (request_.is_set("watch")) {
        return read_objects(state_, request_, route_, now);
    }
    if (!route_.name.empty()) {
        if (passes_ == 0) {
            object_ = find_one(state_, route_);
        }
        return show_one(state_, request_, route_, object_, now);
    }
    Response response = read_objects(state_, request_, route_, now);
    if (conversions_.are_missing()) {
        pin_list();
    }
    return response;
}

std::optional<WebhookCall> ReadOperation::advance(Time now) {
    if (is_done_) {
        return std::nullopt;
    }
    if (conversions_.are_missing()) {
        return conversions_.make_call(state_.store);
    }
    const ConversionScope scope(state_, conversions_);
    const bool deletes = request_.method == "DELETE";
    // A rehearsal first: nothing is deleted until the answer has all of its conversions.
    response_ = deletes ? delete_objects(state_, request_, route_, now, true) : read(now);
    ++passes_;
    if (conversions_.are_missing()) {
        begun_ = begun_.value_or(now);
        if (deletes && now - *begun_ >= kRequestMax) {
            response_ = make_response(timed_out());
            is_done_ = true;
            return std::nullopt;
        }
        return conversions_.make_call(state_.store);
    }
    if (deletes) {
        response_ = delete_objects(state_, request_, route_, now);
    }
    is_done_ = true;
    return std::nullopt;
}

void ReadOperation::take_answer(const Result<json::Value>& review) {
    if (const auto taken = conversions_.take_answer(review); !taken) {
        response_ = make_response(taken.error());
        is_done_ = true;
    }
}

}  // namespace sluice::apiserver
