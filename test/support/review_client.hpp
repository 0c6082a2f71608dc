#pragma once

#include "json/value.hpp"
#include "kube/client/client.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace sluice::test {

/// The part of an API server that judges reviews: TokenReviews and SubjectAccessReviews. Its other
/// parts fail.
class ReviewClient final : public kube::Client {
  public:
    /// The status of a review, by its resource and its spec.
    using Answer = std::function<json::Value(const kube::ResourcePath&, const json::Value&)>;
    explicit ReviewClient(Answer answer) : answer_(std::move(answer)) {}

    kube::Async<std::string> create(kube::ResourcePath path, std::string body, kube::WriteOptions)
        override {
        ++calls;
        if (is_down) {
            co_return Error{ErrorCode::Unavailable, "no answer", {}};
        }
        const auto review = json::parse(body);
        auto status = answer_(path, *review->find("spec"));
        co_return json::print(json::Object{{"status", std::move(status)}});
    }
    /// Any object: the text in `got`.
    kube::Async<std::string> get(kube::ResourcePath, kube::GetOptions) override {
        if (got.empty()) {
            co_return not_played();
        }
        co_return got;
    }
    kube::Async<std::string> list(kube::ResourcePath, kube::ListOptions) override {
        co_return not_played();
    }
    kube::Async<std::string> update(kube::ResourcePath, std::string, kube::WriteOptions) override {
        co_return not_played();
    }
    kube::Async<std::string> merge_patch(kube::ResourcePath, std::string, kube::WriteOptions)
        override {
        co_return not_played();
    }
    kube::Async<std::string> apply(kube::ResourcePath, std::string, kube::ApplyOptions) override {
        co_return not_played();
    }
    kube::Async<std::string> remove(kube::ResourcePath, kube::DeleteOptions) override {
        co_return not_played();
    }
    kube::Async<std::unique_ptr<kube::WatchStream>> watch(kube::ResourcePath, kube::WatchOptions)
        override {
        co_return not_played();
    }
    kube::Async<std::string> get_raw(std::string, kube::GetOptions) override {
        co_return not_played();
    }

    int calls = 0;  ///< reviews
    bool is_down = false;
    std::string got;

  private:
    static Error not_played() { return Error{ErrorCode::Invalid, "not played", {}}; }
    Answer answer_;
};

}  // namespace sluice::test
