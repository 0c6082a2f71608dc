// The pages below /debug/pprof: index, command line and CPU profile.
#pragma once

#include "serving/path_table.hpp"

#include <memory>

namespace sluice::controller {

/// Returns the pages below /debug/pprof that a program without a garbage collector can have, with
/// the paths and formats of Go's package net/http/pprof: an index, the command line, and a CPU
/// profile of all threads while the request waits (`profile?seconds=30`, at most an hour), which
/// `go tool pprof` reads together with the program's file. Only one profile runs at a time.
std::shared_ptr<serving::PathTable> make_profile_pages();

}  // namespace sluice::controller
