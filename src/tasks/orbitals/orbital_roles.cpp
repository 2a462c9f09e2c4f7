// SPDX-License-Identifier: MIT
#include "tasks/orbitals/orbital_roles.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cisolve {
namespace {

using Selection = SpaceSelection<most_string_words>;

/// What tells an active orbital from others as a job's space sees it.
struct OrbitalRole {
  bool may_have_holes = false, may_have_particles = false;  ///< limits of a RAS
  enum class Place { any, doubly, empty, own } place = Place::any;
  int number = 0;  ///< of its own: which

  auto operator<=>(const OrbitalRole&) const = default;
};

/// Electrons of the references of a job in an orbital: the fewest and the most.
std::pair<int, int> reference_electrons(const CiJob& job, int p) {
  std::pair<int, int> range(2, 0);
  const auto count = [&](int electrons) {
    range = {std::min(range.first, electrons), std::max(range.second, electrons)};
  };
  if (job.csf) {
    for (const auto& c : job.csf->references) count(c.doubly.test(p) ? 2 : c.singly.test(p) ? 1 : 0);
  } else {
    for (const auto& d : job.selection.references)
      count((d.alpha.test(p) ? 1 : 0) + (d.beta.test(p) ? 1 : 0));
  }
  return range;
}

bool is_full(const CiJob& job) {
  if (!job.csf) return job.selection.excitation_level >= max_excitation_level(job.selection);
  const auto& csf = *job.csf;
  return csf.excitation_level >= max_excitation_level(csf.references.front(), csf.num_orbitals);
}

OrbitalRole role_of(const CiJob& job, int p, bool full) {
  using Place = OrbitalRole::Place;
  const Selection& selection = job.selection;
  OrbitalRole role{
      .may_have_holes = selection.max_holes && selection.max_holes->orbitals.test(p),
      .may_have_particles = selection.max_particles && selection.max_particles->orbitals.test(p)};
  if (full || std::ranges::binary_search(job.cas_orbitals, p)) return role;
  const auto [fewest, most] = reference_electrons(job, p);
  role.place = fewest == 2 ? Place::doubly : most == 0 ? Place::empty : Place::own;
  if (role.place == Place::own) role.number = p;
  return role;
}

}  // namespace

std::vector<int> active_subspaces(std::span<const CiJob> jobs) {
  std::vector<std::vector<OrbitalRole>> roles(static_cast<std::size_t>(jobs.front().num_orbitals()));
  for (const CiJob& job : jobs) {
    const bool full = is_full(job);
    for (std::size_t p = 0; p < roles.size(); ++p)
      roles[p].push_back(role_of(job, static_cast<int>(p), full));
  }
  std::map<std::vector<OrbitalRole>, int> numbers;
  std::vector<int> subspaces;
  for (const auto& role : roles)
    subspaces.push_back(numbers.emplace(role, static_cast<int>(numbers.size())).first->second);
  return subspaces;
}

std::vector<int> occupation_ranks(std::span<const CiJob> jobs) {
  std::vector<int> ranks;
  for (int p = 0; p < jobs.front().num_orbitals(); ++p) {
    bool all_doubly = true, all_empty = true, holes = false, particles = false;
    for (const CiJob& job : jobs) {
      const bool in_cas = std::ranges::binary_search(job.cas_orbitals, p);
      const auto [fewest, most] = in_cas ? std::pair(0, 2) : reference_electrons(job, p);
      all_doubly = all_doubly && fewest == 2;
      all_empty = all_empty && most == 0;
      holes = holes || (job.selection.max_holes && job.selection.max_holes->orbitals.test(p));
      particles = particles || (job.selection.max_particles && job.selection.max_particles->orbitals.test(p));
    }
    const int place = all_doubly ? 0 : all_empty ? 2 : 1;
    const int limit = holes == particles ? 1 : holes ? 0 : 2;
    ranks.push_back(3 * place + limit);
  }
  return ranks;
}

bool is_empty_reference_orbital(std::span<const CiJob> jobs, int p) {
  return std::ranges::all_of(jobs, [&](const CiJob& job) {
    return !std::ranges::binary_search(job.cas_orbitals, p) && reference_electrons(job, p).second == 0;
  });
}

CiJob without_orbitals(CiJob job, std::span<const int> left_out) {
  if (left_out.empty()) return job;
  const auto is_left_out = [&](int p) { return std::ranges::binary_search(left_out, p); };
  const auto number = [&](int p) {
    return p - static_cast<int>(std::ranges::lower_bound(left_out, p) - left_out.begin());
  };
  const auto compress = [&](WideString& string) {
    WideString kept;
    string.for_each([&](int p) {
      if (!is_left_out(p)) kept.set(number(p));
    });
    string = kept;
  };
  const int count = job.num_orbitals() - static_cast<int>(left_out.size());
  const auto compress_irreps = [&](std::vector<int>& irreps) {
    for (std::size_t k = left_out.size(); k-- > 0;) irreps.erase(irreps.begin() + left_out[k]);
  };
  Selection& selection = job.selection;
  selection.num_orbitals = count;
  compress_irreps(selection.irreps);
  for (auto& d : selection.references) {
    compress(d.alpha);
    compress(d.beta);
  }
  for (auto* bound : {&selection.max_holes, &selection.max_particles}) {
    if (*bound) compress((*bound)->orbitals);
  }
  if (selection.cas) {
    compress(selection.cas->doubly);
    compress(selection.cas->active);
  }
  selection.excitation_level = std::min(selection.excitation_level, max_excitation_level(selection));
  if (job.csf) {
    auto& csf = *job.csf;
    csf.num_orbitals = count;
    compress_irreps(csf.irreps);
    for (auto& c : csf.references) {
      compress(c.doubly);
      compress(c.singly);
    }
    for (auto& bound : csf.bounds) compress(bound.orbitals);
    csf.excitation_level =
        std::min(csf.excitation_level, max_excitation_level(csf.references.front(), csf.num_orbitals));
  }
  for (int& p : job.cas_orbitals) p = number(p);
  job.num_frozen_virtual += static_cast<int>(left_out.size());
  return job;
}

}  // namespace cisolve
