// SPDX-License-Identifier: MIT
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cisolve/core/parallel.hpp"
#include "core/serial_blas.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"
#include "lapw/rank_updates.hpp"

namespace cisolve::lapw {

void for_columns(std::int64_t columns,
                 const std::function<void(std::int64_t first, std::int64_t last)>& body) {
  const std::int64_t threads = std::min<std::int64_t>(omp_get_max_threads(), columns);
  if (threads <= 1) return body(0, columns);
  const SerialBlas serial;
  parallel_for(threads, 1, [&](std::int64_t thread) {
    const std::int64_t first = columns * thread / threads, last = columns * (thread + 1) / threads;
    if (first < last) body(first, last);
  });
}

namespace {

/// Blocks of atoms, of which [A_a; B_a] stand one upon the other, and T [A; B] as its factors make it:
/// Y+ = P^H [A; B], Y- = M^H [A; B], H += Y+^H Y+ - Y-^H Y-.
class MergedRun {
public:
  MergedRun(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out, Lines& lines)
      : problem_(problem), out_(out), lines_(lines), with_overlap_(options.algorithm != Algorithm::split),
        n_(out.n), functions_(functions_by_atom(problem, options.algorithm)),
        blocks_(atom_blocks(functions_, options)), updates_(n_, options.three_multiplications) {
    tins_ = tins_for(problem, options.algorithm);
    if (problem.factors.empty()) own_factors_ = signed_factors(tins_);
    for (const MuffinTin& tin : tins_) norms_.push_back(udot_norms_by_function(tin));
    factors_ = problem.factors.empty() ? std::span<const SignedFactors>(own_factors_) : problem.factors;
    std::int64_t rows = 0, plus = 0, minus = 0;
    for (const AtomBlock& block : blocks_) {
      const auto [p, m] = signed_rows(block);
      rows = std::max(rows, 2 * block.rows);
      plus = std::max(plus, p);
      minus = std::max(minus, m);
    }
    ld_ = padded_rows(rows);
    ld_plus_ = padded_rows(plus);
    ld_minus_ = padded_rows(minus);
    x_ = Array<Complex>(static_cast<std::size_t>(ld_ * n_));
    plus_ = Array<Complex>(static_cast<std::size_t>(ld_plus_ * n_));
    minus_ = Array<Complex>(static_cast<std::size_t>(ld_minus_ * n_));
  }

  void operator()(const Progress& progress) {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      add(blocks_[k]);
      if (progress) progress(static_cast<double>(k + 1) / static_cast<double>(blocks_.size()));
    }
  }

private:
  int type_of(int atom) const { return problem_.atom_types[atom]; }

  std::pair<std::int64_t, std::int64_t> signed_rows(const AtomBlock& block) const {
    std::int64_t plus = 0, minus = 0;
    for (int atom = block.first; atom < block.last; ++atom) {
      plus += factors_[type_of(atom)].plus.columns();
      minus += factors_[type_of(atom)].minus.columns();
    }
    return {plus, minus};
  }

  void add(const AtomBlock& block) {
    lines_.time("A and B", [&] { return fill(block); });
    lines_.time("T times [A; B]", [&] { return multiply_by_t(block); });
    lines_.time(with_overlap_ ? "H" : "H, non-spherical", [&] {
      const auto [plus, minus] = signed_rows(block);
      const RankUpdates::Term terms[] = {{1.0, plus, plus_.data(), ld_plus_},
                                         {-1.0, minus, minus_.data(), ld_minus_}};
      updates_.add(terms, out_.h.data());
      return blas::herk_flops(static_cast<double>(n_), static_cast<double>(plus + minus));
    });
    if (!with_overlap_) return;
    lines_.time("S", [&] {
      scale_b(block);
      updates_.add({1.0, 2 * block.rows, x_.data(), ld_}, out_.s.data());
      return blas::herk_flops(static_cast<double>(n_), 2.0 * static_cast<double>(block.rows));
    });
  }

  double fill(const AtomBlock& block) {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      std::int64_t row = 0;
      for (int atom = block.first; atom < block.last; ++atom) {
        Complex* a = x_.data() + first * ld_ + row;
        problem_.coefficients->fill(atom, tins_[type_of(atom)].lmax, first, last, a, a + functions_[atom],
                                    ld_);
        row += 2 * functions_[atom];
      }
    });
    return 0.0;
  }

  double multiply_by_t(const AtomBlock& block) {
    // A few columns at a time, of which all atoms have their turn: an atom's rows of many columns lie in more pages than
    // a processor has addresses at hand for.
    constexpr std::int64_t panel = 128;
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t column = first; column < last; column += panel)
        multiply_by_t(block, column, std::min(panel, last - column));
    });
    double flops = 0.0;
    for (int atom = block.first; atom < block.last; ++atom) {
      const double rows = 2.0 * functions_[atom];
      const SignedFactors& factors = factors_[type_of(atom)];
      flops +=
          blas::gemm_flops(factors.plus.columns() + factors.minus.columns(), static_cast<double>(n_), rows);
    }
    return flops;
  }

  void multiply_by_t(const AtomBlock& block, std::int64_t first, std::int64_t columns) {
    std::int64_t row = 0, plus = 0, minus = 0;
    for (int atom = block.first; atom < block.last; ++atom) {
      const SignedFactors& factors = factors_[type_of(atom)];
      const std::int64_t rows = 2 * functions_[atom];
      const auto multiply = [&](const ComplexMatrix& factor, Complex* y, std::int64_t ld) {
        blas::gemm(blas::Op::adjoint, blas::Op::none, factor.columns(), columns, rows, 1.0, factor.data(),
                   rows, x_.data() + first * ld_ + row, ld_, 0.0, y + first * ld, ld);
      };
      multiply(factors.plus, plus_.data() + plus, ld_plus_);
      multiply(factors.minus, minus_.data() + minus, ld_minus_);
      row += rows;
      plus += factors.plus.columns();
      minus += factors.minus.columns();
    }
  }

  /// B becomes U B.
  void scale_b(const AtomBlock& block) {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t column = first; column < last; ++column) {
        Complex* x = x_.data() + column * ld_;
        for (int atom = block.first; atom < block.last; ++atom) {
          const std::vector<double>& norms = norms_[type_of(atom)];
          x += functions_[atom];
          for (int row = 0; row < functions_[atom]; ++row) x[row] *= norms[row];
          x += functions_[atom];
        }
      }
    });
  }

  const MatrixProblem& problem_;
  HermitianPair& out_;
  Lines& lines_;
  bool with_overlap_;
  std::int64_t n_;
  std::vector<int> functions_;  ///< rows of A of each atom
  std::vector<AtomBlock> blocks_;
  std::vector<MuffinTin> tins_;
  std::vector<SignedFactors> own_factors_;
  std::span<const SignedFactors> factors_;  ///< of each type
  std::vector<std::vector<double>> norms_;  ///< sqrt N_l by function
  std::int64_t ld_ = 0, ld_plus_ = 0, ld_minus_ = 0;
  Array<Complex> x_, plus_, minus_;
  RankUpdates updates_;
};

}  // namespace

void generate_merged(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out,
                     Lines& lines, const Progress& progress) {
  run_algorithm<MergedRun>(problem, options, out, lines, progress);
}

}  // namespace cisolve::lapw
