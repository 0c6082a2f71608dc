#pragma once

#include "api/meta/codec.hpp"
#include "kube/client/client.hpp"
#include "kube/core/list_page.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sluice::kube {

/// Calls of Client for the kind T, from and to typed objects.
/// Example: `TypedClient<api::Job> jobs(client); auto job = co_await jobs.get({"team-a",
/// "train"});` Lifetime: the client must outlive it and its calls.
template <class T>
class TypedClient {
  public:
    explicit TypedClient(Client& client) : client_(&client) {}

    Async<T> get(NamespacedName key, GetOptions options = {}) {
        auto path = path_of<T>(std::move(key.namespace_), std::move(key.name));
        const auto text = co_await client_->get(std::move(path), std::move(options));
        co_return decode(text);
    }

    /// The whole collection, read page by page; an empty namespace is all of them.
    Async<std::vector<T>> list(std::string namespace_ = {}, ListOptions options = {}) {
        std::vector<T> objects;
        if (options.limit == 0) {
            options.limit = kPageSize;
        }
        for (;;) {
            auto path = path_of<T>(namespace_);
            const auto text = co_await client_->list(std::move(path), options);
            if (!text) {
                co_return text.error();
            }
            const auto page = decode_list_page(*text);
            if (!page) {
                co_return page.error();
            }
            for (const auto& item : page->items) {
                auto object = api::decode<T>(item);
                if (!object) {
                    co_return with_context(object.error(), std::string(T::kKind));
                }
                objects.push_back(std::move(*object));
            }
            if (page->continue_token.empty()) {
                co_return objects;
            }
            options.continue_token = page->continue_token;
        }
    }

    Async<T> create(T object, WriteOptions options = {}) {
        auto path = path_of<T>(object.metadata.namespace_);
        auto body = api::encode(object);
        const auto text =
            co_await client_->create(std::move(path), std::move(body), std::move(options));
        co_return decode(text);
    }

    /// Merge patch of the object, or of a subresource when one is named.
    Async<T> merge_patch(
        NamespacedName key,
        std::string body,
        WriteOptions options = {},
        std::string subresource = {}
    ) {
        auto path =
            path_of<T>(std::move(key.namespace_), std::move(key.name), std::move(subresource));
        const auto text =
            co_await client_->merge_patch(std::move(path), std::move(body), std::move(options));
        co_return decode(text);
    }

    /// Server-side apply of the object, or of a subresource when one is named.
    Async<T> apply(
        NamespacedName key, std::string body, ApplyOptions options, std::string subresource = {}
    ) {
        auto path =
            path_of<T>(std::move(key.namespace_), std::move(key.name), std::move(subresource));
        const auto text =
            co_await client_->apply(std::move(path), std::move(body), std::move(options));
        co_return decode(text);
    }

    Async<void> remove(NamespacedName key, DeleteOptions options = {}) {
        auto path = path_of<T>(std::move(key.namespace_), std::move(key.name));
        const auto text = co_await client_->remove(std::move(path), std::move(options));
        if (!text) {
            co_return text.error();
        }
        co_return Result<void>();
    }

  private:
    static constexpr std::int64_t kPageSize = 500;

    static Result<T> decode(const Result<std::string>& text) {
        if (!text) {
            return text.error();
        }
        auto object = api::decode<T>(*text);
        if (!object) {
            return with_context(object.error(), std::string(T::kKind) + " in the server's answer");
        }
        return object;
    }

    Client* client_;
};

}  // namespace sluice::kube
