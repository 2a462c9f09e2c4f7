// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// One root of an earlier result.
struct EarlierRoot {
  const CiResult::Space* space;    ///< of its sector
  std::span<const double> vector;  ///< [space->dimension]
  double s_squared = 0.0;          ///< hbar^2
};

/// A result file, or determinants of another program, that a job takes vectors from: as a guess, or for its references.
class EarlierResult {
public:
  /// Reads the file with its vectors, one string pair per determinant whatever it lists; determinants of another program
  /// where holds_determinants says so.
  /// @param key  of the input, begins messages
  /// @throws InputError if the file is refused, has no vectors, or other orbitals or electrons than the job
  EarlierResult(const std::filesystem::path& file, std::string_view key, const ActiveIntegrals& active,
                int num_electrons);
  EarlierResult(const EarlierResult&) = delete;
  EarlierResult& operator=(const EarlierResult&) = delete;

  /// "solver.guess: old.h5"
  const std::string& name() const { return name_; }

  /// All roots, ascending, as the report numbers them.
  const std::vector<EarlierRoot>& roots() const { return roots_; }

  /// What its sectors are, for messages: "irrep A1, multiplicity 3; irrep B1, ms2 = 0".
  std::string contents(const PointGroup& group) const;

  /// Does something with functions of the file: what is refused of them is damage.
  template <class Work>
  auto reading(Work&& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw InputError(name_ + " is damaged: " + error.what());
    }
  }

private:
  void require_lists() const;
  void find_roots();

  std::string name_;
  CiResult result_;
  std::vector<EarlierRoot> roots_;
  std::vector<Array<double>> buffers_;  ///< of vectors that `result_` does not hold in memory
};

}  // namespace cisolve
