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

/// A user as the API server knows one.
struct User {
    std::string name;
    std::string uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
};

/// What a user wants to do: with a resource, or with a path where one is given.
struct Access {
    std::string verb;
    std::string path;  ///< "": it is about a resource
    std::string group;
    std::string version;
    std::string resource;
    std::string subresource;
    std::string ns;
    std::string name;
};

struct AccessVerdict {
    bool allowed = false;
    std::string reason;  ///< what the API server says of it, often nothing
};

/// Answers that are good for some time, of which a bounded number is kept.
template <class Answer>
class KeptAnswers {
  public:
    /// Nullptr: none, or none that is still good.
    const Answer* find(const std::string& key, Instant now) const {
        const auto found = kept_.find(key);
        return found == kept_.end() || found->second.until <= now ? nullptr : &found->second.answer;
    }
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
    /// Those who try many tokens drive out each other's answers.
    static constexpr std::size_t kMax = 256;
    struct Kept {
        Answer answer;
        Instant until;
    };
    std::map<std::string, Kept> kept_;
};

/// Asks the API server who holds a token (TokenReview) and what a user may do
/// (SubjectAccessReview). What it grants is kept for a time, by default a minute as Kueue's metrics
/// have it, what it refuses for ten seconds.
/// Thread: one.
class AccessReviews {
  public:
    /// Lifetime: both must outlive it. The client's rights: to create both kinds of reviews.
    AccessReviews(
        kube::Client& client, const Clock& clock, Duration keep_granted = std::chrono::minutes(1)
    )
        : client_(client), clock_(clock), keep_granted_(keep_granted) {}

    /// The user of a bearer token; none: the token is not valid. Errors: those of the client.
    kube::Async<std::optional<User>> identify(std::string token);
    /// Errors: those of the client.
    kube::Async<AccessVerdict> judge(User user, Access access);

  private:
    kube::Client& client_;
    const Clock& clock_;
    Duration keep_granted_;
    KeptAnswers<std::optional<User>> users_;  ///< by token
    KeptAnswers<AccessVerdict> verdicts_;     ///< by what the review asks
};

}  // namespace sluice::serving
