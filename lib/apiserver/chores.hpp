#pragma once

#include "apiserver/core.hpp"

namespace sluice::apiserver {

/// Does the oldest chore; false: there was none. A chore may leave others.
bool do_chore(Core& core);

/// Adds a chore unless it waits already.
void add_chore(Core& core, Chore chore);

}  // namespace sluice::apiserver
