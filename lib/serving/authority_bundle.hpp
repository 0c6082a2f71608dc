#pragma once

#include "base/clock.hpp"

#include <string>
#include <vector>

/// The authorities that clients of a webhook trust (`caBundle`): PEM certificates in one text.
/// Pure.
namespace sluice::serving {

/// The certificates of a PEM text, each as a text of its own. What lies between them is left out.
std::vector<std::string> split_certificates(const std::string& pem);

/// Whether both texts have the same certificates, at least one, in whatever order.
bool has_same_certificates(const std::string& a, const std::string& b);

/// The own authorities, all of them, and after them those of `published` that are valid at `now`:
/// the four that began last, so that the text cannot grow without end.
std::string unite_authorities(
    const std::string& own_pem, const std::string& published_pem, Time now
);

}  // namespace sluice::serving
