// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "io/json.hpp"

namespace cisolve {

inline std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(CISOLVE_TEST_DATA) / name;
}

/// A reference case, compressed or not.
inline std::filesystem::path case_file(const std::string& name) {
  return std::filesystem::exists(data_file(name)) ? data_file(name) : data_file(name + ".gz");
}

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder of its own for every test, removed afterwards.
class TemporaryFolder : public testing::Test {
protected:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "cisolve-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw SystemError("no temporary folder");
    folder_ = pattern;
  }
  ~TemporaryFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path write(const std::string& text, const std::string& name = "test.fcidump") const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// Message with which the file is refused; empty if it is not.
  std::string refusal(const std::filesystem::path& file, const FcidumpOptions& options = {}) const {
    try {
      read_fcidump(file, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  std::string refusal_of(const std::string& text, const FcidumpOptions& options = {}) const {
    return refusal(write(text), options);
  }

private:
  std::filesystem::path folder_;
};

/// Energy of the determinant with these orbitals (zero-based), hartree.
inline double determinant_energy(const Integrals& integrals, const std::vector<int>& alpha,
                                 const std::vector<int>& beta) {
  double energy = integrals.core_energy;
  for (const auto* spin : {&alpha, &beta}) {
    for (const int i : *spin) {
      energy += integrals.h(i, i);
      for (const int j : alpha) energy += 0.5 * integrals.eri(i, i, j, j);
      for (const int j : beta) energy += 0.5 * integrals.eri(i, i, j, j);
      for (const int j : *spin) energy -= 0.5 * integrals.eri(i, j, j, i);
    }
  }
  return energy;
}

/// 0 .. count - 1.
inline std::vector<int> first_orbitals(int count) {
  std::vector<int> result;
  for (int p = 0; p < count; ++p) result.push_back(p);
  return result;
}

}  // namespace cisolve
