// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/input_file.hpp"
#include "cisolve/lapw/muffin_tin.hpp"

namespace cisolve::lapw {

/// Where the matching coefficients A and B of a k-point come from: "give me those of this atom". Blocks of atoms are made,
/// used and dropped, so that A and B never need exist as a whole. Safe to use from several threads.
class CoefficientSource {
public:
  virtual ~CoefficientSource() = default;

  /// N: plane waves.
  virtual std::int64_t waves() const = 0;

  /// Writes columns first .. last - 1 of A and B of an atom, the rows of functions up to lmax.
  /// @param lmax  at most that of the atom
  /// @param a, b  num_functions(lmax) x (last - first), column-major
  /// @param ld    leading dimension of both
  virtual void fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
                    std::int64_t ld) const = 0;
};

/// Plane waves of a k-point, and how they match the radial functions of each type:
///   F_l = [udot |kappa| j_l' - udot_r j_l] / W,   G_l = [u_r j_l - u |kappa| j_l'] / W,   W = udot u_r - u udot_r at R.
struct MatchingTables {
  std::vector<Index3> g;
  Vector3 k = {};                  ///< in units of b
  std::vector<Vector3> kappa;      ///< k + G, 1/bohr
  std::vector<double> norm;        ///< |kappa|
  std::vector<Vector3> direction;  ///< kappa / |kappa|; z for kappa = 0
  struct OfType {
    std::vector<double> f, g;  ///< (lmax + 1) rows of N
  };
  std::vector<OfType> types;

  std::int64_t waves() const { return static_cast<std::int64_t>(g.size()); }
};
MatchingTables match_waves(const Crystal& crystal, const Vector3& k, std::vector<Index3> g);

/// A_lm = (4 pi / sqrt Omega) exp(2 pi i (k+G).p) conj Y_lm(Q kappa) F_l, B_lm likewise with G_l.
class MatchingCoefficients : public CoefficientSource {
public:
  /// @param crystal, tables  must outlive this object
  MatchingCoefficients(const Crystal& crystal, const MatchingTables& tables);

  std::int64_t waves() const override { return tables_.waves(); }
  void fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
            std::int64_t ld) const override;

  const Crystal& crystal() const { return crystal_; }
  const MatchingTables& tables() const { return tables_; }
  /// 4 pi / sqrt Omega
  double prefactor() const { return prefactor_; }
  /// conj Y_lm(Q kappa) of all waves, num_functions(lmax) x N, for one of the rotations that atoms have.
  struct Harmonics {
    int lmax = 0;
    std::vector<Complex> values;
  };
  const std::vector<Harmonics>& harmonics() const { return harmonics_; }
  int rotation_of(int atom) const { return rotations_[atom]; }

private:
  const Crystal& crystal_;
  const MatchingTables& tables_;
  double prefactor_;
  std::vector<Harmonics> harmonics_;  ///< one per rotation
  std::vector<int> rotations_;        ///< of each atom, its place in `harmonics_`
};

/// Those of a file.
class FileCoefficients : public CoefficientSource {
public:
  /// @param given  must outlive this object
  FileCoefficients(const GivenCoefficients& given, std::span<const int> atom_types,
                   std::span<const MuffinTin> tins);
  std::int64_t waves() const override { return given_.waves; }
  void fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
            std::int64_t ld) const override;

private:
  const GivenCoefficients& given_;
  std::vector<std::int64_t> first_row_;  ///< of each atom
};

/// First row of each atom in A and B, and K behind them.
std::vector<std::int64_t> first_rows(std::span<const int> atom_types, std::span<const MuffinTin> tins);

}  // namespace cisolve::lapw
