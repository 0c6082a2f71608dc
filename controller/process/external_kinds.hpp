// Finds the kinds of integrations.externalFrameworks by discovery.
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

/// The kinds that integrations.externalFrameworks names. Watching them requires the plural of the
/// kind, which only the API server knows: discovery is repeated, with growing delays, until the
/// server has the kind.
class ExternalKinds {
  public:
    struct Parts {
        kube::Client& client;
        std::vector<std::string> names;  ///< Kind.version.group
        /// Called for each kind that was found, with an entry to watch it by.
        std::function<void(KindEntry)> on_found;
        /// Delay before discovery is repeated; doubled each time.
        Duration delay = std::chrono::seconds(1);
    };

    explicit ExternalKinds(Parts parts);

    /// Returns the kinds with a guessed plural: jobs owned by their objects wait until the kind was
    /// found. Lifetime: this must outlive the kinds.
    std::vector<Kind> expected() const;
    /// Repeats discovery until all kinds are found, or until cancelled.
    boost::asio::awaitable<void> run();

  private:
    using Names = std::shared_ptr<const kube::RunTimeKind>;

    /// Returns the names with the plural that the API server has; nullptr if it does not have the
    /// kind or does not answer.
    boost::asio::awaitable<Names> find(Names guessed);

    Parts parts_;
    std::vector<Names> guessed_;
};

}  // namespace sluice::controller
