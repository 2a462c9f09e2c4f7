// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace cisolve::bench {

struct WriteOptions {
  std::filesystem::path folder = ".";  ///< on the disk that is measured; what is written there is removed
  std::int64_t mebibytes = 1024;
  int repeats = 9;
};

/// Times vectors written to a new file, synced and renamed: with a seal (Hdf5File), and by the HDF5 library alone, in
/// turn; read back and compared before. Reading, from memory as a rule, and the hashes alone are timed too.
/// @throws Error if what was read is not what was written
/// @throws SystemError if a file cannot be written
nlohmann::json run_write(const WriteOptions& options);

}  // namespace cisolve::bench
