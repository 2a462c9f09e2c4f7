// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve::test {

/// Roots of another program with their density matrices, from tests/data/rdm.
class ReferenceDensity {
public:
  explicit ReferenceDensity(const std::string& name)
      : file_(Hdf5File::open(std::filesystem::path(CISOLVE_TEST_DATA) / "rdm" / (name + ".h5"))) {}

  int num_orbitals() const {
    return static_cast<int>(file_.root().read_attribute<std::int64_t>("n_orbitals"));
  }
  int num_roots() const { return static_cast<int>(read("energy").size()); }

  std::vector<double> read(const std::string& name) const { return file_.root().read<double>(name).values; }

  /// Roots one after another, over the determinants.
  std::vector<double> vectors() const { return read("vector"); }

  std::vector<Determinant<1>> determinants() const {
    const auto alpha = file_.root().read<std::uint64_t>("alpha").values;
    const auto beta = file_.root().read<std::uint64_t>("beta").values;
    std::vector<Determinant<1>> found(alpha.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].alpha.words[0] = alpha[i];
      found[i].beta.words[0] = beta[i];
    }
    return found;
  }

private:
  Hdf5File file_;
};

}  // namespace cisolve::test
