#include "apiserver/operations/delete_operation.hpp"

#include "apiserver/operations/list_options.hpp"
#include "apiserver/state/deletion_options.hpp"
#include "apiserver/types/failures.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::apiserver {

DeleteOperation::DeleteOperation(State& state, Request request, Route route)
    : state_(state), request_(std::move(request)), route_(std::move(route)) {}

bool DeleteOperation::is_needed(const State& state) {
    constexpr std::array kAsked{
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
        "validatingadmissionpolicybindings"
    };
    return std::ranges::any_of(kAsked, [&state](const char* plural) {
        return !state.store.objects({"admissionregistration.k8s.io", plural}).empty();
    });
}

Result<void> DeleteOperation::find_targets() {
    if (const auto options = read_deletion_options(request_); !options) {
        return options.error();
    }
    has_targets_ = true;
    if (!route_.name.empty()) {
        targets_.push_back({route_.type->is_namespaced ? route_.ns : "", route_.name});
        return {};
    }
    const auto wanted = read_list_options(request_, route_, false);
    if (!wanted) {
        return wanted.error();
    }
    for (const auto& [name, object] : state_.store.objects(State::collection_of(*route_.type))) {
        if (wanted->filter.matches(name, *object)) {
            targets_.push_back(name);
        }
    }
    return {};
}

std::optional<WebhookCall> DeleteOperation::admit(Time now) {
    while (admission_ || next_ < targets_.size()) {
        if (!admission_) {
            const ObjectName& name = targets_[next_++];
            Route route = route_;
            route.ns = name.ns;
            route.name = name.name;
            admission_.emplace(state_, request_, std::move(route), WriteVerb::Delete);
        }
        if (auto call = admission_->advance(now)) {
            return call;
        }
        Response& answer = admission_->response();
        // The deletion of a collection ignores objects that were deleted in the meantime.
        const bool is_gone = answer.status == 404 && route_.name.empty();
        if (answer.status >= 400 && !is_gone) {
            response_ = std::move(answer);
            is_done_ = true;
            return std::nullopt;
        }
        warnings_.insert(warnings_.end(), answer.warnings.begin(), answer.warnings.end());
        admission_.reset();
    }
    return std::nullopt;
}

std::optional<WebhookCall> DeleteOperation::advance(Time now) {
    if (!has_targets_ && !is_done_) {
        if (const auto found = find_targets(); !found) {
            response_ = make_response(found.error());
            is_done_ = true;
        }
    }
    if (!is_done_ && !deletion_) {
        if (auto call = admit(now)) {
            return call;
        }
    }
    if (is_done_) {
        return std::nullopt;
    }
    if (!deletion_) {
        deletion_.emplace(state_, std::move(request_), std::move(route_));
    }
    if (auto call = deletion_->advance(now)) {
        return call;
    }
    response_ = std::move(deletion_->response());
    response_.warnings.insert(response_.warnings.end(), warnings_.begin(), warnings_.end());
    is_done_ = true;
    return std::nullopt;
}

void DeleteOperation::take_answer(const Result<json::Value>& review) {
    if (deletion_) {
        deletion_->take_answer(review);
    } else if (admission_) {
        admission_->take_answer(review);
    }
}

}  // namespace sluice::apiserver
