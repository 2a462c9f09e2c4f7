// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/potential.hpp"
#include "cisolve/lapw/radial.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/input/input.hpp"

namespace cisolve {

/// [synthetic]: pseudo-random A, B and T of any size.
struct SyntheticCrystal {
  std::int64_t atoms = 0, waves = 0;
  int lmax = 0;
  int types = 0;
  double hpd_share = 0.5;
  std::uint64_t seed = 1;
  double k_max = 4.0;  ///< 1/bohr, of the kinetic energies
};

/// Where a path through the Brillouin zone turns, for pictures.
struct BandPath {
  std::vector<std::string> labels;  ///< one per corner
  std::vector<int> corners;         ///< number of its k-point, from 0
  bool is_given() const { return !corners.empty(); }
};

/// What an input with [flapw] asks for. Of `file`, `crystal` and `synthetic` exactly one is given.
struct FlapwConfig {
  enum class Algorithm { automatic, hsdla, merged, split };
  enum class Solver { automatic, direct, davidson };
  enum class Arithmetic { native, three_multiplications };

  std::string title;
  std::filesystem::path file;            ///< of format "cisolve-flapw"; empty: not given
  std::optional<lapw::Crystal> crystal;  ///< without radial functions
  std::optional<SyntheticCrystal> synthetic;
  std::optional<lapw::FourierPotential> potential;  ///< of `crystal`; none: V = 0
  double k_max = 0.0;                               ///< 1/bohr, of `crystal`
  std::vector<lapw::KPoint> k_points;               ///< of `crystal`, weights of sum 1
  BandPath path;                                    ///< of `crystal`, if k_points.path is given

  std::optional<int> roots;  ///< how many; none: all
  bool interstitial = true;
  Algorithm algorithm = Algorithm::automatic;
  bool stored = false;  ///< A and B as a whole
  Solver solver = Solver::automatic;
  double tolerance = 1e-8;  ///< hartree
  int max_iterations = 100;
  double overlap_threshold = 1e-10;
  Arithmetic arithmetic = Arithmetic::native;
  lapw::RadialEquation radial = lapw::RadialEquation::schroedinger;
  int check = 16;  ///< elements recomputed by the definition
  int repeat = 1;

  DeviceChoice device = DeviceChoice::automatic;
  int gpus = 0;  ///< 0: automatic
  int threads = 0;
  std::int64_t memory = 0;  ///< bytes; 0: automatic
  std::filesystem::path output_file;
  bool write_matrices = false;
  bool write_vectors = true;
  std::string input_text, resolved_text;
};

/// The calculation that an input with [flapw] asks for.
/// @throws InputError if a value is refused, values contradict each other, or the crystal is not sound
FlapwConfig read_flapw_config(const Input& input);

}  // namespace cisolve
