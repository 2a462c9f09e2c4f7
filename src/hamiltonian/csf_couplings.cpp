// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/csf_couplings.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "hamiltonian/coupling_pattern.hpp"
#include "hamiltonian/one_body_couplings.hpp"
#include "hamiltonian/shared_table.hpp"

namespace cisolve {
namespace {

/// One term: first * second - minus - (1 if minus_one); no second factor where it is null.
struct Term {
  const CouplingBlock* first = nullptr;
  const CouplingBlock* second = nullptr;
  const CouplingBlock* minus = nullptr;
  bool minus_one = false;
};

void add_scaled_row(const CouplingBlock& block, int row, double factor, std::span<double> sum) {
  const std::size_t first = block.offsets[row];
  const std::size_t last = block.offsets[row + 1];
  for (std::size_t k = first; k < last; ++k) {
    sum[block.columns[k]] += factor * block.values[k];
  }
}

/// A row of a term; `out` is written anew.
void term_row(const Term& term, int row, double zero, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (term.second == nullptr) {
    add_scaled_row(*term.first, row, 1.0, out);
  } else {
    const std::size_t first = term.first->offsets[row];
    const std::size_t last = term.first->offsets[row + 1];
    for (std::size_t k = first; k < last; ++k) {
      add_scaled_row(*term.second, term.first->columns[k], term.first->values[k], out);
    }
  }
  if (term.minus != nullptr) add_scaled_row(*term.minus, row, -1.0, out);
  if (term.minus_one) out[row] -= 1.0;
  for (double& value : out) {
    if (std::abs(value) < zero) value = 0.0;
  }
}

CouplingBlock transposed(const CouplingBlock& block) {
  CouplingBlock result;
  result.num_rows = block.num_columns;
  result.num_columns = block.num_rows;
  result.num_terms = block.num_terms;
  result.offsets.assign(block.num_columns + 1, 0);
  result.columns.resize(block.columns.size());
  result.values.resize(block.values.size());
  for (const std::int32_t c : block.columns) ++result.offsets[c + 1];
  for (std::size_t r = 1; r < result.offsets.size(); ++r) result.offsets[r] += result.offsets[r - 1];
  std::vector<std::int32_t> next = result.offsets;
  const std::size_t terms = block.num_terms;
  for (int row = 0; row < block.num_rows; ++row) {
    for (std::size_t k = block.offsets[row]; k < static_cast<std::size_t>(block.offsets[row + 1]); ++k) {
      const std::size_t slot = next[block.columns[k]]++;
      result.columns[slot] = row;
      std::copy_n(&block.values[k * terms], terms, &result.values[slot * terms]);
    }
  }
  return result;
}

}  // namespace

std::int64_t CouplingBlock::bytes() const {
  return static_cast<std::int64_t>(sizeof(CouplingBlock) + 4 * (offsets.size() + columns.size()) +
                                   8 * values.size());
}

class CsfCouplings::Tables {
public:
  Tables(const SpinCouplings& couplings, const CsfCouplingsConfig& config)
      : couplings_(couplings), config_(config) {}

  const CouplingBlock* find(CouplingKey key) {
    if (const CouplingBlock* block = blocks_.find(key)) return block;
    if (bytes_.load(std::memory_order_relaxed) >= config_.cache_bytes) return nullptr;
    const CouplingPattern pattern = unpack(key);
    if (estimated_bytes(pattern) > config_.cache_bytes - bytes_.load(std::memory_order_relaxed))
      return nullptr;
    // Computed in one direction and transposed for the other, so that H is symmetric to the last bit.
    const CouplingPattern back = reversed(pattern);
    CouplingBlock block = pack(back) < key ? transposed(compute(back)) : compute(pattern);
    bytes_.fetch_add(block.bytes(), std::memory_order_relaxed);
    return &blocks_.insert(key, std::move(block));
  }

  void add_row(CouplingKey key, int number, std::span<const double> weights, std::span<double> row) {
    const std::vector<Term> terms = terms_of(unpack(key));
    if (terms.size() != weights.size()) throw DimensionError("add_row: one weight per term is needed");
    std::vector<double> values(row.size());
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (weights[t] == 0.0) continue;
      term_row(terms[t], number, config_.zero, values);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += weights[t] * values[k];
    }
  }

  std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
  std::int64_t dimension(const std::vector<int>& occupations) const {
    return couplings_.count(static_cast<int>(std::count(occupations.begin(), occupations.end(), 1)));
  }

  /// Bytes of the couplings of a pattern if no coefficient were zero.
  std::int64_t estimated_bytes(const CouplingPattern& pattern) const {
    const PatternOccupations n = occupations_of(pattern);
    return dimension(n.bra) * dimension(n.ket) * (4 + 8 * num_terms(pattern));
  }

  /// Matrix of E_ca on these occupations, which become what it leads to.
  const CouplingBlock* move(std::vector<int>& occupations, int created, int annihilated) {
    const ShellMove shell_move = make_shell_move(occupations, created, annihilated);
    ++occupations[created];
    --occupations[annihilated];
    const std::uint64_t key = shell_move.key();
    if (const CouplingBlock* block = one_body_.find(key)) return block;
    return &one_body_.insert(key, one_body_couplings(couplings_, shell_move));
  }

  /// E_c1a1 E_c2a2 on the ket.
  Term two_moves(std::vector<int> ket, int c1, int a1, int c2, int a2) {
    Term term;
    term.second = move(ket, c2, a2);
    term.first = move(ket, c1, a1);
    return term;
  }

  std::vector<Term> terms_of(const CouplingPattern& pattern) {
    const PatternOccupations n = occupations_of(pattern);
    std::vector<Term> terms;
    if (pattern.num_changes == 0) {
      for (std::size_t i = 0; i < n.shared.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          Term term = two_moves(n.ket, n.shared[j], n.shared[i], n.shared[i], n.shared[j]);
          term.minus_one = true;
          terms.push_back(term);
        }
      }
    } else if (n.created.size() == 1) {
      const int h = n.created[0];
      const int p = n.annihilated[0];
      std::vector<int> occupations = n.ket;
      const CouplingBlock* direct = move(occupations, h, p);
      terms.push_back({.first = direct});
      for (const int r : n.shared) {
        Term term = two_moves(n.ket, h, r, r, p);
        term.minus = direct;
        terms.push_back(term);
      }
    } else {
      const int h1 = n.created[0], h2 = n.created[1], p1 = n.annihilated[0], p2 = n.annihilated[1];
      terms.push_back(two_moves(n.ket, h1, p1, h2, p2));
      if (h1 != h2 && p1 != p2) terms.push_back(two_moves(n.ket, h1, p2, h2, p1));
    }
    return terms;
  }

  CouplingBlock compute(const CouplingPattern& pattern) {
    const PatternOccupations n = occupations_of(pattern);
    const std::vector<Term> terms = terms_of(pattern);
    CouplingBlock block;
    block.num_rows = static_cast<int>(dimension(n.bra));
    block.num_columns = static_cast<int>(dimension(n.ket));
    block.num_terms = static_cast<int>(terms.size());
    block.offsets.push_back(0);
    const std::size_t columns = block.num_columns;
    std::vector<double> values(columns * terms.size());
    for (int row = 0; row < block.num_rows; ++row) {
      for (std::size_t t = 0; t < terms.size(); ++t) {
        term_row(terms[t], row, config_.zero, std::span(values).subspan(t * columns, columns));
      }
      for (std::size_t c = 0; c < columns; ++c) {
        // The diagonal has energies besides these terms, so its entries are always there.
        bool any = pattern.num_changes == 0 && c == static_cast<std::size_t>(row);
        for (std::size_t t = 0; t < terms.size(); ++t) any = any || values[t * columns + c] != 0.0;
        if (!any) continue;
        block.columns.push_back(static_cast<std::int32_t>(c));
        for (std::size_t t = 0; t < terms.size(); ++t) block.values.push_back(values[t * columns + c]);
      }
      block.offsets.push_back(static_cast<std::int32_t>(block.columns.size()));
    }
    block.columns.shrink_to_fit();
    block.values.shrink_to_fit();
    return block;
  }

  const SpinCouplings& couplings_;
  CsfCouplingsConfig config_;
  SharedTable<CouplingBlock> one_body_;
  SharedTable<CouplingBlock> blocks_;
  std::atomic<std::int64_t> bytes_{0};
};

CsfCouplings::CsfCouplings(const SpinCouplings& couplings, const CsfCouplingsConfig& config)
    : tables_(std::make_unique<Tables>(couplings, config)) {}

CsfCouplings::~CsfCouplings() = default;

const CouplingBlock* CsfCouplings::find(CouplingKey key) const { return tables_->find(key); }

void CsfCouplings::add_row(CouplingKey key, int number, std::span<const double> weights,
                           std::span<double> row) const {
  tables_->add_row(key, number, weights, row);
}

std::int64_t CsfCouplings::bytes() const { return tables_->bytes(); }

}  // namespace cisolve
