// SPDX-License-Identifier: MIT
#include "tasks/ci/job/split_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "tasks/ci/job/degeneracy.hpp"
#include "tasks/ci/replacement.hpp"

namespace cisolve {
namespace {

using Config = Configuration<most_string_words>;

// Parities: bit 0, 1, 2 is set if a function changes sign with x, y, z.
int swapped(int parity, int axis, int other) {
  const int bits = (parity >> axis & 1) ^ (parity >> other & 1);
  return parity ^ (bits << axis | bits << other);
}

/// Energies of the orbitals of one irrep, ascending.
std::vector<double> energies_of(int irrep, std::span<const double> energies, std::span<const int> irreps) {
  std::vector<double> found;
  for (std::size_t p = 0; p < energies.size(); ++p) {
    if (irreps[p] == irrep) found.push_back(energies[p]);
  }
  std::ranges::sort(found);
  return found;
}

/// Axes that can be exchanged: two of a linear molecule, three of an atom, else none.
std::vector<int> equal_axes(const SymmetryFrame& frame) {
  constexpr double at_zero = 1e-8;  // bohr; the frame's geometry is exactly symmetric
  std::vector<int> axes;
  for (int k = 0; k < 3; ++k) {
    const auto is_off = [&](const auto& at) { return std::abs(at.position[k]) >= at_zero; };
    const Surroundings& around = frame.geometry.surroundings;
    const bool is_empty = std::ranges::none_of(frame.geometry.atoms, is_off) &&
                          std::ranges::none_of(around.charges, is_off) && around.field[k] == 0.0;
    if (is_empty) axes.push_back(k);
  }
  return axes.size() < 2 ? std::vector<int>() : axes;
}

/// Whether an exchange of two axes carries the operations of the group into each other, so that irreps become irreps.
bool keeps_group(const SymmetryFrame& frame, int axis, int other) {
  return std::ranges::all_of(frame.operations, [&](AxisOperation op) {
    return std::ranges::find(frame.operations, swapped(op, axis, other)) != frame.operations.end();
  });
}

/// Each once; none of a CAS that is not listed.
std::vector<Config> reference_configurations(const CiJob& job) {
  std::set<Config> all;
  if (job.csf) {
    all.insert(job.csf->references.begin(), job.csf->references.end());
  } else if (!job.selection.cas) {
    for (const auto& d : job.selection.references) all.insert(configuration_of(d));
  }
  return {all.begin(), all.end()};
}

/// Irreps that differ by one of these may hold components of the same states.
std::set<int> irreps_of_components(const DegenerateShells& shells, const std::vector<int>& irreps) {
  std::set<int> products;
  for (const auto& shell : shells) {
    for (const int p : shell) {
      for (const int q : shell) products.insert(irreps[p] ^ irreps[q]);
    }
  }
  products.erase(0);
  return products;
}

std::string spin_text(const CiJob& job) {
  return job.multiplicity ? fmt::format(" of multiplicity {}", *job.multiplicity) : std::string();
}

/// Sectors between which states are split, and why.
class SplitSectors {
public:
  explicit SplitSectors(const std::vector<CiJob>& jobs)
      : jobs_(jobs), irreps_(jobs.front().active->integrals.irreps),
        shells_(degenerate_shells(jobs.front().active->integrals)),
        products_(irreps_of_components(shells_, irreps_)) {
    if (products_.empty()) return;
    for (const CiJob& job : jobs) {
      const auto& listed = configurations_.emplace_back(reference_configurations(job));
      closed_.push_back(job.why_empty.empty() &&
                        (job.selection.cas ? are_closed(shells_, job.selection, two_s(job))
                                           : are_closed(shells_, listed, two_s(job))));
    }
  }

  /// The sentence that says so; empty if there are none.
  std::string warning() const {
    if (products_.empty()) return {};
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (!jobs_[j].why_empty.empty()) continue;
      if (jobs_[j].selection.irrep == any_irrep && !closed_[j])
        return text("all irreps" + spin_text(jobs_[j]));
      for (std::size_t k = 0; k < j; ++k) {
        if (!share_states(jobs_[j], jobs_[k]) || are_alike(j, k)) continue;
        const PointGroup& group = jobs_[j].point_group;
        return text(fmt::format("irreps {} and {}{}", group.irrep_name(jobs_[k].selection.irrep + 1),
                                group.irrep_name(jobs_[j].selection.irrep + 1), spin_text(jobs_[j])));
      }
    }
    return {};
  }

private:
  static int two_s(const CiJob& job) { return job.multiplicity ? *job.multiplicity - 1 : std::abs(job.ms2); }

  bool share_states(const CiJob& a, const CiJob& b) const {
    const int i = a.selection.irrep, k = b.selection.irrep;
    return b.why_empty.empty() && two_s(a) == two_s(b) && i != any_irrep && k != any_irrep &&
           products_.contains(i ^ k);
  }

  bool are_alike(std::size_t j, std::size_t k) const {
    const auto &one = jobs_[j].selection, &other = jobs_[k].selection;
    if (one.cas || other.cas) {
      if (!one.cas || !other.cas) return false;  // of which one is a single determinant
      return (closed_[j] && one.cas->irrep == other.cas->irrep) || are_images(shells_, one, other);
    }
    if (closed_[j] && configurations_[j] == configurations_[k]) return true;
    return are_images(shells_, irreps_, configurations_[j], configurations_[k]);
  }

  /// Two degenerate orbitals of different irreps, of which there are some.
  std::pair<int, int> components() const {
    for (const auto& shell : shells_) {
      for (const int p : shell) {
        if (irreps_[p] != irreps_[shell.front()]) return {shell.front(), p};
      }
    }
    return {};
  }

  std::string text(const std::string& where) const {
    const std::vector<std::string> names = active_orbital_names(jobs_.front());
    const auto [p, q] = components();
    return fmt::format(
        "{} in {} may come out apart: a rotation that mixes degenerate orbitals such as {} and {} makes "
        "other references of theirs; a CAS of whole degenerate sets, for all irreps, keeps them together",
        split_states_begin, where, names[p], names[q]);
  }

  const std::vector<CiJob>& jobs_;
  const std::vector<int>& irreps_;
  DegenerateShells shells_;
  std::set<int> products_;
  std::vector<std::vector<Config>> configurations_;
  std::vector<bool> closed_;
};

/// Full CI has the symmetry of the molecule whatever the orbitals and references are.
bool is_full(const CiJob& job) {
  if (!job.why_empty.empty()) return true;
  if (!job.csf) return job.selection.excitation_level >= max_excitation_level(job.selection);
  return job.csf->excitation_level >= max_excitation_level(job.csf->references.front(), job.num_orbitals());
}

/// Whether components of one state may be among what is asked for.
bool asks_for_components(const std::vector<CiJob>& jobs, const SymmetryFrame& frame) {
  const std::vector<int> axes = equal_axes(frame);
  std::set<int> products;
  for (const int a : axes) {
    for (const int b : axes) products.insert(irrep_of_parity(frame, 1 << a) ^ irrep_of_parity(frame, 1 << b));
  }
  products.erase(0);
  for (const CiJob& a : jobs) {
    if (a.selection.irrep == any_irrep) return true;
    for (const CiJob& b : jobs) {
      if (a.multiplicity == b.multiplicity && products.contains(a.selection.irrep ^ b.selection.irrep))
        return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string_view> lacking_symmetry(const SymmetryFrame& frame, std::span<const double> energies,
                                                 std::span<const int> irreps) {
  constexpr double same = 1e-5;  // hartree; more than an SCF leaves
  const std::vector<int> axes = equal_axes(frame);
  for (const int a : axes) {
    for (const int b : axes) {
      if (a >= b || !keeps_group(frame, a, b)) continue;
      for (int parity = 0; parity < 8; ++parity) {
        const int i = irrep_of_parity(frame, parity), k = irrep_of_parity(frame, swapped(parity, a, b));
        const auto of_one = energies_of(i, energies, irreps), of_other = energies_of(k, energies, irreps);
        const bool equal =
            std::ranges::equal(of_one, of_other, [](double x, double y) { return std::abs(x - y) < same; });
        if (!equal) return axes.size() == 3 ? "an atom" : "a linear molecule";
      }
    }
  }
  return std::nullopt;
}

void warn_of_split_states(const SymmetryFrame* frame, std::vector<CiJob>& jobs) {
  if (std::ranges::all_of(jobs, is_full)) return;
  const auto warn = [&](const std::string& text) {
    for (CiJob& job : jobs) job.warnings.push_back(text);
  };
  if (frame != nullptr && jobs.front().molecule && asks_for_components(jobs, *frame)) {
    const ScfOrbitals& orbitals = jobs.front().molecule->scf.orbitals;
    if (const auto what = lacking_symmetry(*frame, orbitals.energies, orbitals.irreps)) {
      return warn(fmt::format(
          "{} come out apart: the SCF orbitals do not have the symmetry of {}, since open shells fill "
          "a part of a degenerate set; orbitals of a state that fills such sets evenly have it",
          split_states_begin, *what));
    }
  }
  if (const std::string text = SplitSectors(jobs).warning(); !text.empty()) warn(text);
}

}  // namespace cisolve
