// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/lapw/eigenstates.hpp"
#include "cisolve/lapw/matrices.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/flapw/flapw_config.hpp"

namespace cisolve {

/// What was found at a k-point.
struct FlapwPoint {
  lapw::KPoint k;
  static constexpr const char* wrong = "wrong";  ///< elements of H and S are not those of their definition

  /// "converged", "not converged", "matrices" (no states were asked for), "pending", or `wrong`.
  std::string status = "pending";
  std::string algorithm;  ///< "hsdla", "merged", "split"
  std::int64_t waves = 0, rows = 0;
  int blocks = 0;     ///< of atoms
  int hpd_atoms = 0;  ///< whose T_AA is positive definite
  std::vector<lapw::Index3> g;
  std::vector<lapw::LineRecord> lines;              ///< of the generation, then of the solver
  double gemm_rate = 0.0;                           ///< flop/s
  lapw::Eigenstates states;                         ///< from a file: without vectors
  int checked = 0;                                  ///< elements
  double check_error_h = 0.0, check_error_s = 0.0;  ///< largest differences, hartree and 1
  double seconds = 0.0;

  bool is_done() const { return status != "pending"; }
};

/// A FLAPW calculation: head, crystal, k-points.
struct FlapwResult {
  CiResult head;                  ///< program, time, title and input alone
  std::string kind;               ///< "coefficients", "radial", "potential", "crystal", "synthetic"
  std::string source;             ///< the file that it was made from; may be empty
  std::uint64_t source_hash = 0;  ///< of its bytes
  std::string algorithm, coefficients, arithmetic, device, blas;
  bool interstitial = true;  ///< H and S have their part between the spheres
  bool relativistic = false;
  std::int64_t num_atoms = 0, num_rows = 0;
  std::optional<lapw::Crystal> crystal;  ///< with radial functions
  struct Type {
    std::string name;
    int lmax = 0, atoms = 0;
    bool is_definite = false;
  };
  std::vector<Type> types;
  double k_max = 0.0;  ///< 1/bohr; 0: not known
  std::vector<FlapwPoint> points;
  BandPath path;
  std::vector<std::string> warnings;
  double seconds = 0.0;

  void warn(std::string warning);
};

}  // namespace cisolve
