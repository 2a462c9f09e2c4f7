// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve::detail {

/// Neighbouring shells of an atom that are contracted from the same primitives (general contraction).
struct ShellFamily {
  int first_shell = 0, num_shells = 0;
  int first_part = 0, num_parts = 0;
  std::vector<double> coefficients = {};  ///< [parts * shells]: what each shell is made of
};

/// The shells of a basis as families. Where general contraction is worth it a family's parts are its primitives, each
/// once; elsewhere it is one shell, its only part.
struct ShellFamilies {
  std::vector<ShellFamily> families;  ///< in the order of the shells
  GaussianBasis parts;

  explicit ShellFamilies(const GaussianBasis& basis);
};

/// Two-electron integrals over quartets of contracted shells, made for all shells of four families at a time: a
/// quartet of primitives is worked out once, whatever the number of functions that it is contracted to.
class FamilyRepulsion {
public:
  /// @param precision  of an integral over parts, hartree
  /// @param workers    threads that may compute at the same time
  FamilyRepulsion(const GaussianBasis& basis, double precision, int workers);

  int num_families() const { return static_cast<int>(made_of_.families.size()); }
  const ShellFamily& family(int f) const { return made_of_.families[static_cast<std::size_t>(f)]; }

  /// Makes the integrals (ab|cd) over the shells of four families with a >= b, c >= d.
  void compute(int worker, int a, int b, int c, int d);

  /// (ij|kl) of shells i >= j, k >= l of the families that the worker computed last, [ni][nj][nk][nl] with the last index
  /// fastest; null if all are negligible. Valid until its next call.
  const double* block(int worker, int i, int j, int k, int l) const;

private:
  /// Pairs of shells, or of parts, of two families; each once where the families are the same.
  struct Side {
    const ShellFamily *first, *second;
    int rows, columns;  ///< functions of a shell of each

    bool is_one() const { return first == second; }
    int num_members() const {
      const int n = first->num_shells;
      return is_one() ? n * (n + 1) / 2 : n * second->num_shells;
    }
    int member(int i, int j) const;
    template <class Visit>
    void for_each_part(const Visit& visit) const;
    /// add(member, weight, weight of the transpose) for what a pair of parts brings to each pair of shells.
    template <class Add>
    void for_each_member(int x, int y, const Add& add) const;
  };
  struct Work {
    Side bra, ket;
    bool is_direct = false;  ///< every family is one shell
    const double* direct = nullptr;
    bool is_zero = true;
    std::vector<double> blocks;  ///< [members of the bra * members of the ket * functions]
    std::vector<double> half;    ///< of a pair of parts of the bra: [members of the ket * functions]
    std::vector<double> transposed;
  };

  Side side(int first, int second) const;
  void contract_ket(int worker, int x, int y, std::size_t size, bool& any);
  void contract_bra(Work& work, int x, int y, std::size_t size);

  ShellFamilies made_of_;
  RepulsionEngine engine_;
  std::vector<Work> work_;  ///< of each worker
};

}  // namespace cisolve::detail
