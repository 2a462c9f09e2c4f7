// SPDX-License-Identifier: MIT
#include "tasks/files/earlier_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/files/determinants_in.hpp"

namespace cisolve {

EarlierResult::EarlierResult(const std::filesystem::path& file, std::string_view key,
                             const ActiveIntegrals& active, int num_electrons)
    : name_(fmt::format("{}: {}", key, file.string())),
      result_(holds_determinants(file) ? read_determinants(file, active, num_electrons, name_)
                                       : read_result(file, true)) {
  list_from_blocks(result_, file.string());
  require_same_orbitals(result_, active, name_);
  if (result_.system.n_electrons != num_electrons) {
    throw InputError(fmt::format("{} has {} active electrons, this job has {}", name_,
                                 result_.system.n_electrons, num_electrons));
  }
  find_roots();
  if (roots_.empty()) {
    throw InputError(name_ + " holds no vectors; it was written with output.vectors = false");
  }
  require_lists();
}

void EarlierResult::find_roots() {
  for (const CiResult::RootNumber& number : result_.roots) {
    const CiResult::Sector& sector = result_.sectors[number.sector];
    if (!sector.vectors || sector.space.dimension == 0) continue;
    if (sector.vectors->rows() != sector.space.dimension)
      throw InputError(name_ + " has complex vectors, which no other job starts from");
    const auto vector = sector.vectors->view(static_cast<int>(number.root), 1, buffers_.emplace_back());
    roots_.push_back({&sector.space, vector, sector.roots[number.root].s_squared});
  }
}

void EarlierResult::require_lists() const {
  for (const EarlierRoot& root : roots_) {
    const CiResult::Space& space = *root.space;
    const std::size_t n = space.dimension;
    const bool is_csf = space.basis == "csf";
    if ((!is_csf && space.basis != "determinant") || space.words > most_string_words) {
      throw InputError(fmt::format(
          "{} holds functions of basis \"{}\" ({} words per string), which this version cannot read", name_,
          space.basis, space.words));
    }
    const bool listed = is_csf ? space.steps.size() == n * static_cast<std::size_t>(result_.system.n_orbitals)
                               : space.alpha.size() == n * static_cast<std::size_t>(space.words) &&
                                     space.beta.size() == space.alpha.size();
    if (!listed) throw InputError(name_ + " does not list its determinants or CSFs");
  }
}

std::string EarlierResult::contents(const PointGroup& group) const {
  std::vector<std::string> sectors;
  for (const EarlierRoot& root : roots_) {
    const CiResult::Space& space = *root.space;
    std::string sector = "all irreps";
    if (space.irrep != 0) {
      const bool has_name = space.irrep >= 1 && space.irrep <= group.num_irreps();
      sector = "irrep " + (has_name ? group.irrep_name(space.irrep) : std::to_string(space.irrep));
    }
    const int spin = twice_spin(functions_of(space));
    sector +=
        space.basis == "csf" ? fmt::format(", multiplicity {}", spin + 1) : fmt::format(", ms2 = {}", spin);
    if (std::ranges::find(sectors, sector) == sectors.end()) sectors.push_back(std::move(sector));
  }
  return fmt::format("{}", fmt::join(sectors, "; "));
}

}  // namespace cisolve
