#include "apiserver/outbox.hpp"

namespace sluice::apiserver {

void Outbox::Answer::await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    id_ = outbox_.next_id_++;
    call_.id = id_;
    outbox_.waiting_.emplace(id_, this);
    outbox_.calls_.push_back(std::move(call_));
}

void Outbox::answer(std::uint64_t id, Result<std::string> result) {
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) {
        return;
    }
    Answer* const answer = found->second;
    waiting_.erase(found);
    answer->result_ = std::move(result);
    answer->waiting_.resume();
}

}  // namespace sluice::apiserver
