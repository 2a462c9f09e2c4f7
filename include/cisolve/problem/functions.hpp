// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cisolve/analysis/csf_states.hpp"

namespace cisolve {

/// What wavefunctions are expanded in.
enum class FunctionKind { determinant, csf };

/// One determinant or CSF of an eigenvector.
struct LeadingConfiguration {
  std::string occupation;  ///< one character per active orbital: 2, 0, u, d (docs/output.md)
  double coefficient = 0.0;
  double weight = 0.0;           ///< coefficient squared
  std::string replacement = {};  ///< relative to the first reference, "5b1(a) -> 2a2(a)"; may be unknown
};

/// Determinants as blocks: run r holds alpha string run_alpha[r] with every beta string of list run_list[r],
/// in rows run_first_row[r], run_first_row[r] + 1, ...
struct StringBlocks {
  std::vector<std::uint64_t> alpha, beta;   ///< [strings * words]
  std::vector<std::int64_t> run_first_row;  ///< [runs], ascending
  std::vector<std::int32_t> run_alpha, run_list;
  std::vector<std::int64_t> list_offsets;  ///< [lists + 1] into list_members
  std::vector<std::int32_t> list_members;  ///< numbers of beta strings
};

/// The functions of a basis: determinants one by one, or as blocks, or CSFs.
struct FunctionList {
  std::vector<std::uint64_t> alpha, beta;  ///< determinants: [size * words]; empty with blocks
  StringBlocks blocks;                     ///< determinants; empty where alpha and beta are listed
  std::vector<std::uint8_t> steps;         ///< CSFs: [size * orbitals]; 0, 1: S + 1/2, 2: S - 1/2, 3
};

/// Functions listed one by one in memory of somebody else, such as those of an earlier calculation.
struct FunctionView {
  FunctionKind kind = FunctionKind::determinant;
  std::int64_t size = 0;
  std::span<const std::uint64_t> alpha, beta;  ///< as FunctionList has them
  std::span<const std::uint8_t> steps;
};

/// Twice the spin of listed functions, of which there is at least one: 2 Ms of determinants, 2 S of CSFs.
int twice_spin(const FunctionView& functions);

/// Listed determinants as determinants.
template <int Words>
std::vector<Determinant<Words>> determinants_of(const FunctionView& functions);

/// Listed CSFs as configurations and spin couplings.
/// @throws InputError if their steps are not those of CSFs of one spin
template <int Words>
CsfList<Words> csfs_of(const FunctionView& functions);

/// The excitation level of full CI, whatever the number of electrons.
inline constexpr int full_excitation = -1;

/// What there is to be said of a basis besides the list of its functions.
struct BasisSummary {
  std::string basis = "determinant";  ///< or "csf"
  std::int64_t dimension = 0;
  std::int64_t reference_dimension = 0;         ///< leading rows that are references
  int excitation_level = 0;                     ///< full_excitation where no higher level adds anything
  int irrep = 0;                                ///< 1-based; 0: all
  bool spin_complete = true;                    ///< every configuration with all its spin arrangements
  std::uint64_t hash = 0;                       ///< tells these functions and their order from any others
  std::vector<std::int64_t> level_counts = {};  ///< functions per excitation level
  int words = 1;                                ///< 64-bit words per string of a determinant
  std::string reference = {};                   ///< occupation of the first reference
};

}  // namespace cisolve
