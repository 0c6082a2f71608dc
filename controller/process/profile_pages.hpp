#pragma once

#include "serving/path_table.hpp"

#include <memory>

namespace sluice::controller {

/// The pages below /debug/pprof that a program without a garbage collector can have, where and as
/// Go's package net/http/pprof has them: an index, the command line, and the processor time of all
/// threads while the request waits (`profile?seconds=30`, at most an hour), which `go tool pprof`
/// reads together with the program's file. One profile is made at a time.
std::shared_ptr<serving::PathTable> make_profile_pages();

}  // namespace sluice::controller
