// SPDX-License-Identifier: MIT
// How libFuzzer changes HDF5 files: every second one that is sealed by its values, all others blindly.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "fuzz/hdf5_values.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string change_bytes(std::string bytes) {
  constexpr std::size_t longer = 16;
  const std::size_t size = bytes.size();
  bytes.resize(size + longer);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (seed % 2 == 0) {
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const auto changed = cisolve::fuzz::change_values(file, seed, change_bytes);
    if (changed && changed->size() <= most) {
      std::memcpy(data, changed->data(), changed->size());  // byte by byte where it is instrumented otherwise
      return changed->size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
