// SPDX-License-Identifier: MIT
// Sealed files with values that no run writes are read or refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cisolve/io/seal.hpp"
#include "fuzz/hdf5_values.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {
namespace test_hdf5_values {

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Turns the bits of one byte, or doubles the text.
std::string change_bytes(std::string bytes) {
  if (bytes.size() % 2 == 0) return bytes + bytes + 'x';
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  return bytes;
}

/// Calls read(file) for files with up to three changes each.
void read_changed(const std::string& reader, void (*read)(std::string_view)) {
  constexpr unsigned count = 75;
  MemoryFile memory("test");
  int files = 0, changes = 0, same = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_FUZZ_CORPUS "/" + reader)) {
    const std::string file = read_bytes(entry.path());
    if (!ends_in_seal(file)) continue;
    ++files;
    std::string last = file;
    for (unsigned seed = 0; seed < count; ++seed) {
      SCOPED_TRACE(entry.path().string() + ", change " + std::to_string(seed));
      if (seed % 3 == 0) last = file;
      const auto changed = change_values(last, seed, change_bytes);
      ASSERT_TRUE(changed);
      ASSERT_NO_THROW(verify_seal(memory.with(*changed)));
      EXPECT_NO_THROW(read(*changed));
      ++changes;
      same += *changed == last;
      last = *changed;
    }
  }
  EXPECT_GE(files, 1) << "the corpus holds a sealed file";
  EXPECT_LT(5 * same, changes) << "most change something";
}

TEST(FuzzValues, OfResultsAreReadOrRefused) { read_changed("result", result); }

TEST(FuzzValues, OfCheckpointsAreReadOrRefused) { read_changed("checkpoint", checkpoint); }

TEST(FuzzValues, OfTrexioFilesAreReadOrRefused) { read_changed("trexio", trexio); }

TEST(FuzzValues, FilesWithAnotherSealAreLeftAlone) {
  std::string file = read_bytes(CISOLVE_FUZZ_CORPUS "/result/sealed.h5");
  file[1000] = static_cast<char>(~file[1000]);
  EXPECT_FALSE(change_values(file, 1, change_bytes));
  EXPECT_FALSE(change_values(read_bytes(CISOLVE_FUZZ_CORPUS "/result/unsealed.h5"), 1, change_bytes));
}

}  // namespace test_hdf5_values
}  // namespace cisolve::fuzz
