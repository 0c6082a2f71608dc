// Prints an explanation for people.
#pragma once

#include "api/insight/explanation.hpp"
#include "controller/commands/offline/age.hpp"

#include <string>

namespace sluice::commands {

/// Prints an explanation as paragraphs and tables. Control characters of names and messages are
/// escaped.
std::string print_explanation(const api::Explanation& explanation, TimeZone zone);

}  // namespace sluice::commands
