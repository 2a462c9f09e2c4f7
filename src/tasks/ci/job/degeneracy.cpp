// SPDX-License-Identifier: MIT
#include "tasks/ci/job/degeneracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace {

using Config = Configuration<most_string_words>;
using Det = Determinant<most_string_words>;

constexpr double same = 1e-6;  // hartree; orbitals of an SCF differ by its convergence, others by far more

/// Orbitals with the same marks.
DegenerateShells shells_of(const std::vector<std::array<double, 2>>& marks) {
  std::vector<int> order(marks.size());
  std::iota(order.begin(), order.end(), 0);
  DegenerateShells shells;
  std::vector<bool> taken(marks.size(), false);
  for (const int p : order) {
    if (taken[p]) continue;
    std::vector<int> shell;
    for (int q = p; q < std::ssize(marks); ++q) {
      const bool is_same =
          std::abs(marks[p][0] - marks[q][0]) < same && std::abs(marks[p][1] - marks[q][1]) < same;
      if (!taken[q] && is_same) shell.push_back(q);
    }
    for (const int q : shell) taken[q] = true;
    if (shell.size() > 1) shells.push_back(std::move(shell));
  }
  return shells;
}

/// A product of irreps becomes the product of their images.
using IrrepMap = std::array<int, 8>;

/// The maps of irreps that exchange some of them and leave the others.
std::vector<IrrepMap> irrep_exchanges() {
  std::vector<IrrepMap> maps;
  for (int code = 0; code < 512; ++code) {
    IrrepMap map{};
    bool moves = false, is_exchange = true;
    for (int i = 0; i < 8; ++i) {
      for (int bit = 0; bit < 3; ++bit) {
        if ((i >> bit & 1) != 0) map[i] ^= code >> (3 * bit) & 7;
      }
    }
    for (int i = 0; i < 8; ++i) {
      is_exchange = is_exchange && map[map[i]] == i;
      moves = moves || map[i] != i;
    }
    if (is_exchange && moves) maps.push_back(map);
  }
  return maps;
}

/// Where the orbitals go if irreps are exchanged; empty where one has no partner.
std::vector<int> orbital_exchange(const DegenerateShells& shells, std::span<const int> irreps,
                                  const IrrepMap& map) {
  std::vector<int> image(irreps.size());
  for (int p = 0; p < std::ssize(irreps); ++p) {
    image[p] = map[irreps[p]] == irreps[p] ? p : -1;
    if (image[p] == p) continue;
    for (const auto& shell : shells) {
      if (!std::ranges::binary_search(shell, p)) continue;
      for (const int q : shell) {
        if (irreps[q] == map[irreps[p]]) image[p] = q;
      }
    }
    if (image[p] < 0) return {};
  }
  return image;
}

std::vector<Config> sorted(std::span<const Config> configurations) {
  std::vector<Config> all(configurations.begin(), configurations.end());
  std::ranges::sort(all);
  return all;
}

using CasSelection = SpaceSelection<most_string_words>;
using CasBound = std::optional<OccupationBound<most_string_words>>;

bool is_bound(const CasBound& bound, int p) { return bound && bound->orbitals.test(p); }

WideString carried(const WideString& s, std::span<const int> image) {
  WideString result;
  s.for_each([&](int p) { result.set(image[p]); });
  return result;
}

/// The determinants of a CAS with so many electrons of each spin, counted by kinds of strings.
class CasDeterminants {
public:
  CasDeterminants(const CasSelection& selection, int two_s) : selection_(selection), cas_(*selection.cas) {
    const auto& first = selection.references.front();
    const int electrons = first.alpha.count() + first.beta.count();
    electrons_[0] = (electrons + two_s) / 2;
    electrons_[1] = electrons - electrons_[0];
  }

  /// Whether a move of an electron of some spin leads from one of them to a determinant that is none.
  bool can_leave(int p, int q) const {
    for (const int spin : {0, 1}) {
      const auto from = kinds(electrons_[spin], p, q);
      const auto others = from.empty() ? from : kinds(electrons_[1 - spin]);
      for (const StringCount& own : from) {
        for (const StringCount& other : others) {
          if (holds_pair(own, other) && !(stays(p, q) && holds_pair(after(own, p, q), other))) return true;
        }
      }
    }
    return false;
  }

private:
  bool stays(int p, int q) const { return cas_.active.test(p) && cas_.active.test(q); }

  /// Of strings where p is occupied and q is empty; without these, of all.
  std::vector<StringCount> kinds(int electrons, int p = -1, int q = -1) const {
    WideString active = cas_.active, reference = cas_.doubly;
    if (p >= 0) {
      if (!(cas_.active | cas_.doubly).test(p) || cas_.doubly.test(q)) return {};
      active.reset(p);
      active.reset(q);
      reference.set(p);
    }
    int left = electrons - reference.count();
    if (left < 0 || left > active.count()) return {};
    active.for_each([&](int r) {
      if (left-- > 0) reference.set(r);
    });
    return count_strings<most_string_words>({.num_orbitals = selection_.num_orbitals,
                                             .reference = reference,
                                             .max_level = active.count(),
                                             .irreps = selection_.irreps,
                                             .max_holes = selection_.max_holes,
                                             .max_particles = selection_.max_particles,
                                             .active = active});
  }

  bool holds_pair(const StringCount& own, const StringCount& other) const {
    if (cas_.irrep != any_irrep && (own.irrep ^ other.irrep) != cas_.irrep) return false;
    const auto keeps = [](const CasBound& bound, int used) { return !bound || used <= bound->count; };
    return keeps(selection_.max_holes, own.holes + other.holes) &&
           keeps(selection_.max_particles, own.particles + other.particles);
  }

  StringCount after(StringCount kind, int p, int q) const {
    kind.irrep ^= selection_.irreps[p] ^ selection_.irreps[q];
    kind.holes += (is_bound(selection_.max_holes, p) ? 1 : 0) - (is_bound(selection_.max_holes, q) ? 1 : 0);
    kind.particles +=
        (is_bound(selection_.max_particles, q) ? 1 : 0) - (is_bound(selection_.max_particles, p) ? 1 : 0);
    return kind;
  }

  const CasSelection& selection_;
  const ActiveSpace<most_string_words>& cas_;
  int electrons_[2];
};

/// Whether an exchange of orbitals leaves those of a CAS, and those of its bounds, together.
bool keeps_cas(const CasSelection& selection, std::span<const int> image) {
  const WideString &doubly = selection.cas->doubly, &active = selection.cas->active;
  const auto keeps = [&](const WideString& orbitals) { return carried(orbitals, image) == orbitals; };
  const auto keeps_bound = [&](const CasBound& bound) { return !bound || keeps(bound->orbitals & active); };
  return keeps(doubly) && keeps(active) && keeps_bound(selection.max_holes) &&
         keeps_bound(selection.max_particles);
}

}  // namespace

DegenerateShells degenerate_shells(const Integrals& integrals) {
  if (integrals.is_unrestricted()) return {};  // as many electrons of one spin as of the other leave them so
  std::vector<std::array<double, 2>> marks;
  for (int p = 0; p < integrals.num_orbitals; ++p) {
    marks.push_back({integrals.h(p, p), integrals.eri(p, p, p, p)});
  }
  return shells_of(marks);
}

DegenerateShells degenerate_shells(std::span<const double> energies) {
  return degenerate_shells(energies, energies);
}

DegenerateShells degenerate_shells(std::span<const double> alpha, std::span<const double> beta) {
  std::vector<std::array<double, 2>> marks;
  for (std::size_t p = 0; p < alpha.size(); ++p) marks.push_back({alpha[p], beta[p]});
  return shells_of(marks);
}

std::string cut_warning(std::string_view what, const DegenerateShells& shells, std::span<const int> inside,
                        std::span<const std::string> names) {
  const auto is_inside = [&](int p) { return std::ranges::find(inside, p) != inside.end(); };
  for (const auto& shell : shells) {
    const auto in = std::ranges::find_if(shell, is_inside);
    const auto out = std::ranges::find_if_not(shell, is_inside);
    if (in == shell.end() || out == shell.end()) continue;
    return fmt::format(
        "{} cuts a degenerate set of orbitals: {} is in it, {} is not, so that states that symmetry "
        "makes degenerate come out apart",
        what, names[*in], names[*out]);
  }
  return {};
}

bool are_closed(const DegenerateShells& shells, std::span<const Config> configurations, int two_s) {
  std::vector<Det> all;
  for (const Config& c : configurations) {
    for_each_arrangement(c.doubly, c.singly, (c.num_electrons() + two_s) / 2,
                         [&](const Det& d) { all.push_back(d); });
  }
  std::ranges::sort(all);
  // Single moves make every way to share out the electrons.
  const auto holds_moves = [&](const Det& d, WideString Det::*spin) {
    return std::ranges::all_of(shells, [&](const std::vector<int>& shell) {
      for (const int p : shell) {
        for (const int q : shell) {
          if (!(d.*spin).test(p) || (d.*spin).test(q)) continue;
          Det moved = d;
          moved.*spin = (d.*spin).moved(p, q);
          if (!std::ranges::binary_search(all, moved)) return false;
        }
      }
      return true;
    });
  };
  return std::ranges::all_of(
      all, [&](const Det& d) { return holds_moves(d, &Det::alpha) && holds_moves(d, &Det::beta); });
}

bool are_closed(const DegenerateShells& shells, const CasSelection& selection, int two_s) {
  if (!selection.cas) throw DimensionError("are_closed: the references are no complete active space");
  const CasDeterminants determinants(selection, two_s);
  return std::ranges::all_of(shells, [&](const std::vector<int>& shell) {
    for (const int p : shell) {
      for (const int q : shell) {
        if (p != q && determinants.can_leave(p, q)) return false;
      }
    }
    return true;
  });
}

bool are_images(const DegenerateShells& shells, const CasSelection& from, const CasSelection& to) {
  if (!from.cas || !to.cas) throw DimensionError("are_images: the references are no complete active space");
  return std::ranges::any_of(irrep_exchanges(), [&](const IrrepMap& map) {
    const std::vector<int> image = orbital_exchange(shells, from.irreps, map);
    if (image.empty() || !keeps_cas(from, image)) return false;
    return from.cas->irrep == any_irrep || map[from.cas->irrep] == to.cas->irrep;
  });
}

bool are_images(const DegenerateShells& shells, std::span<const int> irreps, std::span<const Config> from,
                std::span<const Config> to) {
  const std::vector<Config> wanted = sorted(to);
  return std::ranges::any_of(irrep_exchanges(), [&](const IrrepMap& map) {
    const std::vector<int> image = orbital_exchange(shells, irreps, map);
    if (image.empty()) return false;
    std::vector<Config> images;
    for (const Config& c : from) {
      images.push_back({carried(c.doubly, image), carried(c.singly, image)});
    }
    std::ranges::sort(images);
    return images == wanted;
  });
}

}  // namespace cisolve
