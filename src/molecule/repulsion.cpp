// SPDX-License-Identifier: MIT
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "molecule/fock_digestion.hpp"
#include "molecule/shell_quartets.hpp"

namespace cisolve {
namespace {

/// Work is cut into as many parts, whatever the number of threads, so that sums keep their order.
constexpr int num_parts = 32;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

struct Repulsion::Implementation {
  /// What computes integrals over Gaussians.
  struct Gaussian {
    Gaussian(const GaussianBasis& basis, const SymmetryFrame& symmetry, const RepulsionConfig& config,
             int threads)
        : engine(basis, config.primitive_threshold, threads),
          quartets(basis, symmetry, engine, config.threshold) {}

    detail::FamilyRepulsion engine;
    detail::ShellQuartets quartets;
  };

  Implementation(const GaussianBasis& b, const SymmetryFrame& symmetry, const RepulsionConfig& c)
      : functions(b.num_functions), threads(omp_get_max_threads()),
        gaussian(std::make_unique<Gaussian>(b, symmetry, c, threads)),
        num_pairs(cisolve::num_pairs(size(functions))) {}

  explicit Implementation(const Integrals& integrals)
      : functions(integrals.num_orbitals), threads(omp_get_max_threads()),
        num_pairs(cisolve::num_pairs(size(functions))), stored(num_pairs * num_pairs) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (int p = 0; p < functions; ++p) {
      for (int q = 0; q <= p; ++q) {
        double* row = stored.data() + pair_index(size(p), size(q)) * num_pairs;
        for (int r = 0; r < functions; ++r) {
          for (int s = 0; s <= r; ++s) *row++ = integrals.eri(p, q, r, s);
        }
      }
    }
  }

  std::int64_t stored_bytes() const {
    return static_cast<std::int64_t>(num_pairs * num_pairs * sizeof(double));
  }

  void store(const Progress& progress) {
    stored = Array<double>(num_pairs * num_pairs);
    const auto rows = static_cast<std::int64_t>(num_pairs);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::fill_n(stored.data() + static_cast<std::size_t>(row) * num_pairs, num_pairs, 0.0);
    }
    detail::FamilyRepulsion& engine = gaussian->engine;
    const detail::ShellQuartets& quartets = gaussian->quartets;
    const std::int64_t bras = quartets.num_bras();
    std::atomic<std::int64_t> done = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::int64_t bra = bras - 1; bra >= 0; --bra) {  // the long ones first
      quartets.for_each(engine, omp_get_thread_num(), bra, [&](std::size_t pq, std::size_t rs, double value) {
        stored[pq * num_pairs + rs] = value;
        stored[rs * num_pairs + pq] = value;
      });
      const auto now = done.fetch_add(1, std::memory_order_relaxed);
      if (progress && omp_get_thread_num() == 0)
        progress(static_cast<double>(now) / static_cast<double>(bras));
    }
  }

  /// What rows add up to, for all densities.
  struct Sums {
    std::vector<std::vector<double>> coulomb;  ///< packed
    std::vector<Matrix> exchange;              ///< halves, if they are few
    Eigen::MatrixXd exchange_of_many;
  };

  /// Rows up to their diagonal, which halves what is read and what is computed. Parts are added in their order.
  void stored_coulomb_exchange(std::span<const Matrix> densities, std::vector<CoulombExchange>& out) const {
    constexpr std::size_t many = 4;  // a product of matrices is faster
    const int n = functions;
    std::vector<std::vector<double>> folded;  // densities as packed rows, off-diagonal elements twice
    for (const Matrix& d : densities) {
      auto& packed = folded.emplace_back();
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) packed.push_back(r == s ? d(r, r) : 2.0 * d(r, s));
      }
    }
    const bool are_many = densities.size() >= many;
    const detail::ExchangeOfMany of_many(are_many ? densities : std::span<const Matrix>());
    const auto zero = [&] {
      Sums sums{std::vector(densities.size(), std::vector<double>(num_pairs)), {}, of_many.zero()};
      if (!are_many) sums.exchange.assign(densities.size(), Matrix(n, n));
      return sums;
    };
    Sums all = zero();
#pragma omp parallel num_threads(threads)
    {
      Sums part = zero();
#pragma omp for ordered schedule(dynamic)
      for (int number = 0; number < num_parts; ++number) {
        for (int p = number; p < n; p += num_parts) {
          for (int q = 0; q <= p; ++q) {
            const std::size_t pq = pair_index(size(p), size(q));
            const double* row = stored.data() + pq * num_pairs;
            for (std::size_t k = 0; k < densities.size(); ++k) {
              detail::add_coulomb(row, folded[k], pq, part.coulomb[k]);
              if (!are_many) detail::add_exchange(row, densities[k], p, q, part.exchange[k]);
            }
            if (are_many) of_many.add(row, p, q, part.exchange_of_many);
          }
        }
#pragma omp ordered
        move_into(part, all);
      }
    }
    for (std::size_t k = 0; k < densities.size(); ++k) {
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q <= p; ++q)
          out[k].coulomb(p, q) = out[k].coulomb(q, p) = all.coulomb[k][pair_index(size(p), size(q))];
      }
      detail::add_symmetric(are_many ? of_many.half(all.exchange_of_many, k) : all.exchange[k],
                            out[k].exchange);
    }
  }

  /// Adds the sums of a part to all, and leaves it with none.
  static void move_into(Sums& part, Sums& all) {
    const auto move = [](double* from, std::size_t count, double* to) {
      for (std::size_t i = 0; i < count; ++i) {
        to[i] += from[i];
        from[i] = 0.0;
      }
    };
    for (std::size_t k = 0; k < part.coulomb.size(); ++k)
      move(part.coulomb[k].data(), part.coulomb[k].size(), all.coulomb[k].data());
    for (std::size_t k = 0; k < part.exchange.size(); ++k)
      move(part.exchange[k].data(), size(part.exchange[k].rows()) * size(part.exchange[k].columns()),
           all.exchange[k].data());
    move(part.exchange_of_many.data(), detail::as_size(part.exchange_of_many.size()),
         all.exchange_of_many.data());
  }

  void direct_coulomb_exchange(std::span<const Matrix> densities, std::vector<CoulombExchange>& out) const {
    const int n = functions;
    detail::FamilyRepulsion& engine = gaussian->engine;
    const detail::ShellQuartets& quartets = gaussian->quartets;
    const std::int64_t bras = quartets.num_bras();
    std::vector<std::vector<CoulombExchange>> sums(num_parts);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int part = 0; part < num_parts; ++part) {
      auto& mine = sums[size(part)];
      mine.assign(densities.size(), {Matrix(n, n), Matrix(n, n)});
      for (std::int64_t bra = part; bra < bras; bra += num_parts) {
        quartets.for_each_functions(engine, omp_get_thread_num(), bra,
                                    [&](const std::array<int, 4>& f, double value) {
                                      for (std::size_t k = 0; k < densities.size(); ++k)
                                        detail::add_integral(f, value, densities[k], mine[k]);
                                    });
      }
    }
    for (std::size_t k = 0; k < densities.size(); ++k) {
      for (const auto& part : sums) {
        detail::add_symmetric(part[k].coulomb, out[k].coulomb);
        detail::add_symmetric(part[k].exchange, out[k].exchange);
      }
    }
  }

  /// A pair of families of shells with all others at a time.
  void direct_rows(const RowVisitor& visit) const {
    detail::FamilyRepulsion& engine = gaussian->engine;
    const detail::ShellQuartets& quartets = gaussian->quartets;
    const std::int64_t pairs = quartets.num_bras();
#pragma omp parallel num_threads(threads)
    {
      std::vector<double> block;
#pragma omp for schedule(dynamic)
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const auto rows = quartets.rows_of(pair);
        block.assign(rows.size() * num_pairs, 0.0);
        quartets.fill_rows(engine, omp_get_thread_num(), pair, block, num_pairs);
        for (std::size_t k = 0; k < rows.size(); ++k) {
          visit(rows[k], std::span<const double>(block).subspan(k * num_pairs, num_pairs));
        }
      }
    }
  }

  int functions;
  int threads;
  std::unique_ptr<Gaussian> gaussian;  ///< null: over orbitals
  std::size_t num_pairs;
  Array<double> stored;  ///< [pairs x pairs], both triangles; empty: direct
};

Repulsion::Repulsion(const GaussianBasis& basis, const SymmetryFrame& symmetry, const RepulsionConfig& config,
                     const Progress& progress)
    : implementation_(std::make_unique<Implementation>(basis, symmetry, config)) {
  if (implementation_->stored_bytes() <= config.max_bytes) implementation_->store(progress);
}

Repulsion::Repulsion(const Integrals& integrals)
    : implementation_(std::make_unique<Implementation>(integrals)) {}

std::int64_t Repulsion::bytes_over_orbitals(int num_orbitals) {
  const auto pairs = static_cast<std::int64_t>(cisolve::num_pairs(size(num_orbitals)));
  return pairs * pairs * static_cast<std::int64_t>(sizeof(double));
}

Repulsion::~Repulsion() = default;
Repulsion::Repulsion(Repulsion&&) noexcept = default;

bool Repulsion::is_stored() const noexcept { return implementation_->stored.size() > 0; }

std::vector<CoulombExchange> Repulsion::coulomb_exchange(std::span<const Matrix> densities) const {
  const int n = implementation_->functions;
  for (const Matrix& d : densities) {
    if (d.rows() != n || d.columns() != n)
      throw DimensionError("coulomb_exchange: a density has another size");
  }
  std::vector<CoulombExchange> out(densities.size(), {Matrix(n, n), Matrix(n, n)});
  if (is_stored()) {
    implementation_->stored_coulomb_exchange(densities, out);
  } else {
    implementation_->direct_coulomb_exchange(densities, out);
  }
  return out;
}

void Repulsion::for_each_row(const RowVisitor& visit) const {
  const Implementation& self = *implementation_;
  if (!is_stored()) return self.direct_rows(visit);
  const auto rows = static_cast<std::int64_t>(self.num_pairs);
#pragma omp parallel for schedule(dynamic, 8) num_threads(self.threads)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::size_t pair = row;
    visit(pair, {self.stored.data() + pair * self.num_pairs, self.num_pairs});
  }
}

}  // namespace cisolve
