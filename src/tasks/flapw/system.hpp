// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/lapw/coefficients.hpp"
#include "cisolve/lapw/input_file.hpp"
#include "cisolve/lapw/interstitial.hpp"
#include "cisolve/lapw/matrices.hpp"
#include "cisolve/lapw/synthetic.hpp"
#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "cisolve/tasks/flapw/flapw_result.hpp"

namespace cisolve {

/// What the k-points of a calculation share, made once: crystal with radial functions, T of the types, tables of the step
/// function and the potential between the spheres; or what a file or the generator give in their place.
class FlapwSystem {
public:
  /// Reads the file, solves the radial equations.
  /// @throws InputError, SystemError
  explicit FlapwSystem(const FlapwConfig& config);
  FlapwSystem(const FlapwSystem&) = delete;
  FlapwSystem& operator=(const FlapwSystem&) = delete;

  /// What H and S of a k-point are made from; the system must outlive it.
  struct Point {
    lapw::GivenCoefficients given;
    lapw::MatchingTables matching;
    std::unique_ptr<lapw::CoefficientSource> source;
    std::vector<double> h_diagonal, s_diagonal;
    lapw::MatrixProblem problem;
  };
  /// @param k  from 0
  std::unique_ptr<Point> point(int k) const;

  /// The shape of such a problem, without its numbers: for memory and flops.
  std::unique_ptr<Point> outline(int k) const;

  /// What is known of a k-point before any matrix.
  FlapwPoint outset(int k) const;

  int num_points() const { return static_cast<int>(k_points_.size()); }
  const lapw::KPoint& k_point(int k) const { return k_points_[k]; }
  std::int64_t num_waves(int k) const;
  /// Bytes of what the coefficients of a k-point are made from: those of a file, or tables.
  std::int64_t source_bytes(int k) const;
  /// That with most plane waves.
  int largest_point() const;

  /// A lower bound of the potential, hartree; none where it isn't a Fourier series everywhere.
  std::optional<double> lowest_potential() const;

  /// None where A, B and T are all that is known.
  const lapw::Crystal* crystal() const { return crystal_ ? &*crystal_ : nullptr; }
  /// Whether H and S of a k-point have their part between the spheres.
  bool has_interstitial(int k) const;

  lapw::Algorithm algorithm() const { return algorithm_; }
  const std::vector<lapw::MuffinTin>& tins() const { return tins_; }
  const std::vector<int>& atom_types() const { return atom_types_; }
  int num_definite_atoms() const;
  std::int64_t num_rows() const;  ///< K, of A

  /// Writes what is known before any matrix: kind, crystal, types, sizes, warnings.
  void describe(FlapwResult& result) const;

private:
  void take_file();
  void take_crystal();
  void take_synthetic();
  void make_tables();
  void choose_algorithm();

  const FlapwConfig& config_;
  std::string kind_;
  std::optional<lapw::InputFile> file_;
  std::optional<lapw::Crystal> crystal_;
  std::optional<lapw::FourierPotential> potential_;
  std::optional<lapw::SyntheticSize> synthetic_;
  std::vector<lapw::MuffinTin> tins_;
  std::vector<lapw::SignedFactors> factors_;  ///< as the algorithm takes them
  std::vector<int> atom_types_;
  std::vector<lapw::KPoint> k_points_;
  std::vector<std::vector<lapw::Index3>> waves_;  ///< of kinds with a crystal
  lapw::Interstitial tables_;
  double k_max_ = 0.0;
  lapw::Algorithm algorithm_ = lapw::Algorithm::merged;
};

}  // namespace cisolve
