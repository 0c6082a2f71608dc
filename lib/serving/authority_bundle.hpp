// The list of authorities in a webhook's `caBundle`: splits, compares and merges it.
#pragma once

#include "base/clock.hpp"

#include <string>
#include <vector>

/// The authorities that clients of a webhook trust (`caBundle`): PEM certificates in one text.
/// Pure.
namespace sluice::serving {

/// Splits a PEM text into its certificates. Text between them is dropped.
std::vector<std::string> split_certificates(const std::string& pem);

/// Returns true if both texts have the same certificates in any order, and at least one.
bool has_same_certificates(const std::string& a, const std::string& b);

/// Returns all certificates of `own_pem`, followed by those of `published_pem` that have not
/// expired at `now`. Keeps at most four of the latter, those that began last, so that the text
/// cannot grow without limit.
std::string unite_authorities(
    const std::string& own_pem, const std::string& published_pem, Time now
);

}  // namespace sluice::serving
