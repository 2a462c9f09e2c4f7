// SPDX-License-Identifier: MIT
#include "tasks/files/earlier_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/ci/determinant_list.hpp"

namespace cisolve {
namespace {

/// Step of one orbital of CSF i, as files have it.
std::uint8_t step_at(const CiResult::Space& space, std::size_t i, std::size_t orbital) {
  return space.steps[i * (space.steps.size() / static_cast<std::size_t>(space.dimension)) + orbital];
}

}  // namespace

EarlierResult::EarlierResult(const std::filesystem::path& file, std::string_view key,
                             const ActiveIntegrals& active, int num_electrons)
    : name_(fmt::format("{}: {}", key, file.string())), result_(read_result(file, true)) {
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
    if (!sector.vectors) continue;
    const auto vector = sector.vectors->view(static_cast<int>(number.root), 1, buffers_.emplace_back());
    roots_.push_back({&sector.space, vector, sector.roots[number.root].s_squared});
  }
}

void EarlierResult::require_lists() const {
  for (const EarlierRoot& root : roots_) {
    const CiResult::Space& space = *root.space;
    const auto n = static_cast<std::size_t>(space.dimension);
    const bool is_csf = space.basis == "csf";
    if ((!is_csf && space.basis != "determinant") || space.words != string_words) {
      throw InputError(
          fmt::format("{} holds functions of basis \"{}\" ({} words per string), which this "
                      "version cannot read",
                      name_, space.basis, space.words));
    }
    const bool listed = is_csf ? space.steps.size() == n * static_cast<std::size_t>(result_.system.n_orbitals)
                               : space.alpha.size() == n && space.beta.size() == n;
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
    const int spin = earlier_spin(space);
    sector +=
        space.basis == "csf" ? fmt::format(", multiplicity {}", spin + 1) : fmt::format(", ms2 = {}", spin);
    if (std::ranges::find(sectors, sector) == sectors.end()) sectors.push_back(std::move(sector));
  }
  return fmt::format("{}", fmt::join(sectors, "; "));
}

CsfList<string_words> csf_list(const CiResult::Space& space, const std::string& name) {
  CsfList<string_words> list;
  list.two_s = earlier_spin(space);
  const auto n = static_cast<std::size_t>(space.dimension);
  const std::size_t norb = space.steps.size() / n;
  const auto damaged = [&] {
    return InputError(name + " is damaged: its steps are not those of CSFs of one spin");
  };
  if (list.two_s < 0) throw damaged();
  const SpinCouplings couplings(list.two_s, static_cast<int>(norb));
  std::vector<SpinStep> path;
  for (std::size_t i = 0; i < n; ++i) {
    Configuration<string_words>& configuration = list.configurations.emplace_back();
    path.clear();
    int spin = 0;
    for (std::size_t p = 0; p < norb; ++p) {
      const std::uint8_t step = step_at(space, i, p);
      if (step > 3) throw damaged();
      if (step == 3) configuration.doubly.set(static_cast<int>(p));
      if (step != 1 && step != 2) continue;
      configuration.singly.set(static_cast<int>(p));
      path.push_back(static_cast<SpinStep>(step));
      spin += step == 1 ? 1 : -1;
      if (spin < 0) throw damaged();
    }
    if (spin != list.two_s) throw damaged();
    list.couplings.push_back(couplings.number(path));
  }
  return list;
}

std::vector<Determinant<string_words>> determinant_list(const CiResult::Space& space) {
  std::vector<Determinant<string_words>> determinants(static_cast<std::size_t>(space.dimension));
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    determinants[i].alpha.words[0] = space.alpha[i];
    determinants[i].beta.words[0] = space.beta[i];
  }
  return determinants;
}

int earlier_spin(const CiResult::Space& space) {
  if (space.basis != "csf") {
    String alpha, beta;
    alpha.words[0] = space.alpha.front();
    beta.words[0] = space.beta.front();
    return alpha.count() - beta.count();
  }
  const std::size_t norb = space.steps.size() / static_cast<std::size_t>(space.dimension);
  int two_s = 0;
  for (std::size_t p = 0; p < norb; ++p) {
    const std::uint8_t step = step_at(space, 0, p);
    two_s += step == 1 ? 1 : step == 2 ? -1 : 0;
  }
  return two_s;
}

}  // namespace cisolve
