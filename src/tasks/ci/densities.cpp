// SPDX-License-Identifier: MIT
#include "tasks/ci/densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "cisolve/analysis/density_bytes.hpp"
#include "cisolve/analysis/natural_orbitals.hpp"
#include "cisolve/core/number_text.hpp"
#include "tasks/ci/properties.hpp"

namespace cisolve {
namespace {

using Kind = CiResult::Density::Kind;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// States of two sectors that are known to differ in spin.
bool differ_in_spin(const CiResult::Sector& a, const CiResult::Sector& b) {
  return a.multiplicity > 0 && b.multiplicity > 0 && a.multiplicity != b.multiplicity;
}

Kind kind_of(const CiResult::Sector& bra, const CiResult::Sector& ket) {
  if (!bra.vectors || !ket.vectors) return Kind::not_available;
  const int difference = bra.ms2 - ket.ms2;
  if (difference == 0) return Kind::same_ms;
  if (std::abs(difference) > 2) return Kind::vanishes;
  return difference > 0 ? Kind::spin_flip : Kind::transposed_flip;
}

/// Writes a matrix, or its transpose, row by row.
void put(std::vector<double>& out, std::size_t first, const Matrix& m, bool transposed = false) {
  for (int p = 0; p < m.rows(); ++p) {
    for (int q = 0; q < m.columns(); ++q) out[first++] = transposed ? m(q, p) : m(p, q);
  }
}

Matrix spin_sum(const SpinDensity& density) {
  Matrix sum = density.alpha;
  for (int q = 0; q < sum.columns(); ++q) {
    for (int p = 0; p < sum.rows(); ++p) sum(p, q) += density.beta(p, q);
  }
  return sum;
}

/// The largest coefficient of each row positive; of equally large ones the first.
void fix_signs(RowMajor& rows) {
  constexpr double equal = 1e-6;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const double largest = rows.row(k).cwiseAbs().maxCoeff();
    Eigen::Index first = 0;
    while (std::abs(rows(k, first)) < largest * (1.0 - equal)) ++first;
    if (rows(k, first) < 0.0) rows.row(k) = -rows.row(k);
  }
}

/// All densities of a result, a pair of sectors at a time.
class RootDensities {
public:
  RootDensities(const RunContext& context, const std::vector<CiJob>& jobs,
                std::span<const std::unique_ptr<Basis>> bases)
      : config_(context.config), context_(context), result_(context.result), jobs_(jobs), bases_(bases) {
    for (const CiResult::Sector& sector : result_.sectors) numbers_.emplace_back(sector.roots.size());
    for (std::size_t i = 0; i < result_.roots.size(); ++i)
      numbers_[result_.roots[i].sector][result_.roots[i].root] = i;
    if (jobs.front().molecule && config_.properties) molecule_.emplace(*config_.molecule, jobs.front());
    if (config_.density != DensityOutput::none) make_room();
  }

  void operator()() {
    prepare_pairs();
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      if (!has_vectors(b)) continue;
      within(b);
      for (std::size_t a = 0; a < b; ++a) {
        if (has_vectors(a)) between(a, b);
      }
    }
    add_natural_orbitals();
    if (config_.density == DensityOutput::two) add_two_particle();
  }

private:
  std::size_t num_roots() const { return result_.roots.size(); }
  std::size_t num_orbitals() const { return static_cast<std::size_t>(result_.system.n_orbitals); }
  std::size_t square() const { return num_orbitals() * num_orbitals(); }
  Root& root(std::size_t i) { return result_.sectors[result_.roots[i].sector].roots[result_.roots[i].root]; }
  const CiResult::Sector& sector_of(std::size_t i) const { return result_.sectors[result_.roots[i].sector]; }
  bool has_vectors(std::size_t s) const {
    return bases_[s] && result_.sectors[s].vectors && !result_.sectors[s].roots.empty();
  }

  void make_room() {
    const std::size_t roots = num_roots();
    result_.density = CiResult::Density();
    CiResult::Density& density = *result_.density;
    density.n_orbitals = result_.system.n_orbitals;
    density.one.resize(2 * roots * square());
    density.transition.resize(2 * roots * roots * square());
    density.spin_flip.resize(roots * roots * square());
    for (std::size_t i = 0; i < roots; ++i) {
      for (std::size_t j = 0; j < roots; ++j)
        density.kind.push_back(static_cast<std::uint8_t>(kind_of(sector_of(i), sector_of(j))));
    }
  }

  /// What is known of pairs before their densities are: nothing, or that they vanish.
  void prepare_pairs() {
    if (!molecule_) return;
    for (std::size_t i = 0; i < num_roots(); ++i) {
      Root& one = root(i);
      one.transition_dipole.assign(3 * num_roots(), Root::none);
      one.oscillator_strength.assign(num_roots(), Root::none);
      for (std::size_t j = 0; j < num_roots(); ++j) {
        if (!differ_in_spin(sector_of(i), sector_of(j))) continue;
        std::fill_n(one.transition_dipole.begin() + static_cast<std::ptrdiff_t>(3 * j), 3, 0.0);
        one.oscillator_strength[j] = 0.0;
      }
    }
  }

  /// @param densities  (basis of the bras, their vectors, how many, kets)
  template <class Densities>
  auto of_sectors(std::size_t bra, std::size_t ket, const Densities& densities) const {
    Array<double> bra_buffer, ket_buffer;
    const int bras = static_cast<int>(numbers_[bra].size()), kets = static_cast<int>(numbers_[ket].size());
    const auto left = result_.sectors[bra].vectors->view(0, bras, bra_buffer);
    const auto right = result_.sectors[ket].vectors->view(0, kets, ket_buffer);
    return densities(*bases_[bra], left, bras, VectorsOfBasis{*bases_[ket], right, kets});
  }

  template <class T, class Visit>
  void for_each_pair(std::size_t bra, std::size_t ket, const BraKetPairs<T>& found,
                     const Visit& visit) const {
    for (std::size_t l = 0; l < numbers_[ket].size(); ++l) {
      for (std::size_t k = 0; k < numbers_[bra].size(); ++k)
        visit(numbers_[bra][k], numbers_[ket][l], found(static_cast<int>(k), static_cast<int>(l)));
    }
  }

  void within(std::size_t s) {
    const bool pairs = needs_density_pairs(config_, jobs_.front());
    if (const auto made = std::exchange(result_.sectors[s].densities, std::nullopt)) {
      add_within(s, *made, pairs);
      return;
    }
    const Basis& basis = *bases_[s];
    const std::size_t rows = basis.size(), count = numbers_[s].size();
    Array<double> buffer;
    const auto vectors = result_.sectors[s].vectors->view(0, static_cast<int>(count), buffer);
    if (pairs) {
      const int all = static_cast<int>(count);
      add_within(s, basis.spin_densities(vectors, all, {basis, vectors, all}), true);
      return;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto vector = vectors.subspan(k * rows, rows);
      add_own(numbers_[s][k], basis.spin_densities(vector, 1, {basis, vector, 1})(0, 0));
    }
  }

  /// @param pairs  with the roots before
  void add_within(std::size_t s, const SpinDensities& found, bool pairs) {
    const std::vector<std::size_t>& numbers = numbers_[s];
    for (std::size_t l = 0; l < numbers.size(); ++l) {
      const int ket = static_cast<int>(l);
      add_own(numbers[l], found(ket, ket));
      for (int k = 0; pairs && k <= ket; ++k) add_pair(numbers[k], numbers[l], found(k, ket));
    }
  }

  void between(std::size_t a, std::size_t b) {
    const CiResult::Sector &first = result_.sectors[a], &second = result_.sectors[b];
    const Kind kind = kind_of(first, second);
    const bool for_dipoles = molecule_ && !differ_in_spin(first, second);
    if (kind == Kind::same_ms && (for_dipoles || result_.density)) {
      const auto found = of_sectors(a, b, [](const Basis& bras, auto vectors, int count, const auto& kets) {
        return bras.spin_densities(vectors, count, kets);
      });
      for_each_pair(a, b, found,
                    [&](std::size_t i, std::size_t j, const SpinDensity& d) { add_pair(i, j, d); });
    }
    if (!result_.density) return;
    const auto flips = [](const Basis& bras, auto vectors, int count, const auto& kets) {
      return bras.spin_flip_densities(vectors, count, kets);
    };
    const auto add_flip = [&](std::size_t i, std::size_t j, const Matrix& flip) {
      put(result_.density->spin_flip, (i * num_roots() + j) * square(), flip);
    };
    if (kind == Kind::spin_flip) for_each_pair(a, b, of_sectors(a, b, flips), add_flip);
    if (kind == Kind::transposed_flip) for_each_pair(b, a, of_sectors(b, a, flips), add_flip);
  }

  void add_own(std::size_t i, const SpinDensity& density) {
    if (config_.properties && !config_.lattice)
      add_occupations(density, orbital_spins(jobs_.front().active->integrals), root(i));
    if (molecule_) molecule_->add(density, root(i));
    if (result_.density) {
      put(result_.density->one, 2 * i * square(), density.alpha);
      put(result_.density->one, (2 * i + 1) * square(), density.beta);
    }
    const bool sums = config_.natural_orbitals.of != NaturalOrbitalOutput::Of::none;
    if (sums) {
      totals_.resize(num_roots());
      totals_[i] = spin_sum(density);
    }
    if (config_.density == DensityOutput::two) {
      own_.resize(num_roots());
      own_[i] = density;
    }
  }

  void add_pair(std::size_t i, std::size_t j, const SpinDensity& density) {
    if (result_.density) {
      for (const auto& [k, l] : {std::pair(i, j), std::pair(j, i)}) {
        const std::size_t first = 2 * (k * num_roots() + l) * square();
        put(result_.density->transition, first, density.alpha, k != i);
        put(result_.density->transition, first + square(), density.beta, k != i);
      }
    }
    if (!molecule_ || differ_in_spin(sector_of(i), sector_of(j))) return;
    Root &lower = root(i), &upper = root(j);
    const auto dipole = molecule_->transition_dipole(density);
    double square_of_dipole = 0.0;
    for (std::size_t x = 0; x < dipole.size(); ++x) {
      lower.transition_dipole[3 * j + x] = upper.transition_dipole[3 * i + x] = dipole[x];
      square_of_dipole += dipole[x] * dipole[x];
    }
    const double strength = 2.0 / 3.0 * (upper.energy - lower.energy) * square_of_dipole;
    upper.oscillator_strength[i] = -strength;
    lower.oscillator_strength[j] = strength;
    if (i == j)  // with the frozen core
      std::ranges::copy(lower.dipole, lower.transition_dipole.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }

  void add_natural_orbitals() {
    using Of = NaturalOrbitalOutput::Of;
    const NaturalOrbitalOutput wanted = config_.natural_orbitals;
    if (wanted.of == Of::every_root) {
      for (std::size_t i = 0; i < totals_.size(); ++i) add_natural(std::to_string(i + 1), totals_[i]);
    }
    if (wanted.of == Of::one_root) {
      const std::size_t number = static_cast<std::size_t>(wanted.root);
      if (number > totals_.size()) {
        context_.warn(
            fmt::format("output.natural_orbitals: there is no root {}, only {}; no natural orbitals "
                        "are written",
                        number, totals_.size()));
        return;
      }
      add_natural(std::to_string(number), totals_[number - 1]);
    }
    if (wanted.of != Of::average || totals_.empty()) return;
    Matrix average(result_.system.n_orbitals, result_.system.n_orbitals);
    const std::vector<double> weights = result_.average_weights();
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      if (totals_[i].rows() == 0) continue;
      for (std::size_t k = 0; k < square(); ++k) average.data()[k] += weights[i] * totals_[i].data()[k];
    }
    add_natural("average", average);
  }

  void add_natural(const std::string& name, const Matrix& density) {
    if (density.rows() == 0) return;
    const NaturalOrbitals natural = natural_orbitals(density, jobs_.front().active->integrals.irreps);
    const int n = density.rows();
    RowMajor rows = Eigen::Map<const Eigen::MatrixXd>(natural.coefficients.data(), n, n);
    if (jobs_.front().molecule) rows = rows * active_coefficients(jobs_.front()).transpose();
    fix_signs(rows);
    CiResult::NaturalOrbitals& set = result_.natural_orbitals.emplace_back();
    set.name = name;
    set.coefficients.assign(rows.data(), rows.data() + rows.size());
    set.occupations = natural.occupations;
    for (const int irrep : natural.irreps) set.irreps.push_back(irrep + 1);
  }

  void add_two_particle() {
    CiResult::Density& density = *result_.density;
    for (std::size_t i = 0; i < num_roots(); ++i) {
      const auto [s, k] = result_.roots[i];
      density.energy_error.push_back(Root::none);
      TwoParticleDensity& found = density.two.emplace_back(result_.system.n_orbitals);
      if (!has_vectors(s)) continue;
      Array<double> buffer;
      const auto vector = result_.sectors[s].vectors->view(static_cast<int>(k), 1, buffer);
      found = bases_[s]->two_particle_density(vector, bytes_for_pair_sums);
      const double from_densities =
          energy(jobs_.front().active->integrals, own_[i].alpha, own_[i].beta, found);
      density.energy_error.back() = std::abs(from_densities - root(i).energy);
    }
  }

  const CiConfig& config_;
  const RunContext& context_;
  CiResult& result_;
  const std::vector<CiJob>& jobs_;
  std::span<const std::unique_ptr<Basis>> bases_;
  std::vector<std::vector<std::size_t>> numbers_;  ///< of each sector's roots among all
  std::optional<MoleculeProperties> molecule_;
  std::vector<Matrix> totals_;    ///< spin-summed, of each root
  std::vector<SpinDensity> own_;  ///< of each root
};

}  // namespace

bool needs_densities(const CiConfig& config, const CiJob& job) {
  return !job.active->complex && needs_densities(config);
}

bool needs_densities(const CiConfig& config) {
  // Of a lattice natural orbitals are the bands.
  return (config.properties && !config.lattice) || config.density != DensityOutput::none ||
         config.natural_orbitals.of != NaturalOrbitalOutput::Of::none;
}

bool needs_density_pairs(const CiConfig& config, const CiJob& job) {
  return config.density != DensityOutput::none || (config.properties && job.molecule != nullptr);
}

std::int64_t density_bytes(const CiConfig& config, std::span<const CiJob> jobs) {
  if (config.density == DensityOutput::none || jobs.empty()) return 0;
  const auto roots = static_cast<double>(config.count) * static_cast<double>(jobs.size());
  const double n = jobs.front().num_orbitals();
  double bytes = 8.0 * n * n * (2.0 * roots + 3.0 * roots * roots);
  // One root's are unpacked where they are written.
  if (config.density == DensityOutput::two)
    bytes += static_cast<double>(TwoParticleDensity::bytes(jobs.front().num_orbitals())) * roots +
             8.0 * n * n * n * n;
  return bytes < 9e18 ? static_cast<std::int64_t>(bytes) : std::numeric_limits<std::int64_t>::max();
}

std::int64_t density_work_bytes(const CiConfig& config, std::span<const CiJob> jobs) {
  if (jobs.empty()) return 0;
  const int n = jobs.front().num_orbitals();
  const bool has_bands = config.lattice && config.lattice->orbitals == LatticeOrbitalChoice::band;
  if (has_bands && config.lattice->correlations) return pair_density_bytes(n, bytes_for_pair_sums);
  if (!needs_densities(config, jobs.front())) return 0;
  const int at_once = needs_density_pairs(config, jobs.front()) ? config.count : 1;
  const std::int64_t one = spin_density_bytes(n, at_once, at_once);
  if (config.density != DensityOutput::two) return one;
  return std::max(one, pair_density_bytes(n, bytes_for_pair_sums));
}

void require_room_for_densities(const CiConfig& config, std::span<const CiJob> jobs) {
  const std::int64_t held = density_bytes(config, jobs), work = density_work_bytes(config, jobs);
  const std::int64_t memory = memory_limit(config);
  constexpr std::int64_t unnoticed = std::int64_t{64} << 20;  // beside what any process takes
  if (held <= memory && (work <= unnoticed || work <= memory - held)) return;
  const bool is_asked_for = config.density != DensityOutput::none;
  const std::int64_t roots = static_cast<std::int64_t>(config.count) * std::ssize(jobs);
  const std::string what =
      is_asked_for
          ? fmt::format("output.density: the matrices of up to {} roots take {}, and sums for them {}", roots,
                        format_bytes(held), format_bytes(work))
          : fmt::format("{}: sums for the density matrices of up to {} roots take {}",
                        config.properties ? "output.properties" : "output.natural_orbitals", roots,
                        format_bytes(work));
  throw DoesNotFit(DoesNotFit::Limit::host_memory,
                   fmt::format("{}, but there are {}", what, format_bytes(memory)),
                   config.density == DensityOutput::two ? "use \"one\", or ask for fewer roots"
                                                        : "ask for fewer roots, or for none");
}

void add_densities(const RunContext& context, const std::vector<CiJob>& jobs,
                   std::span<const std::unique_ptr<Basis>> bases) {
  if (jobs.empty() || context.result.roots.empty() || !needs_densities(context.config, jobs.front())) return;
  RootDensities(context, jobs, bases)();
}

}  // namespace cisolve
