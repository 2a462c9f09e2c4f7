// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/csf_rows.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"
#include "core/planted_error.hpp"
#include "hamiltonian/csf_links.hpp"

namespace cisolve {
namespace {

/// Finds the configurations of a space that H connects to one of them.
template <int Words>
class Neighbours {
public:
  explicit Neighbours(const CsfHamiltonian<Words>& h) : space_(h.space()), tables_(h.tables()) {}

  /// Fills `links` with all of them, the configuration itself first, otherwise in no particular order.
  void collect(std::int32_t number, CsfLinks<Words>& links) {
    const Configuration<Words>& bra = space_.configuration(number);
    links.begin(bra);
    links.add_same(number);
    const OrbitalList occupied = OrbitalList::occupied(bra.occupied());
    list_free_orbitals(bra);
    for (int i = 0; i < occupied.size; ++i) {
      const int h1 = occupied[i];
      Configuration<Words> once = bra;
      once.remove(h1);
      for (const int p : free_[tables_.irrep(h1)]) {
        if (p != h1) try_single(once, h1, p, links);
      }
      for (int j = i; j < occupied.size; ++j) {
        const int h2 = occupied[j];
        if (h1 == h2 && !bra.doubly.test(h1)) continue;
        Configuration<Words> twice = once;
        twice.remove(h2);
        fill_particles(bra, twice, h1, h2, links);
      }
    }
  }

private:
  /// Orbitals that are not full, by irrep.
  void list_free_orbitals(const Configuration<Words>& bra) {
    for (OrbitalList& list : free_) list.size = 0;
    for (const int p : OrbitalList::empty(bra.doubly, space_.num_orbitals())) {
      OrbitalList& list = free_[tables_.irrep(p)];
      list.orbital[list.size++] = static_cast<std::uint8_t>(p);
    }
  }

  void try_single(const Configuration<Words>& once, int h, int p, CsfLinks<Words>& links) {
    Configuration<Words> ket = once;
    ket.add(p);
    if (const std::int32_t number = find(ket); number >= 0) links.add_single(number, ket, h, p);
  }

  void fill_particles(const Configuration<Words>& bra, const Configuration<Words>& twice, int h1, int h2,
                      CsfLinks<Words>& links) {
    const int holes = tables_.irrep(h1) ^ tables_.irrep(h2);
    for (int g = 0; g < 8; ++g) {
      for (const int p1 : free_[g]) {
        if (p1 == h1 || p1 == h2) continue;
        Configuration<Words> thrice = twice;
        thrice.add(p1);
        const OrbitalList& partners = free_[g ^ holes];
        for (int b = partners.size; b-- > 0;) {
          const int p2 = partners[b];
          if (p2 < p1) break;
          if (p2 == h1 || p2 == h2 || (p2 == p1 && bra.singly.test(p1))) continue;
          Configuration<Words> ket = thrice;
          ket.add(p2);
          if (const std::int32_t number = find(ket); number >= 0)
            links.add_double(number, ket, h1, h2, p1, p2);
        }
      }
    }
  }

  /// Number of a configuration, or -1. With one reference its level tells most misses without a search.
  std::int32_t find(const Configuration<Words>& ket) const {
    const auto& selection = space_.selection();
    if (selection.references.size() == 1 &&
        excitation_degree(ket, selection.references[0]) > selection.excitation_level) {
      return -1;
    }
    return space_.find(ket);
  }

  const ConfigurationSpace<Words>& space_;
  const IntegralTables& tables_;
  OrbitalList free_[8];
};

/// Writes the rows of one configuration.
template <int Words>
class ConfigurationRows {
public:
  ConfigurationRows(const CsfHamiltonian<Words>& h)
      : space_(h.space()), couplings_(h.couplings()), threshold_(h.tables().threshold()), neighbours_(h),
        links_(h.tables(), h.couplings()) {}

  void begin(std::int32_t number) {
    number_ = number;
    neighbours_.collect(number, links_);
    // Kets differ, so sorting ket and position as one number sorts the links, and moves less memory.
    order_.clear();
    for (const CsfLink& link : links_.links()) {
      order_.push_back(static_cast<std::uint64_t>(link.ket) << 32 | order_.size());
    }
    std::sort(order_.begin(), order_.end());
  }

  /// Row `coupling` of the configuration. The spans are valid until the next call.
  MatrixRow row(int coupling) {
    reserve(coupling);
    size_ = 0;
    general_.clear();
    for (const std::uint64_t ket_and_position : order_) {
      const CsfLink& link = links_.links()[ket_and_position & 0xffffffffU];
      const std::size_t before = size_;
      if (link.block == nullptr) {
        add_computed(link, coupling);
      } else if (link.ket == number_) {
        add_entries(link, coupling, [](std::span<const double> w, const double* v) { return dot(w, v); });
      } else {
        switch (link.num_weights) {
          case 1:
            add_entries(link, coupling,
                        [](std::span<const double> w, const double* v) { return w[0] * v[0]; });
            break;
          case 2:
            add_entries(link, coupling, [](std::span<const double> w, const double* v) {
              const double second = w[1] * v[1];
              return w[0] * v[0] + (is_planted(PlantedError::row_class) ? -second : second);
            });
            break;
          default:
            add_entries(link, coupling, [](std::span<const double> w, const double* v) { return dot(w, v); });
        }
      }
      if (!link.is_general) continue;
      for (std::size_t k = before; k < size_; ++k) general_.push_back(static_cast<std::int32_t>(k));
    }
    return {space_.offset(number_) + coupling, {columns_.data(), size_}, {values_.data(), size_}, general_};
  }

private:
  static double dot(std::span<const double> w, const double* v) {
    double sum = 0.0;
    for (std::size_t t = 0; t < w.size(); ++t) sum += w[t] * v[t];
    return sum;
  }

  std::int64_t dimension(std::int32_t number) const {
    return space_.offset(number + 1) - space_.offset(number);
  }

  /// Room for the row, however few of its elements vanish.
  void reserve(int coupling) {
    std::size_t most = 0;
    const std::size_t row = coupling;
    for (const CsfLink& link : links_.links()) {
      most += link.block == nullptr ? dimension(link.ket)
                                    : link.block->offsets[row + 1] - link.block->offsets[row];
    }
    if (columns_.size() >= most) return;
    columns_.resize(most);
    values_.resize(most);
  }

  void put(std::int64_t column, double value) {
    columns_[size_] = static_cast<ColumnIndex>(column);
    values_[size_] = value;
    size_ += std::abs(value) > threshold_ ? 1U : 0U;
  }

  template <class Value>
  void add_entries(const CsfLink& link, int coupling, Value&& value) {
    const CouplingBlock& block = *link.block;
    const std::span<const double> weights = links_.weights(link);
    const std::int64_t first_column = space_.offset(link.ket);
    const std::size_t row = coupling;
    const std::size_t terms = block.num_terms;
    const bool same = link.ket == number_;
    for (std::size_t k = block.offsets[row]; k < static_cast<std::size_t>(block.offsets[row + 1]); ++k) {
      const double energy = same && block.columns[k] == coupling ? links_.energy() : 0.0;
      put(first_column + block.columns[k], energy + value(weights, block.values.data() + k * terms));
    }
  }

  void add_computed(const CsfLink& link, int coupling) {
    scratch_.assign(dimension(link.ket), 0.0);
    if (link.ket == number_) scratch_[coupling] = links_.energy();
    couplings_.add_row(link.key, coupling, links_.weights(link), scratch_);
    for (std::size_t k = 0; k < scratch_.size(); ++k) {
      put(space_.offset(link.ket) + static_cast<std::int64_t>(k), scratch_[k]);
    }
  }

  const ConfigurationSpace<Words>& space_;
  const CsfCouplings& couplings_;
  double threshold_;
  Neighbours<Words> neighbours_;
  CsfLinks<Words> links_;
  std::int32_t number_ = 0;
  std::vector<std::uint64_t>
      order_;  ///< of the links, by column: ket in the upper half, position in the lower
  std::vector<ColumnIndex> columns_;
  std::vector<double> values_;
  std::vector<std::int32_t> general_;
  std::size_t size_ = 0;
  std::vector<double> scratch_;
};

/// visit(row) for each row of a range.
template <int Words, class Visit>
void for_each_row(const CsfHamiltonian<Words>& h, RowRange range, Visit&& visit) {
  if (range.size() == 0) return;
  ConfigurationRows<Words> rows(h);
  const ConfigurationSpace<Words>& space = h.space();
  for (std::int32_t i = space.configuration_of_row(range.first); space.offset(i) < range.last; ++i) {
    rows.begin(i);
    const std::int64_t last = std::min(space.offset(i + 1), range.last);
    for (std::int64_t row = std::max(space.offset(i), range.first); row < last; ++row) {
      visit(rows.row(static_cast<int>(row - space.offset(i))));
    }
    if (i + 1 == space.num_configurations()) break;
  }
}

/// One element of a link's block, `columns` wide, but for the energy on the diagonal.
template <int Words>
double element(const CsfCouplings& couplings, const CsfLinks<Words>& links, const CsfLink& link, int columns,
               int row, int column) {
  const auto weights = links.weights(link);
  if (link.block == nullptr) {
    std::vector<double> whole_row(columns, 0.0);
    couplings.add_row(link.key, row, weights, whole_row);
    return whole_row[column];
  }
  const CouplingBlock& block = *link.block;
  const auto first = block.columns.begin() + block.offsets[row];
  const auto last = block.columns.begin() + block.offsets[row + 1];
  const auto found = std::lower_bound(first, last, column);
  if (found == last || *found != column) return 0.0;
  const double* terms = block.values.data() + (found - block.columns.begin()) * block.num_terms;
  double sum = 0.0;
  for (std::size_t t = 0; t < weights.size(); ++t) sum += weights[t] * terms[t];
  return sum;
}

}  // namespace

template <int Words>
CsfHamiltonian<Words>::CsfHamiltonian(const ConfigurationSpace<Words>& space, const IntegralTables& tables,
                                      const CsfCouplingsConfig& config)
    : space_(space), tables_(tables), couplings_(space.couplings(), config) {
  if (space.num_orbitals() != tables.num_orbitals())
    throw DimensionError("CsfHamiltonian: integrals of another number of orbitals");
}

template <int Words>
std::vector<double> CsfHamiltonian<Words>::diagonal() const {
  constexpr std::int32_t chunk = 64;
  std::vector<double> result(space_.size());
  const std::int32_t configurations = space_.num_configurations();
  parallel_for((configurations + chunk - 1) / chunk, 1, [&](std::int64_t part) {
    CsfLinks<Words> links(tables_, couplings_);
    const auto first = static_cast<std::int32_t>(part) * chunk;
    for (std::int32_t i = first; i < std::min(first + chunk, configurations); ++i) {
      links.begin(space_.configuration(i));
      links.add_same(i);
      const auto n = static_cast<int>(space_.offset(i + 1) - space_.offset(i));
      for (int k = 0; k < n; ++k) {
        result[space_.offset(i) + k] = links.energy() + element(couplings_, links, links.links()[0], n, k, k);
      }
    }
  });
  return result;
}

template <int Words>
Matrix CsfHamiltonian<Words>::dense_block(std::span<const std::int64_t> rows) const {
  const int n = static_cast<int>(rows.size());
  Matrix block(n, n);
  std::vector<std::int32_t> configuration, coupling;
  for (const std::int64_t row : rows) {
    configuration.push_back(space_.configuration_of_row(row));
    coupling.push_back(static_cast<std::int32_t>(row - space_.offset(configuration.back())));
  }
  parallel_for(n, 1, [&](std::int64_t j) {
    CsfLinks<Words> links(tables_, couplings_);
    const std::size_t row = j;
    links.begin(space_.configuration(configuration[row]));
    for (std::size_t i = 0; i <= row; ++i) {
      const std::int32_t ket = configuration[i];
      const std::size_t before = links.links().size();
      links.add(ket, space_.configuration(ket));
      if (links.links().size() == before) continue;
      const auto columns = static_cast<int>(space_.offset(ket + 1) - space_.offset(ket));
      const double value =
          element(couplings_, links, links.links().back(), columns, coupling[row], coupling[i]) +
          (i == row ? links.energy() : 0.0);
      block(static_cast<int>(i), static_cast<int>(j)) = block(static_cast<int>(j), static_cast<int>(i)) =
          value;
    }
  });
  return block;
}

template <int Words>
void CsfRowSource<Words>::count(RowRange range, std::span<std::int64_t> lengths) const {
  for_each_row(*h_, range,
               [&](const MatrixRow& row) { lengths[row.index - range.first] = std::ssize(row.columns); });
}

template <int Words>
void CsfRowSource<Words>::fill(RowRange range, RowSink& sink) const {
  for_each_row(*h_, range, [&](const MatrixRow& row) { sink.row(row); });
}

#define INSTANTIATE(W)              \
  template class CsfHamiltonian<W>; \
  template class CsfRowSource<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
