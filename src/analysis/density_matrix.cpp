// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_matrix.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/singles_by_pair.hpp"

namespace cisolve {
namespace {

/// Work is cut into as many parts, whatever the number of threads, so that sums keep their order.
constexpr std::int64_t num_parts = 64;
constexpr std::int64_t chunk = 4096;  // determinants listed at a time

/// Adds what a range of kets contributes.
template <int Words>
class Accumulator {
public:
  Accumulator(const Space<Words>& space, std::span<const int> irreps, std::span<const double> vectors,
              int num_vectors)
      : space_(space), irreps_(irreps), vectors_(vectors), sums_(num_vectors, space.num_orbitals()) {}

  void add(std::int64_t first, std::int64_t last) {
    std::vector<Determinant<Words>> kets;
    for (; first < last; first += chunk) {
      kets.resize(std::min(chunk, last - first));
      space_.enumerate(first, kets);
      for (std::size_t i = 0; i < kets.size(); ++i) add_ket(kets[i], first + static_cast<std::int64_t>(i));
    }
  }

  const DensityMatrices& sums() const { return sums_; }

private:
  double coefficient(int k, std::int64_t row) const {
    return vectors_[static_cast<std::size_t>(k) * static_cast<std::size_t>(space_.size()) +
                    static_cast<std::size_t>(row)];
  }

  void add_element(int p, int q, std::int64_t bra, std::int64_t ket, double sign) {
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      const double factor = sign * coefficient(l, ket);
      for (int k = 0; k <= l; ++k) sums_(k, l)(p, q) += factor * coefficient(k, bra);
    }
  }

  void add_ket(const Determinant<Words>& ket, std::int64_t row) {
    ket.alpha.for_each([&](int q) { add_excitations(ket, row, &Determinant<Words>::alpha, q); });
    ket.beta.for_each([&](int q) { add_excitations(ket, row, &Determinant<Words>::beta, q); });
  }

  /// Every a+_p a_q of one spin, q occupied.
  void add_excitations(const Determinant<Words>& ket, std::int64_t row,
                       BitString<Words> Determinant<Words>::*spin, int q) {
    const BitString<Words>& string = ket.*spin;
    const bool one_irrep = space_.irrep() != any_irrep;
    add_element(q, q, row, row, 1.0);
    for (int p = 0; p < space_.num_orbitals(); ++p) {
      if (string.test(p)) continue;
      if (one_irrep && irreps_[p] != irreps_[q]) continue;
      Determinant<Words> bra = ket;
      bra.*spin = string.moved(q, p);
      const std::int64_t found = space_.find(bra);
      if (found < 0) continue;
      add_element(p, q, found, row, string.count_between(p, q) % 2 == 0 ? 1.0 : -1.0);
    }
  }

  const Space<Words>& space_;
  std::span<const int> irreps_;
  std::span<const double> vectors_;
  DensityMatrices sums_;
};

/// The same over a product space, from strings: rows that an excitation joins are looked up once per pair of
/// alpha strings, or in a list of beta excitations.
class StringAccumulator {
public:
  StringAccumulator(const StringProduct& space, const SinglesByPair& beta_singles,
                    std::span<const int> irreps, std::span<const double> vectors, int num_vectors)
      : space_(space), beta_singles_(beta_singles), irreps_(irreps), vectors_(vectors),
        sums_(num_vectors, space.num_orbitals()) {}

  /// What alpha strings first .. last - 1 of kets contribute.
  void add(std::int32_t first, std::int32_t last) {
    for (std::int32_t alpha = first; alpha < last; ++alpha) {
      add_occupations(alpha);
      add_alpha_singles(alpha);
      add_beta_singles(alpha);
    }
  }

  const DensityMatrices& sums() const { return sums_; }

private:
  const double* vector(int k) const { return vectors_.data() + k * space_.size(); }

  /// Adds what a+_p a_q and a+_q a_p bring, of which one is known to lead from `ket` to `bra`: the other leads back.
  /// @param term  sum of +-bra(..) ket(..)
  template <class Term>
  void add_element(int p, int q, const Term& term) {
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      for (int k = 0; k <= l; ++k) {
        const double there = term(vector(k), vector(l));
        sums_(k, l)(p, q) += there;
        sums_(k, l)(q, p) += k == l ? there : term(vector(l), vector(k));
      }
    }
  }

  void add_occupations(std::int32_t alpha) {
    const std::size_t norb = space_.num_orbitals();
    std::vector<double> weights(norb);
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      for (int k = 0; k <= l; ++k) {
        std::fill(weights.begin(), weights.end(), 0.0);
        double sum = 0.0;
        for (int level = 0; level < space_.num_levels(); ++level) {
          std::int64_t row = space_.run_offset(level, alpha);
          for (const std::int32_t beta : space_.run_betas(level, alpha)) {
            const double weight = vector(k)[row] * vector(l)[row];
            ++row;
            sum += weight;
            for (const std::uint8_t p : space_.beta().orbitals(beta)) weights[p] += weight;
          }
        }
        for (const std::uint8_t p : space_.alpha().orbitals(alpha)) weights[p] += sum;
        for (int p = 0; p < space_.num_orbitals(); ++p) sums_(k, l)(p, p) += weights[p];
      }
    }
  }

  void add_alpha_singles(std::int32_t ket) {
    const Strings& strings = space_.alpha();
    space_.list_runs(ket, ket_runs_);
    for (const auto& [bra, code] : strings.singles()[ket]) {
      if (ExcitationCode::particle(code) < ExcitationCode::hole(code)) continue;
      if (space_.irrep() != any_irrep && strings.irrep(bra) != strings.irrep(ket)) continue;
      const double sign = ExcitationCode::is_negative(code) ? -1.0 : 1.0;
      space_.list_runs(bra, bra_runs_);
      for (const StringProduct::Run& of_ket : ket_runs_) {
        for (const StringProduct::Run& of_bra : bra_runs_)
          add_common_betas(ExcitationCode::particle(code), ExcitationCode::hole(code), sign, of_bra, of_ket);
      }
    }
  }

  void add_beta_singles(std::int32_t alpha) {
    const bool one_irrep = space_.irrep() != any_irrep;
    space_.list_runs(alpha, ket_runs_);
    for (int p = 0; p < space_.num_orbitals(); ++p) {
      for (int q = 0; q < p; ++q) {
        if (one_irrep && irreps_[p] != irreps_[q]) continue;
        for (const SinglesByPair::Group& group : beta_singles_(p, q)) {
          if (one_irrep && (space_.alpha().irrep(alpha) ^ group.source_irrep) != space_.irrep()) continue;
          for (const StringProduct::Run& from : ket_runs_) {
            for (const StringProduct::Run& to : ket_runs_) {
              add_element(p, q, [&](const double* x, const double* y) {
                return sum_singles(beta_singles_, group, to, from, x, y);
              });
            }
          }
        }
      }
    }
  }

  /// Rows of two runs that have the same beta string.
  void add_common_betas(int p, int q, double sign, const StringProduct::Run& bra,
                        const StringProduct::Run& ket) {
    if (bra.list->level != ket.list->level) return;
    const std::vector<std::int32_t>& betas = ket.list->members;
    add_element(p, q, [&](const double* x, const double* y) {
      double sum = 0.0;
      if (bra.list == ket.list) {
        const double* left = x + bra.first_row;
        const double* right = y + ket.first_row;
#pragma omp simd reduction(+ : sum)
        for (std::size_t j = 0; j < betas.size(); ++j) sum += left[j] * right[j];
        return sign * sum;
      }
      for (std::size_t j = 0; j < betas.size(); ++j) {
        const auto at = static_cast<std::int64_t>(j);
        const std::int64_t place = bra.list->place(space_.beta().position(betas[j]));
        if (place >= 0) sum += x[bra.first_row + place] * y[ket.first_row + at];
      }
      return sign * sum;
    });
  }

  const StringProduct& space_;
  const SinglesByPair& beta_singles_;
  std::span<const int> irreps_;
  std::span<const double> vectors_;
  DensityMatrices sums_;
  std::vector<StringProduct::Run> bra_runs_, ket_runs_;
};

}  // namespace

DensityMatrices::DensityMatrices(int num_vectors, int num_orbitals)
    : num_vectors_(num_vectors), matrices_(at(0, num_vectors), Matrix(num_orbitals, num_orbitals)) {}

template <int Words>
DensityMatrices density_matrices(const Space<Words>& space, std::span<const int> irreps,
                                 std::span<const double> vectors, int num_vectors) {
  if (std::ssize(vectors) != space.size() * num_vectors || std::ssize(irreps) != space.num_orbitals()) {
    throw DimensionError("density_matrices: vectors or irreps do not fit the space");
  }
  std::vector<DensityMatrices> parts(num_parts, DensityMatrices(0, 0));
  const auto* product = space.as_product();
  std::optional<SinglesByPair> beta_singles;
  if (product != nullptr) {
    product->alpha().singles();
    beta_singles.emplace(product->beta());
  }
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < num_parts; ++part) {
    if (product != nullptr) {
      const std::int64_t strings = product->alpha().size();
      StringAccumulator sum(*product, *beta_singles, irreps, vectors, num_vectors);
      sum.add(static_cast<std::int32_t>(strings * part / num_parts),
              static_cast<std::int32_t>(strings * (part + 1) / num_parts));
      parts[part] = sum.sums();
      continue;
    }
    Accumulator<Words> sum(space, irreps, vectors, num_vectors);
    sum.add(space.size() * part / num_parts, space.size() * (part + 1) / num_parts);
    parts[part] = sum.sums();
  }
  DensityMatrices total(num_vectors, space.num_orbitals());
  const int n = space.num_orbitals();
  for (const DensityMatrices& part : parts) {
    for (int l = 0; l < num_vectors; ++l) {
      for (int k = 0; k <= l; ++k) {
        for (int q = 0; q < n; ++q) {
          for (int p = 0; p < n; ++p) total(k, l)(p, q) += part(k, l)(p, q);
        }
      }
    }
  }
  return total;
}

#define INSTANTIATE(W)                                                                                      \
  template DensityMatrices density_matrices(const Space<W>&, std::span<const int>, std::span<const double>, \
                                            int);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
