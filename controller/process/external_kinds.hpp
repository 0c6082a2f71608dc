#pragma once

#include "controller/kinds/kind_entry.hpp"
#include "kube/client/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sluice::controller {

/// The kinds that integrations.externalFrameworks names. Objects are found by the plural of their
/// kind, which only the API server knows: it is asked, ever later, until it has the kind.
class ExternalKinds {
  public:
    struct Parts {
        kube::Client& client;
        std::vector<std::string> names;  ///< Kind.version.group
        /// Called for each with an entry that can be followed.
        std::function<void(KindEntry)> on_found;
        /// After which discovery is asked again; doubled each time.
        Duration delay = std::chrono::seconds(1);
    };

    explicit ExternalKinds(Parts parts);

    /// The kinds by a plural that was guessed: whatever belongs to their objects waits until these
    /// are seen. Lifetime: this must outlive them.
    std::vector<Kind> expected() const;
    /// Asks until all are found, or until cancelled.
    boost::asio::awaitable<void> run();

  private:
    using Names = std::shared_ptr<const kube::RunTimeKind>;

    /// The names with the plural that the API server has; null: it does not have the kind, or does
    /// not answer.
    boost::asio::awaitable<Names> find(Names guessed);

    Parts parts_;
    std::vector<Names> guessed_;
};

}  // namespace sluice::controller
