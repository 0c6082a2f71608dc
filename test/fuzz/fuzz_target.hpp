#pragma once

#include <cstddef>
#include <cstdint>

/// What libFuzzer and the replay call with each input; each target defines it. It returns 0 and
/// aborts where a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
