// Asks the API server who holds a token and what a user may do, and caches the answers.
#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// A user, with the fields of the Kubernetes authentication API.
struct User {
    std::string name;
    std::string uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
};

/// An action of a user: on a resource, or on a path if `path` is set.
struct Access {
    std::string verb;
    std::string path;  ///< "": the action is on a resource
    std::string group;
    std::string version;
    std::string resource;
    std::string subresource;
    std::string ns;
    std::string name;
};

struct AccessVerdict {
    bool allowed = false;
    std::string reason;  ///< the API server's reason, often empty
};

/// A cache of answers that expire. Holds a bounded number of them.
template <class Answer>
class KeptAnswers {
  public:
    /// Returns the answer, or nullptr if the cache has none that is still valid.
    const Answer* find(const std::string& key, Instant now) const {
        const auto found = kept_.find(key);
        return found == kept_.end() || found->second.until <= now ? nullptr : &found->second.answer;
    }
    /// Stores an answer for `length`.
    void keep(std::string key, Answer answer, Instant now, Duration length) {
        std::erase_if(kept_, [now](const auto& entry) { return entry.second.until <= now; });
        if (kept_.size() >= kMax) {
            auto first = kept_.begin();
            for (auto at = kept_.begin(); at != kept_.end(); ++at) {
                first = at->second.until < first->second.until ? at : first;
            }
            kept_.erase(first);
        }
        kept_.insert_or_assign(std::move(key), Kept{std::move(answer), now + length});
    }

  private:
    /// Limits the memory when a client tries many tokens: the answer that expires first is dropped.
    static constexpr std::size_t kMax = 256;
    struct Kept {
        Answer answer;
        Instant until;
    };
    std::map<std::string, Kept> kept_;
};

/// Asks the API server who holds a token (TokenReview) and what a user may do
/// (SubjectAccessReview). Positive answers are cached, by default for a minute as in Kueue's
/// metrics server, refusals for ten seconds. Thread: one.
class AccessReviews {
  public:
    /// Lifetime: client and clock must outlive this object. The client needs permission to create
    /// both kinds of reviews.
    AccessReviews(
        kube::Client& client, const Clock& clock, Duration keep_granted = std::chrono::minutes(1)
    )
        : client_(client), clock_(clock), keep_granted_(keep_granted) {}

    /// Returns the user of a bearer token; nullopt if the token is not valid. Errors: those of the
    /// client.
    kube::Async<std::optional<User>> identify(std::string token);
    /// Returns whether the user may do this. Errors: those of the client.
    kube::Async<AccessVerdict> judge(User user, Access access);

  private:
    kube::Client& client_;
    const Clock& clock_;
    Duration keep_granted_;
    KeptAnswers<std::optional<User>> users_;  ///< by token
    KeptAnswers<AccessVerdict> verdicts_;     ///< by the text of the review
};

}  // namespace sluice::serving
