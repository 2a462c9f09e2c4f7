// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"
#include "lapw/rank_updates.hpp"

namespace cisolve::lapw {
namespace {

/// Algorithm 1 of arXiv:1611.00606, line by line as its Table 6 counts them; in blocks of atoms, or all at once as published.
/// Atoms whose T_AA is positive definite stand before the others in a block.
class HsdlaRun {
public:
  HsdlaRun(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out, Lines& lines)
      : problem_(problem), out_(out), lines_(lines), n_(out.n),
        functions_(functions_by_atom(problem, Algorithm::hsdla)), blocks_(atom_blocks(functions_, options)),
        updates_(n_, options.three_multiplications) {
    for (const MuffinTin& tin : problem.tins) {
      norms_.push_back(udot_norms_by_function(tin));
      definite_.push_back(is_positive_definite(tin));
    }
    std::int64_t rows = 0;
    for (const AtomBlock& block : blocks_) rows = std::max(rows, block.rows);
    ld_ = padded_rows(rows);
    for (Array<Complex>* array : {&a_, &b_, &z_}) *array = Array<Complex>(static_cast<std::size_t>(ld_ * n_));
  }

  void operator()(const Progress& progress) {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      take(blocks_[k]);
      add();
      if (progress) progress(static_cast<double>(k + 1) / static_cast<double>(blocks_.size()));
    }
  }

private:
  struct Place {
    int atom, type;
    std::int64_t row;
  };

  int functions_of(const Place& place) const { return functions_[place.atom]; }

  void take(const AtomBlock& block) {
    places_.clear();
    rows_ = definite_rows_ = 0;
    for (const bool definite : {true, false}) {
      for (int atom = block.first; atom < block.last; ++atom) {
        const int type = problem_.atom_types[atom];
        if (definite_[type] != definite) continue;
        places_.push_back({atom, type, rows_});
        rows_ += functions_[atom];
      }
      if (definite) definite_rows_ = rows_;
    }
    lines_.time("A and B", [&] { return fill(); });
  }

  void add() {
    const auto n = static_cast<double>(n_), rows = static_cast<double>(rows_);
    const auto definite = static_cast<double>(definite_rows_), indefinite = rows - definite;
    lines_.time("loop 1 (4-9)", [&] { return first_loop(); });
    lines_.time("H1 (10)", [&] {
      blas::her2k(n_, rows_, z_.data(), ld_, b_.data(), ld_, 1.0, out_.h.data(), n_);
      return 8.0 * rows * n * n;
    });
    lines_.time("S1 (13)", [&] {
      updates_.add({1.0, rows_, a_.data(), ld_}, out_.s.data());
      return blas::herk_flops(n, rows);
    });
    lines_.time("U (14)", [&] { return scale_b(); });
    lines_.time("S2 (15)", [&] {
      updates_.add({1.0, rows_, b_.data(), ld_}, out_.s.data());
      return blas::herk_flops(n, rows);
    });
    lines_.time("loop 2 (17-27)", [&] { return second_loop(); });
    if (definite_rows_ < rows_) {
      lines_.time("H2 (28)", [&] {
        const std::int64_t at = definite_rows_;
        // Both triangles, as published: BLAS has no product that is known to be Hermitian.
        blas::gemm(blas::Op::adjoint, blas::Op::none, n_, n_, rows_ - at, 1.0, a_.data() + at, ld_,
                   z_.data() + at, ld_, 1.0, out_.h.data(), n_);
        return 8.0 * indefinite * n * n;
      });
    }
    if (definite_rows_ > 0) {
      lines_.time("H3 (29)", [&] {
        updates_.add({1.0, definite_rows_, a_.data(), ld_}, out_.h.data());
        return blas::herk_flops(n, definite);
      });
    }
  }

  double fill() {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (const Place& place : places_) {
        const std::int64_t at = first * ld_ + place.row;
        problem_.coefficients->fill(place.atom, problem_.tins[place.type].lmax, first, last, a_.data() + at,
                                    b_.data() + at, ld_);
      }
    });
    return 0.0;
  }

  /// Z = T_AB^H A + T_BB B / 2
  double first_loop() {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (const Place& place : places_) {
        const MuffinTin& tin = problem_.tins[place.type];
        const int m = functions_of(place);
        const std::int64_t at = first * ld_ + place.row;
        blas::gemm(blas::Op::adjoint, blas::Op::none, m, last - first, m, 1.0, tin.t_ab.data(), m,
                   a_.data() + at, ld_, 0.0, z_.data() + at, ld_);
        blas::hemm(m, last - first, 0.5, tin.t_bb.data(), m, b_.data() + at, ld_, 1.0, z_.data() + at, ld_);
      }
    });
    double flops = 0.0;
    for (const Place& place : places_)
      flops += 16.0 * functions_of(place) * functions_of(place) * static_cast<double>(n_);
    return flops;
  }

  double scale_b() {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t column = first; column < last; ++column) {
        for (const Place& place : places_) {
          Complex* b = b_.data() + column * ld_ + place.row;
          const std::vector<double>& norms = norms_[place.type];
          for (int row = 0; row < functions_of(place); ++row) b[row] *= norms[row];
        }
      }
    });
    return 2.0 * static_cast<double>(rows_) * static_cast<double>(n_);
  }

  /// Y = C^H A of a positive definite T_AA = C C^H in place of A, else X = T_AA A in place of Z.
  double second_loop() {
    std::vector<ComplexMatrix> factors;
    double flops = 0.0;
    for (const Place& place : places_) {
      const double m = functions_of(place), n = static_cast<double>(n_);
      flops += (definite_[place.type] ? 4.0 : 8.0) * m * m * n;
      factors.push_back(problem_.tins[place.type].t_aa);
      if (!definite_[place.type]) continue;
      flops += 4.0 / 3.0 * m * m * m;
      if (!blas::potrf(functions_of(place), factors.back().data(), functions_of(place)))
        throw Error("a matrix T_AA that has a Cholesky factor has none");
    }
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (std::size_t k = 0; k < places_.size(); ++k) {
        const int m = functions_of(places_[k]);
        const std::int64_t at = first * ld_ + places_[k].row;
        if (definite_[places_[k].type])
          blas::trmm_adjoint(m, last - first, factors[k].data(), m, a_.data() + at, ld_);
        else
          blas::hemm(m, last - first, 1.0, factors[k].data(), m, a_.data() + at, ld_, 0.0, z_.data() + at,
                     ld_);
      }
    });
    return flops;
  }

  const MatrixProblem& problem_;
  HermitianPair& out_;
  Lines& lines_;
  std::int64_t n_;
  std::vector<int> functions_;
  std::vector<AtomBlock> blocks_;
  std::vector<std::vector<double>> norms_;
  std::vector<bool> definite_;  ///< of each type
  std::vector<Place> places_;   ///< atoms of the block, positive definite ones first
  std::int64_t rows_ = 0, definite_rows_ = 0, ld_ = 0;
  Array<Complex> a_, b_, z_;
  RankUpdates updates_;
};

}  // namespace

void generate_hsdla(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out,
                    Lines& lines, const Progress& progress) {
  run_algorithm<HsdlaRun>(problem, options, out, lines, progress);
}

}  // namespace cisolve::lapw
