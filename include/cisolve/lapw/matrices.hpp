// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/progress.hpp"
#include "cisolve/lapw/coefficients.hpp"
#include "cisolve/lapw/interstitial.hpp"
#include "cisolve/lapw/muffin_tin.hpp"

namespace cisolve::lapw {

/// How the muffin-tin parts of H and S are made:
///   S = sum_a A^H A + (U B)^H (U B),   H = sum_a A^H T_AA A + A^H T_AB B + B^H T_AB^H A + B^H T_BB B.
enum class Algorithm {
  hsdla,   ///< Algorithm 1 of D. Fabregat-Traver et al., arXiv:1611.00606: 20 to 24 K N^2 flops
  merged,  ///< T of A and B together as P P^H - M M^H, so that H takes two rank-k updates: 16 K N^2
  split    ///< overlap and spherical Hamiltonian by the addition theorem, the rest as merged: 8 K_ns N^2
};
const char* name_of(Algorithm algorithm);

/// What H and S hold besides the spheres. Nothing; or tables over differences of plane waves; or matrices; or diagonals.
struct PlaneWavePart {
  // For plane waves with a lattice: tables, which split needs in any case, and the potential that they are made from.
  const Interstitial* tables = nullptr;
  bool between_spheres = true;  ///< false: of the tables, only the structure factors count
  const FourierPotential* potential = nullptr;

  std::span<const Complex> h = {}, s = {};                   ///< N x N, column-major
  std::span<const double> h_diagonal = {}, s_diagonal = {};  ///< N
};

/// What H and S of a k-point are made from. All that it refers to must outlive it.
struct MatrixProblem {
  std::span<const int> atom_types = {};  ///< from 0
  std::span<const MuffinTin> tins = {};  ///< one per type
  /// Of tins_for(*this, algorithm), for merged and split: empty where they are to be made each time.
  std::span<const SignedFactors> factors = {};
  const CoefficientSource* coefficients = nullptr;
  PlaneWavePart outside = {};
  const Crystal* crystal = nullptr;          ///< with radial functions; null: only A, B and T are known
  const MatchingTables* matching = nullptr;  ///< with `crystal`

  std::int64_t waves() const { return coefficients->waves(); }
  std::int64_t rows() const;  ///< K
};

struct GenerationOptions {
  Algorithm algorithm = Algorithm::merged;
  bool stored = false;          ///< all atoms in one block
  std::int64_t block_rows = 0;  ///< of [A; B] in a block, about; 0: what is fast
  /// Complex products by three real ones in place of four, which is faster and errs about twice as much; of hsdla where
  /// they are ZHERKs. On devices ZGEMM3M, off the diagonal.
  bool three_multiplications = false;
};

/// What a step of an algorithm took.
struct LineRecord {
  std::string name;
  double seconds = 0.0;
  double flops = 0.0;  ///< useful ones, triangles counted once; 0: not counted
};

/// H and S, N x N, column-major, of which the lower triangles are used.
struct HermitianPair {
  std::int64_t n = 0;
  Array<Complex> h, s;
  HermitianPair() = default;
  explicit HermitianPair(std::int64_t order)
      : n(order), h(static_cast<std::size_t>(order * order)), s(static_cast<std::size_t>(order * order)) {}
};

/// Blocks of atoms, each of consecutive ones, for a source of coefficients.
struct AtomBlock {
  int first = 0, last = 0;
  std::int64_t rows = 0;  ///< of A
};
/// Those of generate_matrices.
/// @param functions  rows of A of each atom
std::vector<AtomBlock> atom_blocks(std::span<const int> functions, const GenerationOptions& options);

/// Rows of A of each atom that an algorithm works on: split takes those of the non-spherical part.
std::vector<int> functions_by_atom(const MatrixProblem& problem, Algorithm algorithm);

/// T of the types as an algorithm takes them: split keeps the non-spherical part, up to lmax_nonspherical, alone.
std::vector<MuffinTin> tins_for(const MatrixProblem& problem, Algorithm algorithm);

/// Makes H and S on the host.
/// @param out       its lower triangles are written
/// @param progress  may be empty
/// @return what the steps took, in the order of the algorithm
/// @throws DimensionError if split is asked for without a crystal
std::vector<LineRecord> generate_matrices(const MatrixProblem& problem, const GenerationOptions& options,
                                          HermitianPair& out, const Progress& progress = {});

/// Bytes that generate_matrices takes besides H and S.
std::int64_t generation_bytes(const MatrixProblem& problem, const GenerationOptions& options);

/// Bytes of the coefficients in a block of so many rows of A, and of what they are multiplied to.
std::int64_t block_bytes(std::int64_t waves, std::int64_t rows);

/// Useful flops of an algorithm: its products, and the pass over pairs of plane waves.
double generation_flops(const MatrixProblem& problem, Algorithm algorithm);

/// H[g, g'] and S[g, g'] by the defining sums, one element alone.
std::pair<Complex, Complex> defining_element(const MatrixProblem& problem, std::int64_t g, std::int64_t g2);

}  // namespace cisolve::lapw
