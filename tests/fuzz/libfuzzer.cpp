// SPDX-License-Identifier: MIT
// What libFuzzer calls; CISOLVE_FUZZ_TARGET is the name of a function in targets.hpp.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cisolve::fuzz::CISOLVE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
