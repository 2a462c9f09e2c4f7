// SPDX-License-Identifier: MIT
#include "cisolve/lapw/matrices.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"
#include "lapw/plane_wave_pass.hpp"
#include "lapw/rank_updates.hpp"

namespace cisolve::lapw {
namespace {

/// Rows of [A; B] in a block where nobody says: enough for the kernels of rank-k updates, few enough for the caches; twice
/// as many where a block costs one more pass over H and S.
constexpr std::int64_t usual_block_rows = 1024;

/// T of the non-spherical part alone, of l up to lmax_nonspherical.
MuffinTin nonspherical_tin(const AtomType& type) {
  MuffinTin tin;
  tin.lmax = type.lmax_nonspherical;
  const auto first = type.radial.udot_norm.begin();
  tin.udot_norm.assign(first, first + tin.lmax + 1);
  tin.t_aa = type.nonspherical.aa;
  tin.t_ab = type.nonspherical.ab;
  tin.t_bb = type.nonspherical.bb;
  return tin;
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  if (algorithm == Algorithm::hsdla) return "hsdla";
  return algorithm == Algorithm::merged ? "merged" : "split";
}

std::int64_t MatrixProblem::rows() const {
  std::int64_t sum = 0;
  for (const int type : atom_types) sum += num_functions(tins[type].lmax);
  return sum;
}

std::vector<int> functions_by_atom(const MatrixProblem& problem, Algorithm algorithm) {
  std::vector<int> functions;
  for (const int type : problem.atom_types) {
    functions.push_back(num_functions(algorithm == Algorithm::split
                                          ? problem.crystal->types[type].lmax_nonspherical
                                          : problem.tins[type].lmax));
  }
  return functions;
}

std::vector<MuffinTin> tins_for(const MatrixProblem& problem, Algorithm algorithm) {
  if (algorithm != Algorithm::split) return {problem.tins.begin(), problem.tins.end()};
  if (problem.crystal == nullptr) throw DimensionError("split needs the radial functions");
  std::vector<MuffinTin> tins;
  for (const AtomType& type : problem.crystal->types) tins.push_back(nonspherical_tin(type));
  return tins;
}

std::vector<AtomBlock> atom_blocks(std::span<const int> functions, const GenerationOptions& options) {
  std::vector<AtomBlock> blocks;
  const std::int64_t usual = options.three_multiplications ? 2 * usual_block_rows : usual_block_rows;
  const std::int64_t most =
      std::max<std::int64_t>(1, (options.block_rows > 0 ? options.block_rows : usual) / 2);
  const std::int64_t all = std::accumulate(functions.begin(), functions.end(), std::int64_t{0});
  const std::int64_t count = (all + most - 1) / most;
  std::int64_t before = 0;  // rows of the atoms so far
  const auto fits = [&](int rows) {
    if (blocks.empty()) return false;
    if (options.stored) return true;
    // Ends are spread evenly: few rows are multiplied slowly.
    return before * count < all * std::ssize(blocks) && blocks.back().rows + rows <= most;
  };
  for (int atom = 0; atom < std::ssize(functions); ++atom) {
    if (!fits(functions[atom])) blocks.push_back({atom, atom, 0});
    ++blocks.back().last;
    blocks.back().rows += functions[atom];
    before += functions[atom];
  }
  std::erase_if(blocks, [](const AtomBlock& block) { return block.rows == 0; });
  return blocks;
}

std::int64_t block_bytes(std::int64_t waves, std::int64_t rows) {
  // A and B, and as much again for T [A; B]; of hsdla Z, then X of some atoms.
  return 4 * padded_rows(rows) * waves * static_cast<std::int64_t>(sizeof(Complex));
}

std::int64_t generation_bytes(const MatrixProblem& problem, const GenerationOptions& options) {
  const std::vector<int> functions = functions_by_atom(problem, options.algorithm);
  std::int64_t rows = 0;
  for (const AtomBlock& block : atom_blocks(functions, options)) rows = std::max(rows, block.rows);
  const std::int64_t real_copies =
      options.three_multiplications ? RankUpdates::bytes(problem.waves(), 2 * rows) : 0;
  return block_bytes(problem.waves(), rows) + real_copies;
}

double generation_flops(const MatrixProblem& problem, Algorithm algorithm) {
  const auto n = static_cast<double>(problem.waves());
  double flops = plane_wave_flops(problem, algorithm == Algorithm::split);
  const std::vector<int> functions = functions_by_atom(problem, algorithm);
  std::vector<double> of_type(problem.tins.size());
  for (std::size_t type = 0; type < of_type.size(); ++type)
    of_type[type] = is_positive_definite(problem.tins[type]) ? 4.0 : 8.0;
  for (std::size_t atom = 0; atom < functions.size(); ++atom) {
    const double rows = functions[atom];
    if (algorithm == Algorithm::hsdla) {
      const double last = of_type[problem.atom_types[atom]];
      flops += (8.0 + 8.0 + last) * rows * n * n + (16.0 + last) * rows * rows * n;
    } else {
      flops += (algorithm == Algorithm::merged ? 16.0 : 8.0) * rows * n * n + 32.0 * rows * rows * n;
    }
  }
  return flops;
}

std::vector<LineRecord> generate_matrices(const MatrixProblem& problem, const GenerationOptions& options,
                                          HermitianPair& out, const Progress& progress) {
  if (out.n != problem.waves())
    throw DimensionError("generate_matrices: H and S are not of as many plane waves");
  const bool is_split = options.algorithm == Algorithm::split;
  if (is_split && problem.crystal == nullptr) throw DimensionError("split needs the radial functions");
  Lines lines;
  lines.time(is_split ? "interstitial and spherical" : "interstitial",
             [&] { return plane_wave_pass(problem, is_split, out); });
  if (options.algorithm == Algorithm::hsdla)
    generate_hsdla(problem, options, out, lines, progress);
  else
    generate_merged(problem, options, out, lines, progress);
  return lines.take();
}

}  // namespace cisolve::lapw
