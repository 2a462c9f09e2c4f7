// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_spin.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {

void StringSpin::multiply(std::span<const double> x, std::span<double> y) const {
  multiply_rows(RowMap::whole(size()), x, y);
}

void StringSpin::multiply_rows(const RowMap& rows, std::span<const double> x, std::span<double> y) const {
  if (rows.rows() != size() || std::ssize(x) != size() || std::ssize(y) != rows.local_rows())
    throw DimensionError("StringSpin: one element per determinant is needed");
  if (!are_whole_runs(rows)) throw DimensionError("StringSpin: rows must be whole runs");
  const std::int32_t alphas = space_.alpha().size();
  space_.alpha().singles();
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int32_t alpha = 0; alpha < alphas; ++alpha) fill_rows(rows, alpha, x.data(), y.data());
}

bool StringSpin::are_whole_runs(const RowMap& rows) const {
  const auto begins_run = [&](std::int64_t row) {
    if (row == size()) return true;
    const std::int64_t run = space_.run_of_row(row);
    const std::int64_t alphas = space_.alpha().size();
    return space_.run_offset(static_cast<int>(run / alphas), static_cast<std::int32_t>(run % alphas)) == row;
  };
  return std::ranges::all_of(rows.slabs(), [&](const RowMap::Slab& slab) {
    return begins_run(slab.first_row) && begins_run(slab.first_row + slab.count);
  });
}

/// @param runs     own ones of an alpha string
/// @param targets  the same, by local rows
void StringSpin::apply_diagonal(std::int32_t alpha, const Runs& runs, const Runs& targets, const double* x,
                                double* y) const {
  std::vector<int> shared(space_.num_orbitals(), 0);
  for (const std::uint8_t p : space_.alpha().orbitals(alpha)) shared[p] = 2;
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const double* from = x + runs[k].first_row;
    double* to = y + targets[k].first_row;
    for (const std::int32_t beta : runs[k].list->members) {
      int open = space_.num_alpha() + space_.num_beta();
      for (const std::uint8_t p : space_.beta().orbitals(beta)) open -= shared[p];
      *to++ = (ms * ms + 0.5 * open) * *from++;
    }
  }
}

/// visit(excitations of beta strings, target run, source run, sign of the alpha excitation) for all that lead to runs of
/// an alpha string.
template <class Visit>
void StringSpin::for_each_exchange(std::int32_t alpha, const Runs& targets, const Visit& visit) const {
  const Strings& alphas = space_.alpha();
  const int irrep = space_.irrep();
  Runs sources;
  for (const auto& [source, code] : alphas.singles()[alpha]) {
    const int p = ExcitationCode::hole(code), q = ExcitationCode::particle(code);
    const double sign = ExcitationCode::is_negative(code) ? 1.0 : -1.0;
    space_.list_runs(source, sources);
    for (const SinglesByPair::Group& group : beta_(q, p)) {
      if (irrep != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != irrep) continue;
      for (const StringProduct::Run& from : sources) {
        for (const StringProduct::Run& to : targets) visit(group, to, from, sign);
      }
    }
  }
}

void StringSpin::fill_rows(const RowMap& rows, std::int32_t alpha, const double* x, double* y) const {
  Runs runs;
  space_.list_runs(alpha, runs);
  std::erase_if(runs, [&](const StringProduct::Run& run) { return !rows.local(run.first_row); });
  if (runs.empty()) return;
  Runs targets = runs;
  for (StringProduct::Run& run : targets) run.first_row = rows.local_below(run.first_row);
  apply_diagonal(alpha, runs, targets, x, y);
  for_each_exchange(alpha, targets, [&](const auto& group, const auto& to, const auto& from, double sign) {
    for_each_single(beta_, group, to, from, [&](std::int64_t row, std::int64_t column, std::uint32_t code) {
      y[row] += ExcitationCode::with_phase(sign * x[column], code);
    });
  });
}

}  // namespace cisolve
